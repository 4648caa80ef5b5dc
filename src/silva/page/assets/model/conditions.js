/**
 * What a row must be like to take a branch: exact sets of values, one for each column.
 *
 * An interval holds known values with low <= value < high (null: no limit) if `known`, and missing
 * values if `missing`. Levels hold codes, and missing or unseen values. A joint holds outcomes of a
 * split of several columns: its number is below the threshold, at least it, or missing.
 */

import { ascending } from "./numbers.js";

/** Stands for the child of rows that end at the node of a split. */
export const STOP = -1;

/** Whether a split takes several columns. */
export function isJoint(split) {
  return split !== null && (split.kind === "oblique" || split.kind === "distance");
}

/** The columns that a split asks about, each once. */
export function columnsOf(split) {
  return isJoint(split) ? [...new Set(split.columns)] : [split.column];
}

/** How many children a split has for known values. */
export function knownChildren(split) {
  return split.kind === "multiway" ? split.codes.length : 2;
}

/** Whether missing values have a child of their own, the last one. */
export function hasOwnBranch(split) {
  return split.missing === knownChildren(split);
}

export function interval(column, low = null, high = null, known = true, missing = true) {
  return { kind: "interval", column, low, high, known, missing };
}

export function levelSet(column, codes, missing = true, unseen = true) {
  return { kind: "levels", column, codes, missing, unseen };
}

const questions = new WeakMap();

/** Equal for splits that ask the same of several columns, wherever they send missing values. */
function questionOf(split) {
  if (!questions.has(split)) {
    const { kind, metric, columns, codes, weights, center, scale, matrix, threshold } = split;
    questions.set(split, [kind, metric, columns, codes, weights, center, scale, matrix, threshold].join("|"));
  }
  return questions.get(split);
}

/** What a condition is about: a column, or a question about several. */
function keyOf(condition) {
  return condition.kind === "joint" ? questionOf(condition.split) : condition.column;
}

/** The rows that a split sends to this child, or with STOP those that end at its node. */
function taken(split, child, columns) {
  return bindable(takenOfAll(split, child, columns), columns);
}

function takenOfAll(split, child, columns) {
  const missing = split.missing === child;
  if (isJoint(split)) return { kind: "joint", split, below: child === 0, above: child === 1, missing };
  const column = columns[split.column];
  if (column.kind === "continuous") return side(split, child, missing);
  const codes = new Set();
  childrenOfCodes(split, column.n_levels).forEach((taker, code) => taker === child && codes.add(code));
  return levelSet(split.column, codes, missing, split.unseen === child);
}

function side(split, child, missing) {
  const { column, threshold } = split;
  const none = interval(column, null, null, false, missing);
  if (child === 0) return threshold === -Infinity ? none : interval(column, null, threshold, true, missing);
  if (child !== 1) return none;
  return interval(column, threshold === -Infinity ? null : threshold, null, true, missing);
}

const takers = new WeakMap();

/** The child of each known code. */
function childrenOfCodes(split, count) {
  if (!takers.has(split)) takers.set(split, takersOf(split, count));
  return takers.get(split);
}

function takersOf(split, count) {
  if (split.kind === "threshold") return Array.from({ length: count }, (_, code) => (code < split.threshold ? 0 : 1));
  const isListed = split.kind === "multiway" || split.rest.length > 0;
  const found = new Array(count).fill(isListed ? split.unseen : 0);
  if (split.kind === "subset") for (const code of split.rest) found[code] = 0;
  split.codes.forEach((code, place) => (found[code] = split.kind === "subset" ? 1 : place));
  return found;
}

/** The rows that satisfy both conditions, which are about the same. */
export function meet(one, other) {
  const missing = one.missing && other.missing;
  if (one.kind === "interval") return both(one, other, missing);
  if (one.kind === "joint") return { ...one, below: one.below && other.below, above: one.above && other.above, missing };
  const [few, many] = one.codes.size <= other.codes.size ? [one.codes, other.codes] : [other.codes, one.codes];
  const codes = new Set();
  for (const code of few) if (many.has(code)) codes.add(code);
  return levelSet(one.column, codes, missing, one.unseen && other.unseen);
}

