import { button, h } from "../../base/dom.js";
import { save } from "../../base/download.js";
import { facts, lineUp, quiet, sheet, status } from "./parts.js";

const DECISIONS = ["", "approved", "approved with changes", "rejected"];
const FIELDS = { notes: "Notes", reviewer: "Reviewer", role: "Role", date: "Date", decision: "Decision" };
const FORMAT = "silva-notes";

/** The boxes for notes and sign-off by name. They alone have what is written: nothing is stored anywhere. */
function boxesOf(app) {
  app.signOff ??= {
    notes: h("textarea", { rows: 6 }),
    reviewer: h("input", { autocomplete: "off" }),
    role: h("input", { autocomplete: "off" }),
    date: h("input", { type: "date", value: today() }),
    decision: h("select", null, DECISIONS.map((text) => h("option", { value: text }, text || "not decided"))),
  };
  return app.signOff;
}

/** Swedes write dates as date boxes want them. */
function today() {
  return new Date().toLocaleDateString("sv");
}

function written(app) {
  return Object.fromEntries(Object.entries(boxesOf(app)).map(([key, box]) => [key, box.value]));
}

/** What the sign-off is about: model, data and versions. */
export function subject({ title, about }) {
  return [
    ["Model", title],
    ["Model fingerprint (SHA-256)", about.model_hash],
    ["Data fingerprint (SHA-256)", about.fingerprint],
    ["silva", about.silva],
    ["Python", about.python],
    ["NumPy", about.numpy],
  ];
}

/** The form for notes and sign-off. */
export function signOffForm(app) {
  const said = status();
  const fields = Object.entries(boxesOf(app)).map(([key, box]) => h("label", { class: "field" }, FIELDS[key], box));
  const file = h("input", { type: "file", accept: ".json,application/json", hidden: true, on: { change: async () => (said.textContent = await load(file, app)) } });
  const tools = [button("Save notes as a file", () => saveNotes(app)), button("Load notes from a file", () => file.click()), button("Print", () => window.print())];
  return sheet("Notes and sign-off", quiet("What you write here is kept only while this page is open: it is not saved in the page. Save it as a file, or print it with the tree."), h("div", { class: "sign-off" }, fields), lineUp(tools, file), said);
}

function saveNotes(app) {
  const record = { format: FORMAT, version: 1, ...written(app), about: Object.fromEntries(subject(app.doc)) };
  save("notes.json", "application/json", `${JSON.stringify(record, null, 2)}\n`);
}

/** Reads the chosen file into the boxes, which refuse what they do not offer; gives what there is to say. */
async function load(file, app) {
  let record;
  try {
    record = JSON.parse(await file.files[0].text());
  } catch {
    return "This file is not JSON: choose a file that this page saved.";
  } finally {
    file.value = "";
  }
  if (record?.format !== FORMAT) return "This file holds no notes: choose a file that this page saved.";
  for (const [key, box] of Object.entries(boxesOf(app))) box.value = record[key] ?? "";
  const other = subject(app.doc).filter(([key, value]) => record.about?.[key] !== value).map(([key]) => key);
  return `The notes are loaded.${other.length ? ` They were written about another page; these differ: ${other.join(", ")}.` : ""}`;
}

/** Notes and lines to sign, for paper. */
export function printedSignOff(app) {
  const { notes, ...who } = written(app);
  const lines = Object.entries(who).map(([key, value]) => [FIELDS[key], value]);
  return [h("h2", { text: "Notes and sign-off" }), h("p", { class: "written", text: notes }), facts([...lines, ["Signature", ""]]), facts(subject(app.doc), "quiet")];
}
