import { button, h, replace } from "../base/dom.js";
import { evidenceOf } from "../model/evidence.js";
import { counted, number, percent, thousands } from "../model/numbers.js";
import { thenWords } from "../model/rules.js";
import { barCell } from "./charts/bars.js";
import { classMark, lookOf, table } from "./charts/frame.js";
import { countWords, histogram, total } from "./charts/histogram.js";
import { quiet, section, sentence, shareWords, withheld } from "./parts.js";

const FEW_ROWS = 10;
const MOST_CLASSES = 10;

/** The prediction of a node with its interval, its rows, and a warning where these are few. */
export function headline(tree, node) {
  const rows = tree.rows[node];
  return h(
    "div",
    { class: "headline" },
    h("p", { class: "prediction" }, tree.nClasses ? classMark(tree.doc, tree.code(node)) : predicted(tree, node)),
    h("p", null, certainty(tree, node)),
    quiet(rows === null ? `Rows: ${withheld(tree.doc)}` : rowsOfAll(tree, node)),
    rows !== null && rows < FEW_ROWS && h("p", { class: "few-rows" }, `Only ${counted(rows, "row")}: too few to rely on.`),
  );
}

function isLinear(tree, node) {
  return tree.linear !== null && tree.isLeaf(node);
}

function predicted(tree, node) {
  if (isLinear(tree, node)) return sentence(thenWords(tree, node), "formula");
  return tree.mean(node) === null ? withheld(tree.doc) : number(tree.mean(node), 6);
}

function certainty(tree, node) {
  const interval = tree.json.weighted || isLinear(tree, node) ? null : tree.interval(node);
  if (!tree.nClasses) return interval && `95% interval of the mean: ${number(interval[0], 6)} to ${number(interval[1], 6)}`;
  const code = tree.code(node);
  const share = evidenceOf(tree, [node], code).share ?? tree.shares(node)?.[code] ?? null;
  return share === null ? `Share: ${withheld(tree.doc)}` : `${shareWords(share, interval)} of its rows`;
}

function rowsOfAll(tree, node) {
  const { share, weight } = tree.json.nodes;
  const part = share[node] === null ? "" : `, ${percent(share[node])} of all`;
  return `${counted(tree.rows[node], "row")}${part}${weight ? `; weight ${number(weight[node], 6)}` : ""}`;
}

/** The classes of a node's rows as bars, or its mean, deviation and targets; beside them those of the given rows. */
export function distribution(tree, node) {
  if (!tree.nClasses) return section("Target", numbers(tree, node), targets(tree, node));
  return section("Classes", classTable(tree, node), quiet(tree.json.smoothing && "Predicted probabilities are smoothed: they differ from these shares."));
}

/** The given rows by node, where they are other rows than those that the tree was fitted to. */
function others(tree) {
  const { given } = tree.doc;
  if (tree.index !== 0 || !given) return null;
  return given.are_training && given.nodes.rows[0] === tree.rows[0] ? null : given.nodes;
}

function classTable(tree, node) {
  const { byClass, rows } = evidenceOf(tree, [node]);
  const shares = byClass ?? tree.shares(node);
  if (shares === null) return quiet(`Classes: ${withheld(tree.doc)}.`);
  const given = others(tree)?.counts?.[node];
  const order = [...shares.keys()].filter((code) => shares[code] > 0 || given?.[code]).sort((one, other) => shares[other] - shares[one]);
  const box = h("div");
  const show = (most) => replace(box, classRows(tree, order.slice(0, most), shares, rows, given), order.length > most && button(`Show all ${order.length} classes`, () => show(order.length)));
  show(MOST_CLASSES);
  return box;
}

function classRows({ doc, json }, order, shares, rows, given) {
  const isCounted = rows !== null && !json.weighted;
  const all = given && total(given);
  const body = order.map((code) => {
    const share = shares[code];
    const first = [classMark(doc, code), barCell([{ share, ...lookOf(doc, code) }]), isCounted && thousands(Math.round(share * rows)), percent(share)];
    return given ? [...first, countWords(given[code]) + (given[code] === null || !all ? "" : ` (${percent(given[code] / all)})`)] : first;
  });
  const heads = ["class", "", isCounted ? "#rows" : "", "#share", `#${doc.given?.name}`];
  return table("Classes of the rows at this node", given ? heads : heads.slice(0, 4), body, "bar-table");
}

function numbers(tree, node) {
  const { doc } = tree;
  if (tree.mean(node) === null) return h("p", null, withheld(doc));
  const given = others(tree);
  const pairs = [["Mean", number(tree.mean(node), 6)], ["Standard deviation", number(tree.deviation(node), 4)]];
  if (given) pairs.push([`Mean of the ${doc.given.name}`, given.mean[node] === null ? withheld(doc) : `${number(given.mean[node], 6)} (${counted(given.rows[node], "row")})`]);
  return h("dl", { class: "pairs" }, pairs.map(([term, value]) => [h("dt", null, term), h("dd", null, value)]));
}

/** The targets of the given rows at the node, with their mean. */
function targets({ doc, index }, node) {
  const { targets: found, nodes, name } = doc.given ?? {};
  const counts = index === 0 && found?.nodes[node];
  if (!counts) return null;
  const tell = (value) => number(value, 4);
  const [at, step] = [nodes.mean[node], found.high / counts.length - found.low / counts.length];
  return histogram({ title: `Targets of the ${name}`, edges: [...counts.map((_, place) => found.low + place * step), found.high], bins: counts.map((one) => [one]), looks: [lookOf(doc)], cut: at === null ? null : { at, words: `mean ${tell(at)}` }, tell });
}
