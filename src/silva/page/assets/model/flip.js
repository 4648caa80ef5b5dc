import { numberWords } from "./numerals.js";
import { absence, childOf, isCoded, route } from "./router.js";

const FEW_SPREADS = 0;
const LEVEL = 1;
const MANY_SPREADS = 2;
const NO_SPREADS = 3;
const NOT_KNOWN = 4;

const floats = new Float64Array(1);
const halves = new Uint32Array(floats.buffer);

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

/** The stretches of numbers that end at one node, ascending: values from `low` to below `high`, null for no limit, with the nodes that set the limits. */
function pieces({ tree, row, column }) {
  const found = [];
  const stack = [{ node: 0, low: -Infinity, high: null, lowNode: -1, highNode: -1 }];
  while (stack.length) {
    const piece = stack.pop();
    const split = tree.split(piece.node);
    if (split !== null && split.column === column) {
      stack.push(...parted(tree, piece, split.threshold + 0));
      continue;
    }
    const child = childOf(tree, piece.node, row);
    if (child < 0) found.push({ ...piece, prediction: told(tree, piece.node) });
    else stack.push({ ...piece, node: child });
  }
  return found;
}

/** The parts of a piece on both sides of a limit, the lower one last; one of them may be empty. */
function parted(tree, piece, limit) {
  const { node, low, high } = piece;
  if (limit <= low) return [{ ...piece, node: tree.child(node, 1) }];
  const lower = { ...piece, node: tree.child(node, 0) };
  if (high !== null && limit >= high) return [lower];
  return [{ ...piece, node: tree.child(node, 1), low: limit, lowNode: node }, { ...lower, high: limit, highNode: node }];
}

function numberChanges(search, column, value) {
  const found = pieces(search);
  const here = found.findIndex((one) => one.high === null || value < one.high);
  let lower = here - 1;
  while (lower >= 0 && found[lower].prediction === search.now) lower--;
  let upper = here + 1;
  while (upper < found.length && found[upper].prediction === search.now) upper++;
  const sides = [];
  if (lower >= 0) sides.push(moved(search, column, { ...found[lower], value: below(found[lower].high) }, value, side(search, column, null, found[lower])));
  if (upper < found.length) sides.push(moved(search, column, { ...found[upper], value: found[upper].low }, value, side(search, column, found[upper], null)));
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
    const low = first > 0 ? found[first] : null;
    const high = found[last].high === null ? null : found[last];
    const value = low ? low.low : high ? below(high.high) : column.facts?.mean ?? 0;
    changed.push(ranked(search, tried(search, value), side(search, column, low, high), NOT_KNOWN));
  }
  return changed;
}

/** The values from the lower end of one piece to the upper end of another in words; null for no limit. */
function side({ tree }, column, low, high) {
  const words = (limit, node) => tree.json.time_words?.[node] ?? numberWords(limit);
  const start = low && words(low.low, low.lowNode);
  const end = high && words(high.high, high.highNode);
  if (start === null) return end === null ? `${column.form} known` : `${column.form} below ${end}`;
  return end === null ? `${column.form} ${start} or more` : `${column.form} ${start} to below ${end}`;
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

/** The largest float64 below a number: its bits as a whole number, one less or (below 0) one more. */
function below(value) {
  if (value === 0) return -Number.MIN_VALUE;
  floats[0] = value;
  if (value > 0) {
    if (halves[0] === 0) halves[1] -= 1;
    halves[0] -= 1;
  } else {
    halves[0] += 1;
    if (halves[0] === 0) halves[1] += 1;
  }
  return floats[0];
}
