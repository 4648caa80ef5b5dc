import { button, h, replace } from "../../base/dom.js";
import { save } from "../../base/download.js";

const DECISIONS = ["", "approved", "approved with changes", "rejected"];
const FIELDS = { notes: "Notes", reviewer: "Reviewer", role: "Role", date: "Date", decision: "Decision" };
const FORMAT = "silva-notes";

/** Puts empty notes into the state of a page that was just opened: nothing is stored anywhere. */
export function startNotes(store) {
  if (!store.get("signoff")) store.set({ signoff: emptyNotes() });
}

function emptyNotes() {
  const now = new Date();
  const part = (value) => String(value).padStart(2, "0");
  return { notes: "", reviewer: "", role: "", date: `${now.getFullYear()}-${part(now.getMonth() + 1)}-${part(now.getDate())}`, decision: "" };
}

/** What the sign-off is about: model, data and versions. */
export function subject(doc) {
  const { about = {} } = doc;
  return [
    ["Model", doc.title],
    ["Model fingerprint (SHA-256)", about.model_hash],
    ["Data fingerprint (SHA-256)", about.fingerprint],
    ["silva", about.silva ?? doc.silva],
    ["Python", about.python],
    ["NumPy", about.numpy],
  ].filter(([, value]) => value !== null && value !== undefined);
}

/** The form for notes and sign-off; the state has them as `signoff`. */
export function signOffForm(app) {
  const { store } = app;
  startNotes(store);
  const said = h("p", { class: "said", role: "status" });
  const boxes = Object.fromEntries(Object.keys(FIELDS).map((key) => [key, box(key, store)]));
  const fill = () => Object.entries(boxes).forEach(([key, one]) => one.value === store.get("signoff")[key] || (one.value = store.get("signoff")[key]));
  store.subscribe(["signoff"], fill);
  fill();
  const fields = Object.entries(boxes).map(([key, one]) => h("label", { class: `field field-${key}` }, h("span", { text: FIELDS[key] }), one));
  const file = h("input", { type: "file", accept: ".json,application/json", hidden: true, on: { change: () => load(file, app, said) } });
  const tools = [button("Save notes as a file", () => saveNotes(app)), button("Load notes from a file", () => file.click()), button("Print", () => window.print())];
  return h("section", { class: "sheet sign-off" }, h("h3", { text: "Notes and sign-off" }), h("p", { class: "quiet", text: "What you write here is kept only while this page is open: it is not saved in the page. Save it as a file, or print it with the tree." }), fields, h("div", { class: "line-up" }, tools, file), said);
}

function box(key, store) {
  const change = () => store.set({ signoff: { ...store.get("signoff"), [key]: one.value } });
  const on = { input: change, change };
  const one = key === "notes" ? h("textarea", { rows: 6, on }) : key === "decision" ? h("select", { on }, DECISIONS.map((text) => h("option", { value: text }, text || "not decided"))) : h("input", { type: key === "date" ? "date" : "text", autocomplete: "off", on });
  return one;
}

function saveNotes({ doc, store }) {
  const record = { format: FORMAT, version: 1, ...store.get("signoff"), about: Object.fromEntries(subject(doc)) };
  save("notes.json", "application/json", `${JSON.stringify(record, null, 2)}\n`);
}

async function load(file, app, said) {
  const [chosen] = file.files;
  file.value = "";
  if (!chosen) return;
  const read = readNotes(await chosen.text());
  said.textContent = typeof read === "string" ? read : remark(read, app.doc);
  if (typeof read !== "string") app.store.set({ signoff: read.signoff });
}

/** The notes of a file, or why it has none. */
export function readNotes(text) {
  let record;
  try {
    record = JSON.parse(text);
  } catch {
    return "This file is not JSON: choose a file that this page saved.";
  }
  if (record?.format !== FORMAT) return "This file holds no notes: choose a file that this page saved.";
  const signoff = Object.fromEntries(Object.keys(FIELDS).map((key) => [key, typeof record[key] === "string" ? record[key] : ""]));
  if (!DECISIONS.includes(signoff.decision)) signoff.decision = "";
  return { signoff, about: record.about ?? {} };
}

function remark({ about }, doc) {
  const now = Object.fromEntries(subject(doc));
  const other = Object.keys(about).filter((key) => String(about[key]) !== String(now[key]));
  return other.length ? `The notes are loaded. They were written about another page; these differ: ${other.join(", ")}.` : "The notes are loaded.";
}

/** Notes and lines to sign, for paper. */
export function printedSignOff(element, { doc, store }) {
  const { notes, ...who } = store.get("signoff");
  const facts = subject(doc).map(([term, value]) => [h("dt", { text: term }), h("dd", { text: value })]);
  const lines = Object.entries(who).map(([key, value]) => [h("dt", { text: FIELDS[key] }), h("dd", { class: value ? null : "line", text: value })]);
  const text = notes ? h("p", { class: "printed-notes", text: notes }) : null;
  replace(element, h("h2", { text: "Notes and sign-off" }), text, h("dl", { class: "printed-facts" }, lines, h("dt", { text: "Signature" }), h("dd", { class: "line" })), h("dl", { class: "printed-facts quiet" }, facts));
}
