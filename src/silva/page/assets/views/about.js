import { h, name, replace } from "../base/dom.js";
import { counted } from "../model/numbers.js";
import { follow } from "./parts.js";
import { facts, items, listed, sheet } from "./tools/parts.js";
import { signOffForm, subject } from "./tools/signoff.js";

const MOST_CLASSES = 20;

/** What the model is, what is known about it, and who has looked at it. */
export const view = { id: "about", title: "About and sign-off", available: () => true, mount };

function mount(element, app) {
  element.classList.add("tool");
  const notes = h("div");
  follow(app, ["tree"], () => replace(notes, list("Notes on the tree", app.tree().json.notes)));
  element.append(h("div", { class: "two-columns" }, h("div", null, modelCard(app), list("What is not known", app.doc.about.unknown), notes), signOffForm(app)));
}

function list(title, texts) {
  return texts.length ? sheet(title, items(texts)) : null;
}

function modelCard(app) {
  const { about, classes, columns, model } = app.doc;
  const [title, ...versions] = subject(app.doc);
  const rows = about.fitted_rows ?? app.tree().rows[0];
  const known = [
    title,
    ["Kind", title[1] === model.kind ? null : model.kind],
    ["Predicts", model.target === null ? model.task : [name(model.target), ` (${model.task})`]],
    ["Classes", classes && listed(classes.map((one) => name(one.text)), MOST_CLASSES)],
    ["Trees", model.n_trees > 1 ? model.n_trees : null],
    ["Size", app.tree().json.text_title],
    ["Training rows", rows === null ? "not shown" : counted(rows, "row")],
    ["Columns", `${columns.length}, of which the page's trees use ${columns.filter((one) => one.used).length}`],
    ...versions,
    ["Privacy", about.privacy || null],
  ];
  const parameters = h("details", { open: true }, h("summary", { text: "Parameters" }), facts(Object.entries(model.parameters), "code"));
  return sheet("The model", facts(known), parameters, about.trail.length ? [h("h3", { text: "Edits by hand" }), items(about.trail)] : null);
}
