import { columnsOf, endsOfRow, isJoint } from "./conditions.js";
import { nextDown } from "./exact.js";
import { anyValue, knownPart } from "./known.js";
import { ascending } from "./numbers.js";
import { absence, isCoded, route } from "./router.js";
import { constantOf } from "./walk.js";
import { quantity } from "./words.js";

const FEW_SPREADS = 0;
const LEVEL = 1;
const MANY_SPREADS = 2;
const NO_SPREADS = 3;
const NOT_KNOWN = 4;

/** The changes of one column after which the tree predicts something else, as silva.inspect.flips finds them: { refused, records, best }.
 *  A record is { column (number), value (number or code), words, distance, spreads, prediction (code or number), node }; `best` is one of them or null.
 *  `refused` says why a tree cannot be searched, else it is null. */
export function flips(tree, row) {
  const refused = refusal(tree);
  if (refused) return { refused, records: [], best: null };
  const now = constantOf(tree, route(tree, row).node);
  const found = ascending(tree.splits.flatMap((split) => (split ? columnsOf(split) : []))).flatMap((column) => changes({ tree, row: Float64Array.from(row), now, column }));
  return { refused: null, records: found.map((one) => one.record), best: bestOf(found) };
}

function refusal(tree) {
  if (tree.splits.some(isJoint)) return "The tree has splits of several columns: the smallest change is found for splits of one column only.";
  return tree.linear === null ? null : "The leaves of the tree are linear models: the smallest change is found for constant leaves only.";
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
  return { value, node, prediction: constantOf(search.tree, node) };
}

function ranked(search, at, words, rank, distance = null, spreads = null) {
  const record = { column: search.column, value: at.value, words, distance, spreads, prediction: at.prediction, node: at.node };
  return { rank, spreads: spreads ?? 0, record };
}

/** The stretches of numbers that end at one node, ascending: values from `low` to below `high`, null for no limit. */
function pieces({ tree, row, column }) {
  const whole = new Map([[column, knownPart(anyValue(tree, column))]]);
  return endsOfRow(tree, row, whole).map(([node, region]) => ({ ...region.get(column), node, prediction: constantOf(tree, node) }));
}

function numberChanges(search, column, value) {
  const found = pieces(search);
  const here = found.findIndex((one) => one.high === null || value < one.high);
  let lower = here - 1;
  while (lower >= 0 && found[lower].prediction === search.now) lower--;
  let upper = here + 1;
  while (upper < found.length && found[upper].prediction === search.now) upper++;
  const sides = [];
  if (lower >= 0) sides.push(moved(search, column, { ...found[lower], value: nextDown(found[lower].high) }, value, side(column, null, found[lower].high)));
  if (upper < found.length) sides.push(moved(search, column, { ...found[upper], value: found[upper].low + 0 }, value, side(column, found[upper].low, null)));
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
  const found = pieces(search);
  const changed = [];
  for (let first = 0, last = 0; first < found.length; first = last + 1) {
    for (last = first; last + 1 < found.length && found[last + 1].prediction === found[first].prediction; ) last++;
    if (found[first].prediction === search.now) continue;
    const { low } = found[first];
    const { high } = found[last];
    const value = low !== null ? low + 0 : high !== null ? nextDown(high) : (column.facts?.mean ?? 0);
    changed.push(ranked(search, tried(search, value), side(column, low, high), NOT_KNOWN));
  }
  return changed;
}

/** The values from one limit to below another in words; null for no limit. */
function side(column, low, high) {
  const [start, end] = [low, high].map((limit) => limit !== null && quantity(column, limit));
  if (low === null) return high === null ? `${column.form} known` : `${column.form} below ${end}`;
  return high === null ? `${column.form} ${start} or more` : `${column.form} ${start} to below ${end}`;
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

