import { h, name } from "../base/dom.js";
import { STOP, columnsOf, isJoint } from "../model/conditions.js";
import { counted, number, percent, thousands } from "../model/numbers.js";
import { number as decoded } from "../model/tree.js";
import { quantity } from "../model/words.js";
import { barCell } from "./charts/bars.js";
import { asTable, figure, swatch, table } from "./charts/frame.js";
import { histogram } from "./charts/histogram.js";
import { label, nodeButton, patternOf, rowsWords, section, sentence, short, withheld } from "./parts.js";

const REASONS = {
  learn: "learned from the training rows",
  majority: "the larger branch",
  own_branch: "a branch of their own",
};

/** The question of an inner node: exact words, where every value goes, gain, what the given rows show. */
export function splitPart(app, tree, node, isEnd) {
  const split = tree.split(node);
  return [
    section(isEnd ? "Question (pruned away)" : "Question", question(tree, node), branches(app, tree, node), others(app, tree, node, split), h("p", { class: "quiet" }, gain(tree, node))),
    section("Values of the column", values(tree, node, split)),
    section("Competing questions", competing(tree, node)),
  ];
}

function gain(tree, node) {
  const what = tree.nClasses ? "how much purer the branches are than the node" : "how much closer rows are to the means of the branches";
  const value = decoded(tree.json.nodes.gain[node]);
  return value === null ? `Gain: ${withheld(tree.doc)}.` : `Gain ${short(value)}: ${what}.`;
}

function question(tree, node) {
  const words = tree.card(node)?.question || columnsOf(tree.split(node)).map((one) => tree.doc.columns[one].name).join(", ");
  return h("p", { class: "node-question" }, sentence(words));
}

function branches(app, tree, node) {
  const { doc } = tree;
  const whole = tree.rows[node];
  const rows = tree.children(node).map((child) => {
    const part = whole && tree.rows[child] !== null ? ` (${percent(tree.rows[child] / whole)})` : "";
    return [sentence(tree.edge(child)), `${rowsWords(doc, tree.rows[child])}${part}`, nodeButton(app, child)];
  });
  return table("Branches", ["branch", "#rows", "to"], rows, { class: "branches" });
}

function others(app, tree, node, split) {
  const column = isJoint(split) ? null : tree.doc.columns[split.column];
  const policy = (kind) => (column ? column[kind] : tree.doc.columns[split.columns[0]][kind]);
  const found = [h("li", null, "Missing values ", destination(app, tree, node, split.missing, policy("missing")), ".")];
  if (column && column.kind !== "continuous") found.push(h("li", null, "Values that training never saw ", destination(app, tree, node, split.unseen, policy("unseen")), "."));
  return h("ul", { class: "others" }, found);
}

function destination(app, tree, node, child, policy) {
  if (policy === "error") return "are refused";
  if (child === STOP) return "stay here and get this node's prediction";
  const to = tree.child(node, child);
  const why = REASONS[policy === "learn" && child === tree.json.nodes.larger[node] ? "majority" : policy];
  return ["go to ", nodeButton(app, to), why ? ` (${why})` : null];
}

/** The given rows by the values of the column, where the page has them. */
function values(tree, node, split) {
  const { given } = tree.doc;
  if (tree.index !== 0) return null;
  if (!given) return h("p", { class: "quiet" }, "No rows are in this page. Give X and y to silva.report to see the values at each node.");
  const found = given.histograms?.[node];
  if (!found) return h("p", { class: "quiet" }, isJoint(split) ? "The question takes several columns." : noValues(tree.doc));
  const column = tree.doc.columns[split.column];
  const drawn = found.levels ? levelBars(tree, node, column, found) : numberBars(tree, node, column, found);
  return [h("p", null, name(column.name), ` of the ${given.name} at this node`), drawn, legend(tree), h("p", { class: "quiet" }, missingWords(found))];
}

function noValues(doc) {
  return `Not in this page: it keeps the values of the nodes with the most rows${doc.min_cell ? ", and withholds small counts" : ""}.`;
}

