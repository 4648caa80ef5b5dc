import { button, h, name, replace } from "../base/dom.js";
import { copy } from "../base/download.js";
import { flips } from "../model/flip.js";
import { number } from "../model/numbers.js";
import { predictRow } from "../model/predict.js";
import { hasModel } from "../model/linear.js";
import { makeControl } from "./tools/controls.js";
import { evidenceParts, predictedWords, shareBars, sharePairs, whichTree } from "./tools/outcome.js";
import { cellValue, cellWords, isGuessed, rowNow, usedColumns, valuesNow } from "./tools/row.js";

const MOST_FLIPS = 12;

/** A row to play with: its prediction, its path, and the smallest change that flips it. */
export const view = { id: "whatif", title: "What if", available: () => true, mount };

function mount(element, app) {
  element.classList.add("tool");
  const { store } = app;
  const about = h("div");
  const controls = h("div", { class: "sheet" });
  const result = h("div", { class: "sheet sticky" });
  const changes = h("div", { class: "sheet flips" });
  let shown = [];
  const make = () => {
    replace(about, whichTree(app));
    shown = usedColumns(app.tree()).map((column) => [column, makeControl(app.tree(), column, (value) => change(app, column, value))]);
    replace(controls, h("h2", { text: "Values" }), intro(app.tree()), shown.map(([, control]) => control.element), h("div", { class: "line-up" }, button("Reset to the middle values", () => store.set({ row: null }))));
    shown[0]?.[1].element.classList.add("first");
    show();
  };
  const show = () => {
    const values = valuesNow(app);
    for (const [column, control] of shown) control.show(values[column]);
    update(app, result, changes);
  };
  store.subscribe(["tree"], make);
  store.subscribe(["row"], show);
  make();
  element.append(about, h("div", { class: "what-if" }, controls, result, changes));
}

function intro(tree) {
  const columns = usedColumns(tree);
  if (!columns.length) return h("p", { class: "quiet", text: "The tree is one leaf: no value changes its prediction." });
  const guessed = columns.some((column) => isGuessed(tree, column)) ? " Categories start with a level of the larger branch: the most frequent one is not known." : "";
  return h("p", { class: "quiet", text: `Change a value and the prediction follows. Marks under a slider are the tree's thresholds. Numbers start in the middle of the training rows.${guessed}` });
}

function change(app, column, value) {
  app.store.set({ row: { ...valuesOfTree(app), [column]: value } });
}

/** Only the columns of the tree, so that links stay short. */
function valuesOfTree(app) {
  const values = valuesNow(app);
  return Object.fromEntries(usedColumns(app.tree()).map((column) => [column, values[column] ?? null]));
}

function update(app, result, changes) {
  const { row, refused } = rowNow(app);
  if (row === null) {
    replace(result, h("h2", { text: "No prediction" }), h("p", { class: "tool-warning" }, "The model refuses this row: ", name(refused), "."));
    replace(changes);
    changes.hidden = true;
    return;
  }
  const told = predictRow(app.tree(), row);
  app.store.set({ pathNodes: told.path });
  replace(result, resultParts(app, row, told));
  changes.hidden = false;
  replace(changes, flipParts(app, row));
}

function resultParts(app, row, told) {
  const { doc } = app;
  const tree = app.tree();
  const prediction = told.code ?? told.value;
  const modelled = hasModel(tree, told.node);
  const evidence = { rows: tree.rows[told.node], interval: modelled ? null : tree.interval(told.node), deviation: doc.classes === null && tree.rows[told.node] !== null ? tree.deviation(told.node) : null };
  const target = doc.model.target ? [" of ", name(doc.model.target)] : null;
  return [
    h("p", { class: "quiet" }, "Prediction", target),
    h("p", { class: "predicted", "aria-live": "polite" }, name(predictedWords(doc, prediction))),
    shareBars(doc, sharePairs(told.shares)),
    evidenceParts(doc, evidence, prediction),
    modelled ? h("p", { class: "quiet" }, name(tree.json.leaf_words[tree.leafNumber[told.node]])) : null,
    h("h3", { text: "Path" }),
    pathList(app, row, told.path),
    h("div", { class: "line-up" }, button("Show in the tree", () => app.reveal(told.node)), button("Copy as JSON", () => copyJson(app, row, told))),
  ];
}

function pathList(app, row, path) {
  const tree = app.tree();
  const steps = path.slice(1).map((node) => h("li", null, name(tree.edge(node)), h("small", null, here(tree, tree.split(tree.parent[node]), row))));
  const last = path[path.length - 1];
  if (!tree.isLeaf(last)) steps.push(h("li", null, "The row stops here", h("small", null, here(tree, tree.split(last), row))));
  return steps.length ? h("ol", { class: "path-list" }, steps) : h("p", { class: "quiet", text: "The tree asks nothing." });
}

/** The values that a split looks at, in words. */
function here(tree, split, row) {
  const columns = split.columns ?? [split.column];
  const told = columns.slice(0, 4).flatMap((column, at) => [at ? ", " : "", name(tree.doc.columns[column].name), " is ", name(cellWords(tree.doc.columns[column], row[column]))]);
  return ["here ", told, columns.length > 4 ? ` and ${columns.length - 4} more` : null];
}

async function copyJson(app, row, told) {
  const { doc } = app;
  const values = Object.fromEntries(usedColumns(app.tree()).map((column) => [doc.columns[column].name, cellValue(doc.columns[column], row[column])]));
  const label = (code) => doc.classes[code].value;
  const shares = told.shares === null ? {} : { probabilities: sharePairs(told.shares).map(([code, share]) => [label(code), share]) };
  const record = { values, prediction: told.code === null ? told.value : label(told.code), ...shares, node: told.node };
  if (await copy(`${JSON.stringify(record, null, 2)}\n`)) app.announce("Copied.");
}

function flipParts(app, row) {
  const { refused, records, best } = flips(app.tree(), row);
  const title = h("h2", { text: "What would change the prediction" });
  if (refused) return [title, h("p", { class: "quiet", text: refused })];
  if (best === null) return [title, h("p", { text: "No change of one column alone changes the prediction." })];
  const ordered = [best, ...records.filter((one) => one !== best)].slice(0, MOST_FLIPS);
  const head = h("tr", null, ["Change", "Prediction then", "Moves by", ""].map((text) => (text ? h("th", { scope: "col", text }) : h("td"))));
  const rest = records.length - ordered.length;
  return [title, h("p", { class: "quiet", text: "Changes of one column, all other values as they are. The first is the smallest." }), h("div", { class: "wide-table", tabindex: 0, role: "region", "aria-label": "Changes" }, h("table", null, h("thead", null, head), h("tbody", null, ordered.map((one) => flipRow(app, one, one === best))))), rest > 0 ? h("p", { class: "quiet", text: `and ${rest} more changes of levels` }) : null];
}

function flipRow(app, record, isBest) {
  const apply = () => change(app, record.column, record.value);
  return h("tr", { class: isBest ? "best" : null }, h("td", null, name(record.words)), h("td", null, name(predictedWords(app.doc, record.prediction))), h("td", null, movedWords(app.doc.columns[record.column], record)), h("td", null, button("Apply", apply, { "aria-label": `Apply ${record.words}` })));
}

function movedWords(column, { distance, spreads }) {
  if (distance === null) return null;
  if (column.kind === "ordinal") return distance === 1 ? "1 step" : `${distance} steps`;
  return [number(distance, 3), spreads === null ? null : h("small", { text: spreads < 0.001 ? "less than 0.001 standard deviations" : `${number(spreads, 2)} standard deviations` })];
}