function both(one, other, missing) {
  const low = one.low === null || (other.low !== null && other.low > one.low) ? other.low : one.low;
  const high = one.high === null || (other.high !== null && other.high < one.high) ? other.high : one.high;
  const isEmptyRange = low !== null && high !== null && low >= high;
  if (isEmptyRange || !one.known || !other.known) return interval(one.column, null, null, false, missing);
  return interval(one.column, low, high, true, missing);
}

/** Whether no row satisfies the condition. */
export function isEmpty(condition) {
  if (condition.missing) return false;
  if (condition.kind === "interval") return !condition.known;
  if (condition.kind === "joint") return !condition.below && !condition.above;
  return condition.codes.size === 0 && !condition.unseen;
}

/** Whether every row that can be bound satisfies the condition. */
function isEverything(condition, columns) {
  if (condition.kind === "joint") return condition.below && condition.above && condition.missing;
  const column = columns[condition.column];
  if (!condition.missing && column.missing !== "error") return false;
  if (condition.kind === "interval") return condition.low === null && condition.high === null && condition.known;
  return condition.codes.size === column.n_levels && (condition.unseen || column.unseen === "error");
}

/** The condition without the values that the policy "error" refuses. */
export function bindable(condition, columns) {
  if (condition.kind === "joint") return condition;
  const column = columns[condition.column];
  const missing = condition.missing && column.missing !== "error";
  if (condition.kind === "interval") return { ...condition, missing };
  return { ...condition, missing, unseen: condition.unseen && column.unseen !== "error" };
}

/** One condition for each column or question, in the order in which these first occur. */
export function merged(conditions, columns) {
  const found = new Map();
  for (const condition of conditions) {
    const key = keyOf(condition);
    found.set(key, found.has(key) ? meet(found.get(key), condition) : condition);
  }
  return [...found.values()].filter((one) => !isEverything(one, columns));
}

const waysOfTrees = new WeakMap();

/** Where the split of a node sends rows: pairs of a child (or STOP) and the values that lead there. */
export function waysOf(tree, node) {
  if (!waysOfTrees.has(tree)) waysOfTrees.set(tree, []);
  const kept = waysOfTrees.get(tree);
  if (kept[node] === undefined) {
    const split = tree.split(node);
    const found = [[STOP, taken(split, STOP, tree.doc.columns)]];
    for (let child = knownChildren(split) - (hasOwnBranch(split) ? 0 : 1); child >= 0; child--) {
      found.unshift([child, taken(split, child, tree.doc.columns)]);
    }
    kept[node] = found.filter(([, values]) => !isEmpty(values));
  }
  return kept[node];
}

/** What the splits above a node ask of its rows, the first question first. */
export function steps(tree, node) {
  const path = tree.path(node);
  return path.slice(1).map((below, at) => {
    const place = tree.children(path[at]).indexOf(below);
    const way = waysOf(tree, path[at]).find(([child]) => child === place);
    return way ? way[1] : taken(tree.split(path[at]), place, tree.doc.columns);
  });
}

/** What rows must satisfy to reach the node. */
export function regionOf(tree, node) {
  return merged(steps(tree, node), tree.doc.columns);
}

/** What rows must satisfy to end at a leaf, or at an inner node that stops some. */
export function regionOfEnd(tree, node) {
  const { columns } = tree.doc;
  if (tree.isLeaf(node)) return regionOf(tree, node);
  return merged([...steps(tree, node), taken(tree.split(node), STOP, columns)], columns);
}

/** The nodes at which rows can end, ascending: leaves, and inner nodes that stop rows. */
export function endsOf(tree) {
  const found = [];
  const stack = [[0, new Map()]];
  while (stack.length) {
    const [node, region] = stack.pop();
    if (tree.isLeaf(node)) found.push(node);
    else followed(tree, node, region).forEach(([child, below]) => (child === node ? found.push(node) : stack.push([child, below])));
  }
  return ascending(found);
}

/** The children that rows of a region can take, with what is left of it; the node itself for those that end there. */
function followed(tree, node, region) {
  const found = [];
  for (const [place, condition] of waysOf(tree, node)) {
    const key = keyOf(condition);
    const part = region.has(key) ? meet(region.get(key), condition) : condition;
    if (!isEmpty(part)) found.push([place === STOP ? node : tree.child(node, place), new Map(region).set(key, part)]);
  }
  return found;
}
