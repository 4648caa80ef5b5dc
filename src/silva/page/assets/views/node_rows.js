import { button, h, replace } from "../base/dom.js";
import { evidenceOf } from "../model/evidence.js";
import { counted, number, percent, thousands } from "../model/numbers.js";
import { thenWords } from "../model/rules.js";
import { barCell } from "./charts/bars.js";
import { swatch, table } from "./charts/frame.js";
import { className, patternOf, section, sentence, shareWords, withheld } from "./parts.js";

const FEW_ROWS = 10;
const MOST_CLASSES = 10;

/** The prediction of a node with its interval, its rows, and a warning where these are few. */
export function headline(tree, node) {
  const { doc } = tree;
  const rows = tree.rows[node];
  const isClass = tree.nClasses > 0;
  const accent = isClass ? swatch(doc.classes[tree.code(node)].colour, patternOf(doc, tree.code(node))) : null;
  return h(
    "div",
    { class: "headline" },
    h("p", { class: "prediction" }, accent, isClass ? className(doc, tree.code(node)) : predicted(tree, node)),
    h("p", null, certainty(tree, node)),
    h("p", { class: "quiet" }, rows === null ? `Rows: ${withheld(doc)}` : rowsOfAll(tree, node)),
    rows !== null && rows < FEW_ROWS ? h("p", { class: "few-rows" }, `Only ${counted(rows, "row")}: too few to rely on.`) : null,
  );
}

function predicted(tree, node) {
  if (tree.linear !== null && tree.isLeaf(node)) return sentence(thenWords(tree, node), "formula");
  return tree.mean(node) === null ? withheld(tree.doc) : number(tree.mean(node), 6);
}

function certainty(tree, node) {
  const hasNone = tree.json.weighted || (tree.linear !== null && tree.isLeaf(node));
  const interval = hasNone ? null : tree.interval(node);
  if (tree.nClasses) return classCertainty(tree, node, interval);
  if (!interval) return "";
  return `95% interval of the mean: ${number(interval[0], 6)} to ${number(interval[1], 6)}`;
}

function classCertainty(tree, node, interval) {
  const known = evidenceOf(tree, [node], tree.code(node));
  const share = known.share ?? tree.shares(node)?.[tree.code(node)] ?? null;
  return share === null ? `Share: ${withheld(tree.doc)}` : `${shareWords(share, interval)} of its rows`;
}

function rowsOfAll(tree, node) {
  const { share, weight } = tree.json.nodes;
  const part = share[node] === null ? "" : `, ${percent(share[node])} of all`;
  return `${counted(tree.rows[node], "row")}${part}${weight ? `; weight ${number(weight[node], 6)}` : ""}`;
}

/** The classes of a node's rows as bars, or its mean and deviation; beside them those of the given rows. */
export function distribution(tree, node) {
  return tree.nClasses ? section("Classes", classTable(tree, node), smoothing(tree)) : section("Target", numbers(tree, node));
}

function smoothing(tree) {
  return tree.json.smoothing ? h("p", { class: "quiet" }, "Predicted probabilities are smoothed: they differ from these shares.") : null;
}

/** The given rows by node, where they are other rows than those that the tree was fitted to. */
function others(tree) {
  const { given } = tree.doc;
  if (tree.index !== 0 || !given?.nodes) return null;
  return given.are_training && given.nodes.rows[0] === tree.rows[0] ? null : given.nodes;
}

function classTable(tree, node) {
  const { byClass, rows } = evidenceOf(tree, [node]);
  const shares = byClass ?? tree.shares(node);
  if (shares === null) return h("p", { class: "quiet" }, `Classes: ${withheld(tree.doc)}.`);
  const given = others(tree)?.counts?.[node] ?? null;
  const order = Array.from(shares.keys()).filter((code) => shares[code] > 0 || given?.[code]);
  order.sort((one, other) => shares[other] - shares[one]);
  const box = h("div");
  const show = (most) => replace(box, classRows(tree, order.slice(0, most), shares, rows, given), order.length > most ? button(`Show all ${order.length} classes`, () => show(order.length)) : null);
  show(MOST_CLASSES);
  return box;
}

function classRows(tree, order, shares, rows, given) {
  const { doc, json } = tree;
  const total = given ? given.reduce((sum, one) => sum + (one ?? 0), 0) : 0;
  const isCounted = rows !== null && !json.weighted;
  const body = order.map((code) => {
    const { colour } = doc.classes[code];
    const pattern = patternOf(doc, code);
    const first = [h("span", { class: "class-name" }, swatch(colour, pattern), className(doc, code)), barCell([{ share: shares[code], colour, pattern }]), isCounted ? thousands(Math.round(shares[code] * rows)) : null, percent(shares[code])];
    return given ? [...first, given[code] === null ? "–" : `${thousands(given[code])} (${total ? percent(given[code] / total) : "–"})`] : first;
  });
  const heads = ["class", "", isCounted ? "#rows" : "", "#share", ...(given ? [`#${doc.given.name}`] : [])];
  return table("Classes of the rows at this node", heads, body, { class: "bar-table" });
}

function numbers(tree, node) {
  const { doc } = tree;
  if (tree.mean(node) === null) return h("p", null, withheld(doc));
  const given = others(tree);
  const pairs = [["Mean", number(tree.mean(node), 6)], ["Standard deviation", number(tree.deviation(node), 4)]];
  if (given?.mean) pairs.push([`Mean of the ${doc.given.name}`, given.mean[node] === null ? withheld(doc) : `${number(given.mean[node], 6)} (${counted(given.rows[node], "row")})`]);
  return h("dl", { class: "pairs" }, pairs.map(([term, value]) => [h("dt", null, term), h("dd", null, value)]));
}
