import { button, h, name, replace } from "../base/dom.js";
import { number, percent, thousands } from "../model/numbers.js";
import { barCell } from "./charts/bars.js";
import { table, wide } from "./charts/frame.js";
import { importanceOf } from "./columns.js";
import { capital, follow, label, section } from "./parts.js";

const MOST_IMPORTANT = 15;

/** The trees of a forest or a boosted model: which are in the page, and the one that stands for all. */
export const view = { id: "forest", title: "Forest", available: ({ model, forest }) => model.n_trees > 1 && Boolean(forest), mount };

function mount(element, app) {
  const { doc } = app;
  const box = h("div");
  element.append(h("h2", null, `${thousands(doc.model.n_trees)} trees`), h("div", { class: "two" }, h("div", null, section("What is here", whole(doc)), section("One tree for all", distilled(app)), section("Trees", box)), section("Importances", importances(doc))));
  follow(app, ["tree"], () => replace(box, treeTable(app)));
}

function whole({ model, forest, trees }) {
  const left = model.n_trees - trees.filter((one) => one.role === "member").length;
  const out = left > 0 ? ` ${thousands(left)} of them are not in this page, to keep the file small; in the model they count like the others.` : " All of them are in this page.";
  return [h("p", null, `The model has ${thousands(model.n_trees)} trees.${out}`), forest.oob === null || forest.oob === undefined ? null : h("p", null, `Out-of-bag score: ${number(forest.oob, 4)}.`), forest.note ? h("p", { class: "quiet" }, forest.note) : null];
}

function distilled(app) {
  const { forest, model, trees } = app.doc;
  if (forest.distilled === null || forest.distilled === undefined) return null;
  const tree = trees[forest.distilled];
  const agrees = forest.fidelity === null || forest.fidelity === undefined ? "" : fidelityWords(model, forest.fidelity);
  return [h("p", null, `${tree.json.n_leaves} leaves, depth ${tree.json.depth}.${agrees} It explains the forest, and is not the forest.`), button("Show this tree", () => choose(app, forest.distilled))];
}

/** How well the single tree repeats the forest on the given rows. */
function fidelityWords({ task }, fidelity) {
  return task === "regression" ? ` It explains ${number(fidelity, 4)} of the variance of the forest's predictions (R2).` : ` It predicts as the forest does for ${percent(fidelity)} of the rows.`;
}

function choose(app, index) {
  app.store.set({ tree: index, node: 0, step: 0, open: null, view: "tree" });
}

function treeTable(app) {
  const now = app.store.get("tree");
  const rows = app.doc.trees.map((tree, index) => [
    button(name(tree.title || "the tree"), () => choose(app, index), { class: "link", "aria-current": index === now ? "true" : null }),
    thousands(tree.json.n_leaves),
    String(tree.json.depth),
    index === now ? "shown now" : "",
  ]);
  return wide("Trees in this page", table("Trees in this page", ["tree", "#leaves", "#depth", ""], rows), " tall");
}

function importances(doc) {
  const values = importanceOf(doc);
  if (!values) return null;
  const order = values.map((_, at) => at).filter((at) => values[at] !== null).sort((one, other) => values[other] - values[one]);
  const most = Math.max(0, ...values);
  const rows = order.slice(0, MOST_IMPORTANT).map((at) => [label(doc.columns[at].name), barCell([{ share: Math.max(0, values[at]), colour: "target" }], most), number(values[at], 3)]);
  const more = order.length > MOST_IMPORTANT ? h("p", { class: "quiet" }, `The tab "Columns" has all ${order.length}.`) : null;
  return [doc.importances.method ? h("p", { class: "quiet" }, capital(doc.importances.method)) : null, table("Importances", ["column", "importance", "#"], rows, { class: "bar-table" }), more];
}
