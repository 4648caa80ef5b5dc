/** Where answers lead: down the tree as far as they decide, and what can still be reached. */

import { STOP, columnsOf, endsBelow, isEmpty, isJoint, meet, waysOf } from "./conditions.js";
import { exactValue, knowing, knownOf, lacksValue, rowOf } from "./known.js";
import { ascending } from "./numbers.js";
import { measure } from "./router.js";

/** The columns that the linear models of a leaf take, in order; none for inner nodes. */
export function termsOf(tree, node) {
  if (tree.linear === null || !tree.isLeaf(node)) return [];
  const width = tree.nClasses > 2 ? tree.nClasses : 1;
  const first = tree.leafNumber[node] * width;
  const columns = tree.linear.column.slice(tree.linear.start[first], tree.linear.start[first + width]);
  return ascending(columns);
}

/** The class code or mean of a node by its own rows. */
export function constantOf(tree, node) {
  return tree.nClasses ? tree.code(node) : tree.mean(node);
}

/**
 * As far as the answers lead from a node: the node, and the column to ask about (null at the end).
 * `settled`: more questions could be asked, and all their answers have the same prediction.
 */
export function reached(tree, knowledge, from = 0) {
  let node = from;
  for (;;) {
    const split = tree.split(node);
    if (split === null) return { node, column: openColumn(tree, knowledge, termsOf(tree, node)), settled: false };
    const child = decided(tree, node, knowledge);
    if (child === null) return undecided(tree, node, split, knowledge);
    if (child === STOP) return { node, column: null, settled: false };
    node = tree.child(node, child);
  }
}

function undecided(tree, node, split, knowledge) {
  if (agreed(tree, node, knowledge)) return { node, column: null, settled: true };
  const column = isJoint(split) ? openColumn(tree, knowledge, columnsOf(split)) : split.column;
  return { node, column, settled: false };
}

/** The child that a row takes, or STOP; null if that is open. */
function decided(tree, node, knowledge) {
  const split = tree.split(node);
  if (isJoint(split)) return jointChild(tree, split, knowledge);
  const ways = openWays(tree, node, split, knowledge);
  return ways.length === 1 ? ways[0][0] : null;
}

/** The nodes at which a row may still end: leaves, and inner nodes that stop it. */
export function* endsFrom(tree, from, knowledge) {
  for (const [node] of endsBelow(tree, from, knowledge, nextOf)) yield node;
}

/** Whether every end below a node that can be reached has the same prediction. */
export function agreed(tree, node, knowledge) {
  if (tree.linear !== null) return false;
  const found = new Set();
  for (const end of endsFrom(tree, node, knowledge)) {
    found.add(constantOf(tree, end));
    if (found.size > 1) return false;
  }
  return found.size === 1;
}

/** Where a row may go from an inner node, with what is known about it there. */
function nextOf(tree, node, knowledge) {
  const split = tree.split(node);
  if (isJoint(split)) {
    const child = jointChild(tree, split, knowledge);
    const children = child === null ? [0, 1, split.missing] : [child];
    return [...new Set(children)].map((one) => [one, knowledge]);
  }
  const ways = openWays(tree, node, split, knowledge);
  return ways.map(([child, known]) => [child, new Map(knowledge).set(split.column, known)]);
}

/** Where the values that are possible lead, each with those that lead there. */
function openWays(tree, node, split, knowledge) {
  const known = knownOf(tree, knowledge, split.column);
  const found = [];
  for (const [child, condition] of waysOf(tree, node)) {
    const part = meet(known.values, condition);
    if (!isEmpty(part)) found.push([child, knowing(part, known.vague)]);
  }
  return known.vague && found.length > 1 ? [[split.missing, known]] : found;
}

/** The child once all values are known, or one is known to be missing; null before. */
function jointChild(tree, split, knowledge) {
  const parts = columnsOf(split).map((column) => knownOf(tree, knowledge, column));
  if (parts.some(lacksValue)) return split.missing;
  if (parts.some((part) => exactValue(part.values) === null)) return null;
  const found = measure(tree.doc.columns, split, rowOf(tree, knowledge));
  if (!Number.isFinite(found)) return split.missing;
  return found < split.threshold ? 0 : 1;
}

/** The first column whose value is needed and open. */
function openColumn(tree, knowledge, columns) {
  const isOpen = (known) => !lacksValue(known) && exactValue(known.values) === null;
  return columns.find((column) => isOpen(knownOf(tree, knowledge, column))) ?? null;
}