function missingWords({ missing, unseen, others }) {
  const told = [[missing, "missing values"], [unseen, "values that training never saw"], [others, "rarer levels"]].filter(([count]) => count !== undefined && count !== 0);
  if (!told.length) return "No missing values.";
  return `Not drawn: ${told.map(([count, what]) => (count === null ? `${what} (number withheld)` : `${counted(count, "row")} with ${what}`)).join(", ")}.`;
}

/** How the parts of a bin look and what they are called. */
function looksOf(doc) {
  if (!doc.classes) return [{ colour: "target", pattern: 0, text: "rows" }];
  return doc.classes.map((one, code) => ({ colour: one.colour, pattern: patternOf(doc, code), text: one.text }));
}

function partsOf(bin) {
  return Array.isArray(bin) ? bin : [bin];
}

function total(bin) {
  return partsOf(bin).reduce((sum, one) => sum + (one ?? 0), 0);
}

function legend({ doc }) {
  if (!doc.classes || doc.classes.length > 12) return null;
  return h("p", { class: "class-legend", "aria-hidden": "true" }, looksOf(doc).map((one) => h("span", { class: "class-name" }, swatch(one.colour, one.pattern), label(one.text))));
}

function numberBars(tree, node, column, found) {
  const split = tree.split(node);
  const told = found.words ? new Map(found.edges.map((edge, at) => [edge, found.words[at]])) : null;
  const tell = (value) => told?.get(value) ?? (column.time ? quantity(column, value) : number(value, 4));
  const cut = found.cut === null || found.cut === undefined ? null : { at: found.cut, words: `${tree.json.time_words?.[node] ?? quantity(column, split.threshold)}`, below: `◀ node ${tree.child(node, 0)}`, above: `node ${tree.child(node, 1)} ▶` };
  const chart = { title: `Values of ${column.name}`, edges: found.edges, bins: found.bins.map(partsOf), looks: looksOf(tree.doc), cut, tell, isTime: Boolean(column.time) };
  const rows = found.bins.map((bin, at) => [`${tell(found.edges[at])} to ${tell(found.edges[at + 1])}`, ...partsOf(bin).map(countCell)]);
  const heads = ["values", ...looksOf(tree.doc).map((one) => `#${one.text}`)];
  return figure((width) => histogram(chart, width), asTable("Rows by value", heads, rows));
}

function countCell(count) {
  return count === null ? "–" : thousands(count);
}

/** The child that takes a level: its place among the children, as the words of its edge. */
function sideOf(split, code) {
  if (split.kind === "threshold") return code < split.threshold ? 0 : 1;
  const at = split.codes.indexOf(code);
  if (split.kind === "multiway") return at >= 0 ? at : split.unseen;
  if (at >= 0) return 1;
  return split.rest.length === 0 || split.rest.includes(code) ? 0 : split.unseen;
}

function levelBars(tree, node, column, found) {
  const split = tree.split(node);
  const looks = looksOf(tree.doc);
  const most = Math.max(1, ...found.bins.map(total));
  const body = found.levels.map((code, at) => {
    const parts = partsOf(found.bins[at]).map((count, place) => ({ share: count ?? 0, ...looks[place], full: `${looks[place].text}: ${countCell(count)}` }));
    const side = sideOf(split, code);
    return [label(column.levels?.[code]?.text ?? String(code)), barCell(parts, most), countCell(total(found.bins[at])), side === STOP ? "stays here" : `node ${tree.child(node, side)}`];
  });
  return table(`Rows by level of ${column.name}`, ["level", "", "#rows", "goes to"], body, { class: "bar-table" });
}

function competing(tree, node) {
  const found = tree.index === 0 ? tree.doc.given?.competing?.[node] : null;
  if (!found?.length) return null;
  const rows = found.map((one) => [sentence(one.question), short(one.gain), one.current ? h("strong", null, "used") : ""]);
  return table("Competing questions", ["question", "#gain", ""], rows, { class: "competing" });
}
