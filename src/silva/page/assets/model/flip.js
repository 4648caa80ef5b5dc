import { numberWords } from "./numerals.js";
import { absence, isCoded, route } from "./router.js";

const FEW_SPREADS = 0;
const LEVEL = 1;
const MANY_SPREADS = 2;
const NO_SPREADS = 3;
const NOT_KNOWN = 4;

const floats = new Float64Array(1);
const bits = new BigInt64Array(floats.buffer);

/** The changes of one column after which the tree predicts something else, as silva.inspect.flips finds them: { refused, records, best }.
 *  A record is { column (number), value (number or code), words, distance, spreads, prediction (code or number), node }; `best` is one of them or null.
 *  `refused` says why a tree cannot be searched, else it is null. */
export function flips(tree, row) {
  const refused = refusal(tree);
  if (refused) return { refused, records: [], best: null };
  const now = told(tree, route(tree, row).node);
  const found = usedColumns(tree).flatMap((column) => changes({ tree, row: Float64Array.from(row), now, column }));
  return { refused: null, records: found.map((one) => one.record), best: bestOf(found) };
}

function refusal(tree) {
  if (tree.splits.some((split) => split !== null && split.columns !== undefined)) return "The tree has splits of several columns: the smallest change is found for splits of one column only.";
  return tree.linear === null ? null : "The leaves of the tree are linear models: the smallest change is found for constant leaves only.";
}

function usedColumns(tree) {
  const found = new Set();
  for (const split of tree.splits) if (split !== null) found.add(split.column);
  return [...found].sort((one, other) => one - other);
}

function bestOf(found) {
  let best = null;
  for (const one of found) if (best === null || one.rank < best.rank || (one.rank === best.rank && one.spreads < best.spreads)) best = one;
  return best === null ? null : best.record;
}

function changes(search) {
  const column = search.tree.doc.columns[search.column];
  if (isCoded(column)) return levelChanges(search, column);
  const value = search.row[search.column];
  return Number.isNaN(value) ? knownNumbers(search, column) : numberChanges(search, column, value);
}

/** What the row is told with this value of the column. */
function tried(search, value) {
  const row = search.row.slice();
  row[search.column] = value;
  const { node } = route(search.tree, row);
  return { value, node, prediction: told(search.tree, node) };
}

function told(tree, node) {
  return tree.nClasses === 0 ? tree.mean(node) : tree.code(node);
}

function ranked(search, at, words, rank, distance = null, spreads = null) {
  const record = { column: search.column, value: at.value, words, distance, spreads, prediction: at.prediction, node: at.node };
  return { rank, spreads: spreads ?? 0, record };
}

/** The thresholds of the column, ascending and each once, with their words. */
function limitsOf(search) {
  const { tree, column } = search;
  const found = new Map();
  tree.splits.forEach((split, node) => {
    if (split !== null && split.column === column && split.threshold > -Infinity) found.set(split.threshold + 0, tree.json.time_words?.[node] ?? numberWords(split.threshold));
  });
  const limits = [...found].map(([limit, words]) => ({ limit, words }));
  return limits.sort((one, other) => one.limit - other.limit);
}

/** What is predicted below the first limit, between limits, and from the last on. */
function pieces(search, column, limits) {
  const first = limits.length ? below(limits[0].limit) : middle(column);
  return [first, ...limits.map((one) => one.limit)].map((value) => tried(search, value));
}

function middle(column) {
  return column.facts?.mean ?? 0;
}

function numberChanges(search, column, value) {
  const limits = limitsOf(search);
  const found = pieces(search, column, limits);
  const here = limits.filter((one) => one.limit <= value).length;
  let lower = here - 1;
  while (lower >= 0 && found[lower].prediction === search.now) lower--;
  let upper = here;
  while (upper < found.length && found[upper].prediction === search.now) upper++;
  const sides = [];
  if (lower >= 0) sides.push(moved(search, column, { ...found[lower], value: below(limits[lower].limit) }, value, side(column, null, limits[lower])));
  if (upper < found.length) sides.push(moved(search, column, found[upper], value, side(column, limits[upper - 1], null)));
  return sides.sort((one, other) => compared(one.record.distance, other.record.distance));
}

function moved(search, column, at, value, words) {
  const distance = at.value < value ? value - at.value : at.value - value;
  const deviation = column.facts?.deviation ?? 0;
  if (!(deviation > 0)) return ranked(search, at, words, NO_SPREADS, distance);
  const spreads = distance / deviation;
  return ranked(search, at, words, spreads < 1 ? FEW_SPREADS : MANY_SPREADS, distance, spreads);
}

/** The stretches of numbers that change the prediction of a row that has none. */
function knownNumbers(search, column) {
  const limits = limitsOf(search);
  const found = pieces(search, column, limits);
  const changed = [];
  for (let first = 0, last = 0; first < found.length; first = last + 1) {
    for (last = first; last + 1 < found.length && found[last + 1].prediction === found[first].prediction; ) last++;
    if (found[first].prediction === search.now) continue;
    const low = first ? limits[first - 1] : null;
    const high = last < limits.length ? limits[last] : null;
    const value = low?.limit ?? (high === null ? middle(column) : below(high.limit));
    changed.push(ranked(search, { ...found[low === null ? last : first], value }, side(column, low, high), NOT_KNOWN));
  }
  return changed;
}

function side(column, low, high) {
  if (low === null) return high === null ? `${column.form} known` : `${column.form} below ${high.words}`;
  return high === null ? `${column.form} ${low.words} or more` : `${column.form} ${low.words} to below ${high.words}`;
}

function levelChanges(search, column) {
  const now = search.row[search.column];
  const known = !absence(column, now);
  const found = column.levels.map((_, code) => tried(search, code)).filter((one) => one.prediction !== search.now);
  const steps = known && column.kind === "ordinal";
  const chosen = steps ? nearest(found, now) : found;
  const words = (code) => `${column.form} = ${column.levels[code].form}`;
  return chosen.map((one) => ranked(search, one, words(one.value), known ? LEVEL : NOT_KNOWN, steps ? Math.abs(one.value - now) : null));
}

/** The last level below and the first above, the nearer first. */
function nearest(found, now) {
  const lower = found.filter((one) => one.value < now).slice(-1);
  const upper = found.filter((one) => one.value > now).slice(0, 1);
  return [...lower, ...upper].sort((one, other) => compared(Math.abs(one.value - now), Math.abs(other.value - now)));
}

function compared(one, other) {
  return one < other ? -1 : Number(one > other);
}

/** The largest float64 below a number. */
function below(value) {
  if (value === 0) return -Number.MIN_VALUE;
  floats[0] = value;
  bits[0] += value > 0 ? -1n : 1n;
  return floats[0];
}
