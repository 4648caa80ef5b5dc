import { columnsOf, endsOfRow, isJoint } from "./conditions.js";
import { nextDown } from "./exact.js";
import { anyValue, knownPart } from "./known.js";
import { ascending } from "./numbers.js";
import { absence, isCoded, route } from "./router.js";
import { constantOf } from "./walk.js";
import { quantity } from "./words.js";

/** The changes of one column after which the tree predicts something else, as silva.inspect.flips finds them: { refused, records, best }.
 *  A record is { column (number), value (number or code), words, distance, spreads, prediction (code or number), node }; `best` is one of them or null.
 *  `refused` says why a tree cannot be searched, else it is null. */
export function flips(tree, row) {
  const refused = refusal(tree);
  if (refused) return { refused, records: [], best: null };
  const now = constantOf(tree, route(tree, row).node);
  const used = ascending(tree.splits.flatMap((split) => (split ? columnsOf(split) : [])));
  const records = used.flatMap((column) => changes({ tree, row: Float64Array.from(row), now, column }));
  return { refused: null, records, best: bestOf(tree, row, records) };
}

function refusal(tree) {
  if (tree.splits.some(isJoint)) return "The tree has splits of several columns: the smallest change is found for splits of one column only.";
  return tree.linear === null ? null : "The leaves of the tree are linear models: the smallest change is found for constant leaves only.";
}

/** The change of the first rank, and of the fewest spreads there. */
function bestOf(tree, row, records) {
  const order = (one) => [rankOf(tree.doc.columns[one.column], row[one.column], one.spreads), one.spreads ?? 0];
  const isBefore = ([rank, spreads], [other, more]) => rank < other || (rank === other && spreads < more);
  return records.reduce((best, one) => (best && !isBefore(order(one), order(best)) ? best : one), null);
}

/** Small changes of numbers, other levels, large changes, changes of unknown size, then values for missing ones. */
function rankOf(column, now, spreads) {
  if (absence(column, now)) return 4;
  if (isCoded(column)) return 1;
  return spreads === null ? 3 : spreads < 1 ? 0 : 2;
}

function changes(search) {
  const column = search.tree.doc.columns[search.column];
  const now = search.row[search.column];
  const isMissing = absence(column, now) !== "";
  if (isCoded(column)) return levelChanges(search, column, isMissing || column.kind !== "ordinal" ? null : now);
  return isMissing ? knownNumbers(search, column) : numberChanges(search, column, now);
}

/** The record of the row with this value of the column; it has a distance from `now` if that is known. */
function changed({ tree, row, column }, value, words, now = null, deviation = 0) {
  const other = row.slice();
  other[column] = value;
  const { node } = route(tree, other);
  const distance = now === null ? null : Math.abs(value - now);
  return { column, value, words, distance, spreads: deviation > 0 ? distance / deviation : null, prediction: constantOf(tree, node), node };
}

/** The stretches of numbers that end at one node, ascending: values from `low` to below `high`, null for no limit. */
function pieces({ tree, row, column }) {
  const whole = new Map([[column, knownPart(anyValue(tree, column))]]);
  return endsOfRow(tree, row, whole).map(([node, region]) => ({ ...region.get(column), prediction: constantOf(tree, node) }));
}

function numberChanges(search, column, now) {
  const others = pieces(search).filter((one) => one.prediction !== search.now);
  const sides = others.map(({ low, high }) => (high !== null && high <= now ? { value: nextDown(high), high, low: null } : { value: low + 0, low, high: null }));
  return nearest(sides, now, ({ value, low, high }) => changed(search, value, side(column, low, high), now, column.facts?.deviation));
}

/** The stretches of numbers that change the prediction of a row that has none. */
function knownNumbers(search, column) {
  const runs = [];
  for (const piece of pieces(search)) {
    const last = runs.at(-1);
    if (last?.prediction === piece.prediction) last.high = piece.high;
    else runs.push(piece);
  }
  return runs.filter((one) => one.prediction !== search.now).map(({ low, high }) => {
    const value = low !== null ? low + 0 : high !== null ? nextDown(high) : (column.facts?.mean ?? 0);
    return changed(search, value, side(column, low, high));
  });
}

/** The values from one limit to below another in words; null for no limit. */
function side(column, low, high) {
  const [start, end] = [low, high].map((limit) => limit !== null && quantity(column, limit));
  if (low === null) return high === null ? `${column.form} known` : `${column.form} below ${end}`;
  return high === null ? `${column.form} ${start} or more` : `${column.form} ${start} to below ${end}`;
}

/** Other levels; of an ordinal column whose level is known, the nearest ones. */
function levelChanges(search, column, now) {
  const every = column.levels.map((level, code) => changed(search, code, `${column.form} = ${level.form}`, now));
  const found = every.filter((one) => one.prediction !== search.now);
  return now === null ? found : nearest(found, now, (one) => one);
}

/** Records of the last value below and of the first above, the nearer first. */
function nearest(found, now, make) {
  const lower = found.filter((one) => one.value < now).slice(-1);
  const upper = found.filter((one) => one.value > now).slice(0, 1);
  return [...lower, ...upper].map(make).sort((one, other) => (one.distance > other.distance) - (one.distance < other.distance));
}
