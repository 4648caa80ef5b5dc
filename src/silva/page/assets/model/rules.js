/** Conditions in words, and the rules of a tree with what its training rows say about them. */

import { bindable, endsOf, regionOf, regionOfEnd, steps } from "./conditions.js";
import { evidenceOf } from "./evidence.js";
import { ascending, number } from "./numbers.js";
import { listed, measured, quantity, shortened } from "./words.js";

/** `30 <= area < 50 and (floor in {2, 3, 4} or missing)`; `most` limits lists. */
export function conjunction(conditions, columns, most = null) {
  if (conditions.length === 1) return conditionWords(conditions[0], columns, most);
  const told = conditions.map((one) => grouped(one, columns, most));
  return told.length ? told.join(" and ") : "all rows";
}

function grouped(condition, columns, most) {
  const told = alternativesOf(condition, columns, most);
  return told.length > 1 ? `(${told.join(" or ")})` : told[0];
}

/** A condition that stands alone. */
export function conditionWords(condition, columns, most = null) {
  return alternativesOf(condition, columns, most).join(" or ");
}

/** The known values, then "missing" and "unseen" where they satisfy the condition too. */
function alternativesOf(condition, columns, most) {
  const told = knownWords(condition, columns, most);
  const possible = bindable(condition, columns);
  const found = [told];
  if (possible.missing && !told.endsWith(" is missing")) found.push("missing");
  if (possible.unseen && !told.endsWith(" is unseen")) found.push("unseen");
  return found;
}

function knownWords(condition, columns, most) {
  if (condition.kind === "joint") return jointWords(condition, columns, most);
  const column = columns[condition.column];
  if (condition.kind === "levels") return levelWords(condition, column, most);
  if (!condition.known) return `${column.form} is missing`;
  const [low, high] = [condition.low, condition.high].map((one) => (one === null ? null : quantity(column, one)));
  return between(column.form, low, high);
}

function between(who, low, high) {
  if (low !== null && high !== null) return `${low} <= ${who} < ${high}`;
  if (high !== null) return `${who} < ${high}`;
  return low === null ? `${who} is known` : `${who} >= ${low}`;
}

function levelWords(one, column, most) {
  const { form: who, levels, n_levels: count } = column;
  const codes = ascending(one.codes);
  const tell = (code) => shortened(levels[code].form, most);
  if (!codes.length) return one.missing || !one.unseen ? `${who} is missing` : `${who} is unseen`;
  if (codes.length === count) return `${who} is known`;
  if (codes.length === 1) return `${who} = ${tell(codes[0])}`;
  const last = codes.at(-1);
  if (column.kind === "ordinal" && last - codes[0] === codes.length - 1) {
    return between(who, codes[0] === 0 ? null : levels[codes[0]].form, last === count - 1 ? null : levels[last + 1].form);
  }
  const others = levels.map((_, code) => code).filter((code) => !one.codes.has(code));
  if (others.length === 1) return `${who} != ${tell(others[0])}`;
  const [shorter, sign] = others.length < codes.length ? [others, "not in"] : [codes, "in"];
  return `${who} ${sign} {${listed(shorter, most, tell)}}`;
}

function jointWords(one, columns, most) {
  const [what, limit] = measured(one.split, columns, most);
  if (one.below && one.above) return `${what} is known`;
  if (one.below) return `${what} < ${limit}`;
  return one.above ? `${what} >= ${limit}` : `${what} is missing`;
}

/** The condition of each split above a node in words, the root's first. */
export function pathWords(tree, node) {
  return steps(tree, node).map((one) => conditionWords(one, tree.doc.columns));
}

/** What rows must satisfy to reach a node, merged into one condition for each column. */
export function whenWords(tree, node) {
  return conjunction(regionOf(tree, node), tree.doc.columns);
}

/** The prediction of a node in words: a class, an exact number, or the formula of a leaf. */
export function thenWords(tree, node) {
  if (tree.linear !== null && tree.isLeaf(node)) return tree.json.leaf_words[tree.leafNumber[node]];
  return tree.nClasses ? tree.doc.classes[tree.code(node)].form : number(tree.mean(node));
}

/**
 * One rule for each node at which rows can end, in the order of the tree.
 *
 * The words `when` and `then` are made when they are read. `share`, `lift` and `interval` are those
 * of the predicted class (classification), `mean` and `deviation` those of the targets (regression);
 * null is unknown. `stops`: the rule of rows that end at an inner node, whose rows are counted.
 * `endOf` gives the leaf of a pruned tree in which the rows of a node end.
 */
export function rulesOf(tree, endOf = (node) => node) {
  const ends = endsOf(tree).map((node) => [endOf(node), node]);
  const cut = new Set(ends.filter(([end, node]) => end !== node).map(([end]) => end));
  const base = evidenceOf(tree, [0]).byClass;
  return [...new Set(ends.map(([end]) => end))].map((node) => ruleOf(tree, node, !cut.has(node) && !tree.isLeaf(node), base));
}

function ruleOf(tree, node, stops, base) {
  const code = tree.nClasses ? tree.code(node) : null;
  const { rows, share = null, mean, deviation, interval } = evidenceOf(tree, [node], code);
  let words;
  return {
    node,
    stops,
    rows,
    mean: finite(mean),
    deviation: finite(deviation),
    coverage: rows === null ? null : rows / Math.max(1, tree.rows[0] ?? 0),
    share,
    lift: share === null ? null : finite(share / base?.[code]),
    interval: interval?.every(Number.isFinite) ? interval : null,
    get when() {
      return (words ??= conjunction((stops ? regionOfEnd : regionOf)(tree, node), tree.doc.columns));
    },
    get then() {
      return thenWords(tree, node);
    },
  };
}

function finite(value) {
  return Number.isFinite(value) ? value : null;
}
