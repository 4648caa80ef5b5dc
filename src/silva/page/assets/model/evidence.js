/** The training rows behind a prediction: how many, what they say, how sure that is. */

import { exactDeviation, exactMean } from "./exact.js";
import { ascending } from "./numbers.js";
import { studentQuantile } from "./student.js";

const NORMAL_QUANTILE = 1.959963984540054;
const ranges = new WeakMap();

/** The numbers of leaves below nodes: those of node i are before[i] to before[end[i]]. */
function leavesBefore(tree) {
  if (!ranges.has(tree)) {
    const before = new Int32Array(tree.n + 1);
    for (let node = 0; node < tree.n; node++) before[node + 1] = before[node] + (tree.isLeaf(node) ? 1 : 0);
    ranges.set(tree, before);
  }
  return ranges.get(tree);
}

/** The numbers of the leaves at or below any of the nodes, ascending. */
export function leavesBelow(tree, nodes) {
  const before = leavesBefore(tree);
  const found = [];
  for (const node of ascending(nodes)) {
    for (let leaf = before[node]; leaf < before[tree.end[node]]; leaf++) if (!(found.at(-1) >= leaf)) found.push(leaf);
  }
  return found;
}

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
  if (rows === null || !tree.json.stats) return withheld(tree, nodes, rows, predicted);
  const leaves = leavesBelow(tree, nodes);
  return tree.nClasses ? ofClasses(tree, leaves, rows, predicted) : ofNumbers(tree, nodes, leaves, rows);
}

/** Where leaves tell nothing: what the page says of the node, if it is one. */
function withheld(tree, nodes, rows, predicted) {
  const found = { rows, byClass: null, mean: null, deviation: null, interval: null };
  if (rows === null || nodes.length > 1) return found;
  const [node] = nodes;
  if (!tree.nClasses) return { ...found, mean: tree.mean(node), deviation: tree.deviation(node), interval: tree.interval(node) };
  const byClass = tree.json.smoothing === null ? tree.shares(node) : null;
  if (byClass === null || predicted === null) return { ...found, byClass };
  return { ...found, byClass, share: byClass[predicted], interval: wilson(byClass[predicted] * rows, rows) };
}

function ofClasses(tree, leaves, rows, predicted) {
  const { start, code, weight } = tree.json.stats;
  const byClass = new Float64Array(tree.nClasses);
  for (const leaf of leaves) {
    for (let at = start[leaf]; at < start[leaf + 1]; at++) byClass[code[at]] += weight[at];
  }
  const total = byClass.reduce((sum, one) => sum + one, 0);
  byClass.forEach((one, at) => (byClass[at] = one / total));
  const found = { rows, byClass, mean: null, deviation: null, interval: null };
  if (predicted === null) return found;
  const share = byClass[predicted];
  return { ...found, share, interval: wilson(share * rows, rows) };
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

function ofNumbers(tree, nodes, leaves, rows) {
  const { center, target_unit: unit, value } = tree.json.stats;
  if (nodes.length === 1) {
    const [node] = nodes;
    return { rows, byClass: null, mean: tree.mean(node), deviation: tree.deviation(node), interval: tree.interval(node) };
  }
  const [weight, total, squares] = sums(tree.json.stats, leaves);
  const mean = leaves.length === 1 ? value[leaves[0]] : exactMean(total, weight, center, unit);
  const deviation = exactDeviation(total, squares, weight, unit);
  return { rows, byClass: null, mean, deviation, interval: student(mean, deviation, rows) };
}

function sums(stats, leaves) {
  return ["weight", "sum", "sum_of_squares"].map((name) => leaves.reduce((sum, leaf) => sum + BigInt(stats[name][leaf]), 0n));
}

/** Student's 95% interval of a mean; null if one row is all. */
function student(mean, deviation, rows) {
  if (rows < 2) return null;
  const half = (studentQuantile(rows - 1) * deviation) / Math.sqrt(rows - 1);
  return [mean - half, mean + half];
}
