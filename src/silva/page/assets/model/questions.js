/** A question about one column with the answers that it may have. */

import { STOP, hasOwnBranch, isEmpty, isJoint, knownChildren, levelSet, meet, wayTo, waysOf } from "./conditions.js";
import { knowing, knownOf, knownPart, nothingKnown } from "./known.js";
import { ascending } from "./numbers.js";
import { ANOTHER_VALUE, DO_NOT_KNOW, predictionWords, valuesWords } from "./phrases.js";
import { casefold, strip } from "./text.js";
import { constantOf, endsFrom, reached, termsOf } from "./walk.js";
import { MAX_LISTED, alternatives } from "./words.js";

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const QUIT_KEY = "q";
const TYPED = { number: "the number", time: "the date or time", level: "the level" };

/**
 * The question that is open at a place, under the names that Python's `Question` has. Options also
 * have `values` (the set), `vague` and `child` (null: that depends on more values).
 */
export function questionAt(tree, knowledge, place) {
  const column = tree.doc.columns[place.column];
  const known = knownOf(tree, knowledge, place.column);
  const split = tree.split(place.node);
  const exact = split === null || isJoint(split);
  const listed = exact ? exactOptions(column, known) : splitOptions(tree, place, column, known);
  const options = [...toldOptions(tree, knowledge, place, listed), ...specialOptions(tree, place, known, split)];
  const takes = column.kind !== "continuous" ? "level" : column.time ? "time" : "number";
  const [low, high] = trainingLimits(column);
  return {
    column: column.name,
    text: questionText(column, listed, exact),
    options: withKeys(column, options),
    takes,
    exact,
    low,
    high,
    training_range: column.range,
    hint: hintOf(takes, listed),
  };
}

/** The least and the greatest number of a column in training; nulls if unknown. */
export function trainingLimits(column) {
  const { low = null, high = null } = column.facts ?? {};
  return column.kind !== "continuous" || low === null || high === null || low > high ? [null, null] : [low, high];
}

/** One option a level, "yes" before "no"; a number has to be typed. */
function exactOptions(column, { values }) {
  if (values.kind === "interval") return [];
  const codes = ascending(values.codes);
  if (column.kind === "binary") codes.reverse();
  return codes.map((code) => [null, levelSet(values.column, new Set([code]), false, false)]);
}

/** One option for each way that known values can take; "yes" before "no". */
function splitOptions(tree, place, column, { values }) {
  const others = unlisted(tree.split(place.node), values);
  const found = [];
  for (const [child, condition] of waysOf(tree, place.node)) {
    let part = knownPart(meet(values, condition));
    if (part.kind === "levels") part = { ...part, codes: new Set([...part.codes].filter((code) => !others.has(code))) };
    if (!isEmpty(part)) found.push([child, part]);
  }
  return column.kind === "binary" ? found.reverse() : found;
}

/** The levels that a split does not list: it treats them as unseen. */
function unlisted(split, values) {
  if (values.kind !== "levels" || !(split?.kind === "multiway" || split?.rest?.length)) return new Set();
  const named = new Set([...split.codes, ...(split.rest ?? [])]);
  return new Set([...values.codes].filter((code) => !named.has(code)));
}

function option(words, leadsTo, values, child, more) {
  return { key: "", words, leads_to: leadsTo, possible: true, special: false, values, vague: false, child, ...more };
}

function toldOptions(tree, knowledge, place, listed) {
  return listed.map(([child, values]) => {
    const then = new Map(knowledge).set(values.column, knowing(values));
    return option(valuesWords(values, tree.doc.columns), leadWords(tree, then, place.node, child), values, child);
  });
}

/** What follows at a child of a node, or at the node itself (null). */
function leadWords(tree, knowledge, node, child) {
  const from = child === null ? node : tree.child(node, Math.max(child, 0));
  const place = child === STOP ? { node, column: null, settled: false } : reached(tree, knowledge, from);
  if (place.column !== null) return `the question about ${tree.doc.columns[place.column].form}`;
  if (termsOf(tree, place.node).length) return "the prediction of the model in the leaf";
  const end = place.settled ? endsFrom(tree, place.node, knowledge).next().value : place.node;
  return `the prediction ${predictionWords(tree, constantOf(tree, end))}`;
}

function specialOptions(tree, place, known, split) {
  const { values } = known;
  const { form, missing, unseen } = tree.doc.columns[values.column];
  const special = (words, refused, what, set, child, vague) => {
    const told = refused ? `not possible, the model refuses ${what} ${form}` : wayWords(tree, place.node, split, child, known);
    return option(words, told, set, child ?? null, { possible: !refused, special: true, vague });
  };
  const found = [];
  if (values.kind === "levels") {
    const others = { ...values, codes: unlisted(split, values), missing: false };
    const refused = unseen === "error" && others.codes.size === 0;
    if (refused || !isEmpty(others)) found.push(special(ANOTHER_VALUE, refused, "other values of", others, isJoint(split) ? split.missing : split?.unseen, false));
  }
  const unknown = values.missing ? nothingKnown(values) : values;
  return [...found, special(DO_NOT_KNOW, missing === "error", "rows without", unknown, split?.missing, !values.missing)];
}

/** What becomes of an answer that is no value. */
function wayWords(tree, node, split, child, known) {
  if (split === null) return "the model of the leaf leaves its term out";
  if (child === STOP) return `ends here with the prediction ${predictionWords(tree, constantOf(tree, node))}`;
  if (hasOwnBranch(split) && child === knownChildren(split)) return "takes the branch of missing values";
  const isLarger = child === tree.json.nodes.larger[node];
  const why = isLarger ? "the larger branch" : "learned in training";
  const told = isJoint(split) ? "" : childWords(tree, node, child, known);
  if (told) return `counts as ${told}, ${why}`;
  return isLarger ? `takes ${why}` : `takes the branch ${why}`;
}

/** The known values that lead to a child; "" if there are none. */
function childWords(tree, node, child, known) {
  const part = knownPart(meet(known.values, wayTo(tree, node, child)));
  return isEmpty(part) ? "" : valuesWords(part, tree.doc.columns);
}

/** Options with letters as keys, which are told apart from every level of the column. */
function withKeys(column, options) {
  const taken = new Set();
  for (const { text, form } of column.levels ?? []) taken.add(casefold(strip(text))).add(casefold(form));
  const keys = options.map((_, place) => letters(place));
  let end = "";
  while (keys.some((key) => taken.has(key + end))) end += ")";
  return options.map((one, place) => ({ ...one, key: keys[place] + end }));
}

/** a, b, ..., z, aa, ab, ... without the key that quits Python's dialog. */
function letters(place) {
  let left = place >= LETTERS.indexOf(QUIT_KEY) ? place + 1 : place;
  let text = "";
  for (; left >= 0; left = Math.floor(left / 26) - 1) text = LETTERS[left % 26] + text;
  return text;
}

function questionText(column, listed, exact) {
  if (column.kind === "binary" && listed.length === 2) {
    return `${column.form}: ${alternatives(column.levels.map((level) => level.form).reverse())}?`;
  }
  const isAllOne = column.kind === "continuous" && listed.length === 1 && !exact;
  return isAllOne ? `Is ${column.form} known?` : `What is ${column.form}?`;
}

/** What else may be typed, where the options do not show it. */
function hintOf(takes, listed) {
  if (takes !== "level") return `${listed.length ? "or " : ""}type ${TYPED[takes]}`;
  const groups = listed.some(([, values]) => values.codes.size > 1);
  return groups || listed.length > MAX_LISTED + 1 ? `or type ${TYPED.level}` : "";
}
