import { h, name } from "../base/dom.js";
import { STOP, columnsOf, isJoint } from "../model/conditions.js";
import { counted, number, percent } from "../model/numbers.js";
import { placeOfValue } from "../model/router.js";
import { decoded } from "../model/tree.js";
import { quantity } from "../model/words.js";
import { barCell } from "./charts/bars.js";
import { classMark, lookOf, table } from "./charts/frame.js";
import { countWords, histogram, total } from "./charts/histogram.js";
import { POLICIES, label, nodeButton, quiet, rowsWords, section, sentence, short, withheld } from "./parts.js";

const MOST_NAMED = 12;

/** The question of an inner node: exact words, where every value goes, gain, what the given rows show. */
export function splitPart(app, tree, node, isEnd) {
  return [
    section(isEnd ? "Question (pruned away)" : "Question", question(tree, node), branches(app, tree, node), others(app, tree, node), quiet(gain(tree, node))),
    section("Values of the column", tree.index === 0 && values(tree, node)),
    section("Competing questions", competing(tree, node)),
  ];
}

function gain(tree, node) {
  const value = decoded(tree.json.nodes.gain[node]);
  if (value === null) return `Gain: ${withheld(tree.doc)}.`;
  return `Gain ${short(value)}: how much ${tree.nClasses ? "purer the branches are than the node" : "closer rows are to the means of the branches"}.`;
}

function question(tree, node) {
  const words = tree.card(node)?.question || columnsOf(tree.split(node)).map((one) => tree.doc.columns[one].name).join(", ");
  return h("p", { class: "strong" }, sentence(words));
}

function branches(app, tree, node) {
  const whole = tree.rows[node];
  const rows = tree.children(node).map((child) => {
    const count = tree.rows[child];
    return [sentence(tree.edge(child)), rowsWords(tree.doc, count) + (whole && count !== null ? ` (${percent(count / whole)})` : ""), nodeButton(app, child)];
  });
  return table("Branches", ["branch", "#rows", "to"], rows, "branches");
}

function others(app, tree, node) {
  const split = tree.split(node);
  const column = tree.doc.columns[columnsOf(split)[0]];
  const told = (what, kind) => h("li", null, what, destination(app, tree, node, split[kind], column[kind]), ".");
  return h("ul", { class: "others" }, told("Missing values ", "missing"), !isJoint(split) && column.kind !== "continuous" && told("Values that training never saw ", "unseen"));
}

function destination(app, tree, node, child, policy) {
  if (policy === "error") return "are refused";
  if (child === STOP) return "stay here and get this node's prediction";
  return ["go to ", nodeButton(app, tree.child(node, child)), ` (${POLICIES[policy === "learn" && child === tree.json.nodes.larger[node] ? "majority" : policy]})`];
}

/** The given rows by the values of the column, where the page has them. */
function values(tree, node) {
  const { given, columns, classes, min_cell: limit } = tree.doc;
  const split = tree.split(node);
  if (!given) return quiet("No rows are in this page. Give X and y to silva.report to see the values at each node.");
  if (isJoint(split)) return quiet("The question takes several columns.");
  const found = given.histograms[node];
  if (!found) return quiet(`Not in this page: it keeps the values of the nodes with the most rows${limit ? ", and withholds small counts" : ""}.`);
  const column = columns[split.column];
  const bins = found.bins.map((one) => (classes ? one : [one]));
  const looks = (classes ?? [0]).map((_, code) => lookOf(tree.doc, code));
  const legend = classes?.length <= MOST_NAMED && h("p", { class: "class-legend", "aria-hidden": "true" }, classes.map((_, code) => classMark(tree.doc, code)));
  return [h("p", null, name(column.name), ` of the ${given.name} at this node`), (found.levels ? levelBars : numberBars)(tree, node, column, found, bins, looks), legend, quiet(missingWords(found))];
}

function missingWords({ missing, unseen, others }) {
  const told = [[missing, "missing values"], [unseen, "values that training never saw"], [others, "rarer levels"]].filter(([count]) => count || count === null);
  if (!told.length) return "No missing values.";
  return `Not drawn: ${told.map(([count, what]) => (count === null ? `${what} (number withheld)` : `${counted(count, "row")} with ${what}`)).join(", ")}.`;
}

function numberBars(tree, node, column, { edges, words, cut }, bins, looks) {
  const tell = (value) => words?.[edges.indexOf(value)] ?? number(value, 4);
  const mark = cut === null ? null : { at: cut, words: quantity(column, tree.split(node).threshold), below: `◀ node ${tree.child(node, 0)}`, above: `node ${tree.child(node, 1)} ▶` };
  return histogram({ title: `Values of ${column.name}`, edges, bins, looks, cut: mark, tell, isTime: column.time });
}

function levelBars(tree, node, column, { levels }, bins, looks) {
  const most = Math.max(1, ...bins.map(total));
  const body = levels.map((code, at) => {
    const parts = bins[at].map((count, place) => ({ share: count, ...looks[place], full: `${looks[place].text}: ${countWords(count)}` }));
    const side = placeOfValue(tree.split(node), column, code);
    return [label(column.levels?.[code]?.text ?? String(code)), barCell(parts, most), countWords(total(bins[at])), side === STOP ? "stays here" : `node ${tree.child(node, side)}`];
  });
  return table(`Rows by level of ${column.name}`, ["level", "", "#rows", "goes to"], body, "bar-table");
}

function competing(tree, node) {
  const found = tree.index === 0 && tree.doc.given?.competing[node];
  return found && table("Competing questions", ["question", "#gain", ""], found.map((one) => [sentence(one.question), short(one.gain), one.current && h("strong", null, "used")]), "competing");
}
