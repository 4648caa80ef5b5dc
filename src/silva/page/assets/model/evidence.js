/** The training rows behind a prediction: how many, what they say, how sure that is. */

import { exactDeviation, exactMean } from "./exact.js";
import { ascending } from "./numbers.js";
import { studentQuantile } from "./student.js";

const NORMAL_QUANTILE = 1.959963984540054;

/** The nodes without those that lie below another of them, ascending. */
function topmost(tree, nodes) {
  const found = [];
  for (const node of ascending(nodes)) {
    if (!found.length || tree.end[found.at(-1)] <= node) found.push(node);
  }
  return found;
}

/** The training rows of these nodes together; null where the page withholds some of them. */
export function rowsOf(tree, nodes) {
  let total = 0;
  for (const node of topmost(tree, nodes)) {
    if (tree.rows[node] === null) return null;
    total += tree.rows[node];
  }
  return total;
}

/**
 * The training rows at or below these nodes; `predicted` is a class code, for the interval.
 *
 * `byClass` has the share of each class by weight, `share` that of the predicted class; regression
 * has `mean` and `deviation`. What the page withholds is null.
 */
export function evidenceOf(tree, nodes, predicted = null) {
  const rows = rowsOf(tree, nodes);
  const found = { rows, byClass: null, mean: null, deviation: null, interval: null };
  if (rows === null) return found;
  return Object.assign(found, tree.nClasses ? ofClasses(tree, nodes, rows, predicted) : ofNumbers(tree, nodes, rows));
}

function ofClasses(tree, nodes, rows, predicted) {
  const byClass = sharesOf(tree, nodes);
  if (byClass === null || predicted === null) return { byClass };
  const share = byClass[predicted];
  return { byClass, share, interval: wilson(share * rows, rows) };
}

/** The share of each class; where leaves tell nothing, what the page says of the node, if it is one. */
function sharesOf(tree, nodes) {
  const { stats, smoothing } = tree.json;
  if (!stats) return nodes.length > 1 || smoothing !== null ? null : tree.shares(nodes[0]);
  const byClass = new Float64Array(tree.nClasses);
  for (const leaf of leavesBelow(tree, nodes)) {
    for (let at = stats.start[leaf]; at < stats.start[leaf + 1]; at++) byClass[stats.code[at]] += stats.weight[at];
  }
  const total = byClass.reduce((sum, one) => sum + one, 0);
  return byClass.map((one) => one / total);
}

/** The numbers of the leaves at or below any of the nodes, ascending. */
function leavesBelow(tree, nodes) {
  const found = [];
  for (const node of topmost(tree, nodes)) {
    for (let leaf = tree.leafNumber[node]; leaf < tree.leafNumber[tree.end[node]]; leaf++) found.push(leaf);
  }
  return found;
}

/** Wilson's 95% interval of a share. */
function wilson(successes, rows) {
  const z = NORMAL_QUANTILE;
  const known = Math.max(rows, 1);
  const share = successes / known;
  const spread = 1 + (z * z) / known;
  const center = (share + (z * z) / (2 * known)) / spread;
  const half = (z * Math.sqrt((share * (1 - share)) / known + (z * z) / (4 * known * known))) / spread;
  return [successes > 0 ? Math.max(center - half, 0) : 0, successes < rows ? Math.min(center + half, 1) : 1];
}

function ofNumbers(tree, nodes, rows) {
  const [node] = nodes;
  const { stats } = tree.json;
  if (nodes.length === 1) return { mean: tree.mean(node), deviation: tree.deviation(node), interval: tree.interval(node) };
  if (!stats) return {};
  const leaves = leavesBelow(tree, nodes);
  const [weight, total, squares] = ["weight", "sum", "sum_of_squares"].map((name) => leaves.reduce((sum, leaf) => sum + BigInt(stats[name][leaf]), 0n));
  const mean = exactMean(total, weight, stats.center, stats.target_unit);
  const deviation = exactDeviation(total, squares, weight, stats.target_unit);
  return { mean, deviation, interval: student(mean, deviation, rows) };
}

/** Student's 95% interval of a mean; null if one row is all. */
function student(mean, deviation, rows) {
  if (rows < 2) return null;
  const half = (studentQuantile(rows - 1) * deviation) / Math.sqrt(rows - 1);
  return [mean - half, mean + half];
}
