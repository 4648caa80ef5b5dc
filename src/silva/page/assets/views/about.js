import { h, name } from "../base/dom.js";
import { counted } from "../model/numbers.js";
import { signOffForm } from "./tools/signoff.js";

/** What the model is, what is known about it, and who has looked at it. */
export const view = { id: "about", title: "About and sign-off", available: () => true, mount };

function mount(element, app) {
  element.classList.add("tool");
  const notes = h("div", { class: "stack" });
  const show = () => notes.replaceChildren(...[treeNotes(app)].filter(Boolean));
  app.store.subscribe(["tree"], show);
  show();
  element.append(h("div", { class: "two-columns" }, h("div", { class: "stack" }, modelCard(app), unknownCard(app.doc), notes), h("div", { class: "stack" }, signOffForm(app))));
}

function modelCard(app) {
  const { doc } = app;
  const { model, about = {} } = doc;
  const known = [
    ["Model", doc.title === model.kind ? null : name(doc.title)],
    ["Kind", model.kind],
    ["Predicts", model.target === null ? model.task : [name(model.target), ` (${model.task})`]],
    ["Classes", doc.classes === null ? null : listed(doc.classes.map((one) => one.text))],
    ["Trees", model.n_trees > 1 ? counted(model.n_trees, "tree") : null],
    ["Size", app.tree().json.text_title],
    ["Training rows", fittedRows(app)],
    ["Columns", `${doc.columns.length}, of which the page's trees use ${doc.columns.filter((one) => one.used).length}`],
    ["Model fingerprint", hash(about.model_hash)],
    ["Data fingerprint", hash(about.fingerprint)],
    ["Versions", versions(doc)],
    ["Privacy", about.privacy],
  ];
  return h("section", { class: "sheet" }, h("h2", { text: "The model" }), facts(known), parameters(model.parameters), trail(about.trail));
}

function fittedRows(app) {
  const rows = app.doc.about?.fitted_rows ?? app.tree().rows[0];
  return rows === null ? "not shown" : counted(rows, "row");
}

function hash(text) {
  return text ? h("code", { class: "hash", text }) : null;
}

function versions({ about = {}, silva }) {
  const told = [["silva", about.silva ?? silva], ["Python", about.python], ["NumPy", about.numpy]];
  return told.filter(([, version]) => version).map(([what, version]) => `${what} ${version}`).join(", ");
}

function listed(texts) {
  const shown = texts.slice(0, 20).flatMap((text, at) => [at ? ", " : "", name(text)]);
  return texts.length > 20 ? [...shown, ` and ${texts.length - 20} more`] : shown;
}

function facts(pairs) {
  const known = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return h("dl", { class: "facts" }, known.map(([term, value]) => [h("dt", { text: term }), h("dd", null, value)]));
}

function parameters(given) {
  const pairs = Object.entries(given ?? {});
  if (pairs.length === 0) return null;
  return h("details", { open: true }, h("summary", { text: "Parameters" }), h("dl", { class: "facts code" }, pairs.map(([key, value]) => [h("dt", { text: key }), h("dd", { text: String(value) })])));
}

/** Edits by hand, as Python recorded them: texts or records. */
function trail(edits) {
  if (!edits?.length) return null;
  return h("div", null, h("h3", { text: "Edits by hand" }), h("ol", null, edits.map((edit) => h("li", null, name(typeof edit === "string" ? edit : Object.entries(edit).map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`).join("; "))))));
}

function unknownCard({ about }) {
  if (!about?.unknown?.length) return null;
  return h("section", { class: "sheet" }, h("h3", { text: "What is not known" }), h("ul", null, about.unknown.map((text) => h("li", null, name(text)))));
}

function treeNotes(app) {
  const { notes } = app.tree().json;
  if (!notes.length) return null;
  return h("section", { class: "sheet" }, h("h3", { text: "Notes on the tree" }), h("ul", null, notes.map((text) => h("li", null, name(text)))));
}
