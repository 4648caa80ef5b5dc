import { button, h, name, replace } from "../base/dom.js";
import { copy } from "../base/download.js";
import { evidenceOf } from "../model/evidence.js";
import { flips } from "../model/flip.js";
import { hasModel } from "../model/linear.js";
import { number } from "../model/numbers.js";
import { classShares } from "../model/outcome.js";
import { predictRow } from "../model/predict.js";
import { wide } from "./charts/frame.js";
import { makeControl } from "./tools/controls.js";
import { predictedWords, predictionParts, warning, whichTree } from "./tools/outcome.js";
import { lineUp, quiet } from "./tools/parts.js";
import { cellValue, isGuessed, rowNow, setValues, usedColumns, valuesNow, valueWords } from "./tools/row.js";

const MOST_FLIPS = 12;
const MOST_VALUES = 4;

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
    const tree = app.tree();
    replace(about, whichTree(app));
    shown = usedColumns(tree).map((column) => [column, makeControl(tree, column, (value) => setValues(app, { [column]: value }))]);
    replace(controls, h("h2", { text: "Values" }), intro(tree), shown.map(([, control]) => control.element), lineUp(button("Reset to the middle values", () => store.set({ row: null }))));
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
  if (!columns.length) return quiet("The tree is one leaf: no value changes its prediction.");
  const guessed = columns.some((column) => isGuessed(tree, column)) ? " Categories start with a level of the larger branch: the most frequent one is not known." : "";
  return quiet(`Change a value and the prediction follows. Marks under a slider are the tree's thresholds. Numbers start in the middle of the training rows.${guessed}`);
}

function update(app, result, changes) {
  const { row, refused } = rowNow(app);
  changes.hidden = row === null;
  if (row === null) return void replace(result, h("h2", { text: "No prediction" }), warning("The model refuses this row: ", name(refused), "."));
  const told = predictRow(app.tree(), row);
  app.store.set({ pathNodes: told.path });
  replace(result, resultParts(app, row, told));
  replace(changes, h("h2", { text: "What would change the prediction" }), flipParts(app, row));
}

function resultParts(app, row, told) {
  const tree = app.tree();
  const shares = classShares(told.shares ?? []);
  const evidence = evidenceOf(tree, [told.node], told.code);
  const model = hasModel(tree, told.node) ? quiet(name(tree.json.leaf_words[tree.leafNumber[told.node]])) : null;
  return [
    predictionParts(app.doc, told.code ?? told.value, shares, model ? { ...evidence, interval: null } : evidence),
    model,
    h("h3", { text: "Path" }),
    pathList(tree, row, told.path),
    lineUp(button("Show in the tree", () => app.reveal(told.node)), button("Copy as JSON", () => copyJson(app, row, told, shares))),
  ];
}

function pathList(tree, row, path) {
  const steps = path.map((node, at) => {
    const split = tree.split(node);
    if (split === null) return null;
    const next = path[at + 1];
    return h("li", null, next === undefined ? "The row stops here" : name(tree.edge(next)), h("small", null, "here ", valueWords(tree.doc, split.columns ?? [split.column], row, MOST_VALUES)));
  });
  return tree.isLeaf(0) ? quiet("The tree asks nothing.") : h("ol", { class: "path-list" }, steps);
}

async function copyJson(app, row, { code, value, node }, shares) {
  const { classes, columns } = app.doc;
  const values = Object.fromEntries(usedColumns(app.tree()).map((column) => [columns[column].name, cellValue(columns[column], row[column])]));
  const probabilities = shares.length ? shares.map(([one, share]) => [classes[one].value, share]) : undefined;
  const record = { values, prediction: code === null ? value : classes[code].value, probabilities, node };
  if (await copy(`${JSON.stringify(record, null, 2)}\n`)) app.announce("Copied.");
}

function flipParts(app, row) {
  const { refused, records, best } = flips(app.tree(), row);
  if (refused) return quiet(refused);
  if (best === null) return h("p", { text: "No change of one column alone changes the prediction." });
  const ordered = [best, ...records.filter((one) => one !== best)].slice(0, MOST_FLIPS);
  const rest = records.length - ordered.length;
  const head = h("tr", null, ["Change", "Prediction then", "Moves by"].map((text) => h("th", { scope: "col", text })), h("td"));
  const table = h("table", null, h("thead", null, head), h("tbody", null, ordered.map((one) => flipRow(app, one, one === best))));
  return [quiet("Changes of one column, all other values as they are. The first is the smallest."), wide("Changes", table), rest ? quiet(`and ${rest} more changes of levels`) : null];
}

function flipRow(app, record, isBest) {
  const { column, value, words } = record;
  const apply = button("Apply", () => setValues(app, { [column]: value }), { "aria-label": `Apply ${words}` });
  const cells = [name(words), name(predictedWords(app.doc, record.prediction)), movedWords(app.doc.columns[column], record), apply];
  return h("tr", { class: isBest ? "best" : null }, cells.map((one) => h("td", null, one)));
}

function movedWords(column, { distance, spreads }) {
  if (distance === null) return null;
  if (column.kind === "ordinal") return distance === 1 ? "1 step" : `${distance} steps`;
  return [number(distance, 3), spreads === null ? null : h("small", { text: spreads < 0.001 ? "less than 0.001 standard deviations" : `${number(spreads, 2)} standard deviation${number(spreads, 2) === "1" ? "" : "s"}` })];
}
