import { button, h, name, replace } from "../base/dom.js";
import { number, thousands } from "../model/numbers.js";
import { amount } from "./charts/bars.js";
import { table, wide } from "./charts/frame.js";
import { capital, follow, label, quiet, section } from "./parts.js";

const MOST_IMPORTANT = 15;

/** The trees of a forest or a boosted model: which are in the page, and the one that stands for all. */
export const view = { id: "forest", title: "Forest", available: ({ forest }) => Boolean(forest), mount };

function mount(element, app) {
  const { forest, model, importances: found } = app.doc;
  const box = h("div");
  const here = [forest.oob !== null && h("p", null, `Out-of-bag score: ${number(forest.oob, 4)}.`), quiet(forest.note)];
  element.append(h("h2", null, `${thousands(model.n_trees)} trees`), h("div", { class: "two" }, h("div", null, section("What is here", here), section("One tree for all", distilled(app)), section("Trees", box)), h("div", null, section("Importances", found.values.length && importances(app.doc)))));
  follow(app, ["tree"], () => replace(box, treeTable(app)));
}

function distilled(app) {
  const { distilled: at, agreement } = app.doc.forest;
  if (at === null) return null;
  const { n_leaves: leaves, depth } = app.doc.trees[at].json;
  return [h("p", null, `${leaves} leaves, depth ${depth}. ${agreement} It explains the forest, and is not the forest.`), button("Show this tree", () => choose(app, at))];
}

function choose(app, index) {
  app.store.set({ tree: index, node: 0, step: 0, open: null, view: "tree" });
}

function treeTable(app) {
  const now = app.store.get("tree");
  const rows = app.doc.trees.map(({ title, json }, index) => [button(name(title), () => choose(app, index), { class: "link", "aria-current": index === now && "true" }), thousands(json.n_leaves), json.depth, index === now && "shown now"]);
  const caption = "Trees in this page";
  return wide(caption, table(caption, ["tree", "#leaves", "#depth", ""], rows), " tall");
}

function importances({ columns, importances: { columns: order, values, method } }) {
  const rows = order.slice(0, MOST_IMPORTANT).map((at, place) => [label(columns[at].name), amount(values[place], values[0]), number(values[place], 3)]);
  return [quiet(capital(method)), table("Importances", ["column", "importance", "#"], rows, "bar-table"), quiet(order.length > MOST_IMPORTANT && `The tab "Columns" has all ${order.length}.`)];
}
