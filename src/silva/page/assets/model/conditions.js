/**
 * What a row must be like to take a branch: exact sets of values, one for each column.
 *
 * An interval holds known values with low <= value < high (null: no limit) if `known`, and missing
 * values if `missing`. Levels hold codes, and missing or unseen values. A joint holds outcomes of a
 * split of several columns: its number is below the threshold, at least it, or missing.
 */

import { ascending } from "./numbers.js";
import { isCoded, placeOf, placeOfValue } from "./router.js";

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

/** The thresholds of a column that known values can be below, ascending. */
export function thresholdsOf(tree, column) {
  return ascending(tree.splits.filter((split) => split?.column === column && split.threshold > -Infinity).map((split) => split.threshold));
}

export function interval(column, low = null, high = null, known = true, missing = true) {
  return { kind: "interval", column, low, high, known, missing };
}

export function levelSet(column, codes, missing = true, unseen = true) {
  return { kind: "levels", column, codes, missing, unseen };
}

/** Equal for splits that ask the same of several columns, wherever they send missing values. */
function questionOf(split) {
  split.question ??= Object.entries({ ...split, missing: 0 }).join("|");
  return split.question;
}

/** What a condition is about: a column, or a question about several. */
function keyOf(condition) {
  return condition.kind === "joint" ? questionOf(condition.split) : condition.column;
}

/** The rows that a split sends to this child, or with STOP those that end at its node; `takers` are the children of codes. */
function taken(split, child, takers) {
  const missing = split.missing === child;
  if (isJoint(split)) return { kind: "joint", split, below: child === 0, above: child === 1, missing };
  if (takers === null) return side(split, child, missing);
  const codes = new Set();
  takers.forEach((taker, code) => taker === child && codes.add(code));
  return levelSet(split.column, codes, missing, split.unseen === child);
}

function side(split, child, missing) {
  const { column, threshold } = split;
  const none = interval(column, null, null, false, missing);
  if (child === 0) return threshold === -Infinity ? none : interval(column, null, threshold, true, missing);
  if (child !== 1) return none;
  return interval(column, threshold === -Infinity ? null : threshold, null, true, missing);
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

/** Where the split of a node sends rows: pairs of a child (or STOP) and the values that lead there, which may be none. */
export function waysOf(tree, node) {
  tree.ways ??= [];
  tree.ways[node] ??= waysOfSplit(tree.split(node), tree.doc.columns);
  return tree.ways[node];
}

function waysOfSplit(split, columns) {
  const column = columns[split.column];
  const takers = isJoint(split) || !isCoded(column) ? null : Array.from({ length: column.n_levels }, (_, code) => placeOfValue(split, column, code));
  const children = Array.from({ length: knownChildren(split) + hasOwnBranch(split) }, (_, child) => child);
  return [...children, STOP].map((child) => [child, bindable(taken(split, child, takers), columns)]);
}

/** The values that lead from a node to one of its children, by its place, or that STOP there. */
export function wayTo(tree, node, place) {
  return waysOf(tree, node).find(([child]) => child === place)?.[1];
}

/** What the splits above a node ask of its rows, the first question first. */
export function steps(tree, node) {
  const path = tree.path(node);
  return path.slice(1).map((below, at) => wayTo(tree, path[at], tree.children(path[at]).indexOf(below)));
}

/** What rows must satisfy to reach the node. */
export function regionOf(tree, node) {
  return merged(steps(tree, node), tree.doc.columns);
}

/** What rows must satisfy to end at a leaf, or at an inner node that stops some. */
export function regionOfEnd(tree, node) {
  if (tree.isLeaf(node)) return regionOf(tree, node);
  return merged([...steps(tree, node), wayTo(tree, node, STOP)], tree.doc.columns);
}

/** The nodes at which rows can end, ascending: leaves, and inner nodes that stop rows. */
export function endsOf(tree) {
  return ascending(Array.from(endsBelow(tree, 0, new Map(), narrowed), ([node]) => node));
}

/**
 * The nodes at or below one at which rows can end, with what is known of them there.
 *
 * `follow(tree, node, known)` gives pairs of a child that rows can take from an inner node (or STOP)
 * and what is known of those that take it.
 */
export function* endsBelow(tree, from, start, follow) {
  const stack = [[from, start]];
  while (stack.length) {
    const [node, known] = stack.pop();
    const ways = tree.isLeaf(node) ? [[STOP, known]] : follow(tree, node, known);
    for (const [child, then] of ways) {
      if (child === STOP) yield [node, then];
      else stack.push([tree.child(node, child), then]);
    }
  }
}

/** The ways that rows of a region can take from a node, with what is left of it: conditions by column or question. */
export function narrowed(tree, node, region) {
  return waysOf(tree, node).flatMap(([place, condition]) => {
    const key = keyOf(condition);
    const part = region.has(key) ? meet(region.get(key), condition) : condition;
    return isEmpty(part) ? [] : [[place, new Map(region).set(key, part)]];
  });
}

/** Where a row can end if some of its values vary: its region has the values of these columns. Ends are in the order of the tree. */
export function endsOfRow(tree, row, region) {
  const follow = (_, node, known) => {
    const split = tree.split(node);
    return known.has(split.column) ? narrowed(tree, node, known).reverse() : [[placeOf(tree.doc.columns, split, row), known]];
  };
  return [...endsBelow(tree, 0, region, follow)];
}
