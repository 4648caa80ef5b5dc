import { button, h, name, replace } from "../base/dom.js";
import { number, percent, thousands } from "../model/numbers.js";
import { barCell } from "./charts/bars.js";
import { table } from "./charts/frame.js";
import { importanceOf } from "./columns.js";
import { follow, section } from "./parts.js";

const MOST_IMPORTANT = 15;

/** The trees of a forest or a boosted model: which are in the page, and the one that stands for all. */
export const view = { id: "forest", title: "Forest", available: ({ model, forest }) => model.n_trees > 1 && Boolean(forest), mount };

function mount(element, app) {
  const { doc } = app;
  const box = h("div");
  element.append(h("div", { class: "two" }, h("div", null, section("What is here", whole(doc)), section("One tree for all", distilled(app)), section("Trees", box)), section("Importances", importances(doc))));
  follow(app, ["tree"], () => replace(box, treeTable(app)));
}

function whole({ model, forest, trees }) {
  const members = trees.filter((one) => one.role === "member").length;
  const left = model.n_trees - members;
  const out = left > 0 ? `The page holds ${thousands(members)} of them; ${thousands(left)} are left out to keep the file small, and they vote in the model all the same.` : "All of them are in the page.";
  return [h("p", null, `${model.kind}: ${thousands(model.n_trees)} trees. ${out}`), forest.oob === null || forest.oob === undefined ? null : h("p", null, `Out-of-bag score: ${number(forest.oob, 4)}.`), forest.note ? h("p", { class: "quiet" }, forest.note) : null];
}

function distilled(app) {
  const { forest, trees } = app.doc;
  if (forest.distilled === null || forest.distilled === undefined) return null;
  const tree = trees[forest.distilled];
  const agrees = forest.fidelity === null || forest.fidelity === undefined ? "" : ` It agrees with the forest on ${percent(forest.fidelity)} of the rows that it was checked on.`;
  return [h("p", null, `${tree.json.n_leaves} leaves, depth ${tree.json.depth}.${agrees} It explains the forest, and is not the forest.`), button("Show this tree", () => choose(app, forest.distilled))];
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
  return h("div", { class: "wide tall" }, table("Trees in this page", ["tree", "#leaves", "#depth", ""], rows));
}

function importances(doc) {
  const values = importanceOf(doc);
  if (!values) return null;
  const order = values.map((_, at) => at).filter((at) => values[at] !== null).sort((one, other) => values[other] - values[one]);
  const most = Math.max(0, ...values);
  const rows = order.slice(0, MOST_IMPORTANT).map((at) => [name(doc.columns[at].name), barCell([{ share: Math.max(0, values[at]), colour: "target" }], most), number(values[at], 3)]);
  const more = order.length > MOST_IMPORTANT ? h("p", { class: "quiet" }, `The tab "Columns" has all ${order.length}.`) : null;
  return [doc.importances.method ? h("p", { class: "quiet" }, doc.importances.method) : null, table("Importances", ["column", "importance", "#"], rows, { class: "bar-table" }), more];
}
