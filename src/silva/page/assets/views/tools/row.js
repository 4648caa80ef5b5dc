/** The row of what-if values, which the surface takes too. */

import { quantity } from "../../model/words.js";
import { absence, bindRow, isCoded, placeOfValue } from "../../model/router.js";
import { axisOf } from "../../model/surface.js";

const STEPS = 200;
const used = new WeakMap();
const middles = new WeakMap();

/** The columns that the tree asks about or computes with, the most important first. */
export function usedColumns(tree) {
  if (!used.has(tree)) used.set(tree, findUsed(tree));
  return used.get(tree);
}

function findUsed(tree) {
  const found = new Set(tree.linear === null ? [] : tree.linear.column);
  for (const split of tree.splits) if (split !== null) for (const column of split.columns ?? [split.column]) found.add(column);
  const order = tree.doc.surface?.columns ?? [];
  return [...order.filter((column) => found.delete(column)), ...[...found].sort((one, other) => one - other)];
}

/** The values by column: those of the link, else the middle ones of the training rows, rounded as the sliders move. */
export function valuesNow(app) {
  const tree = app.tree();
  if (!middles.has(tree)) middles.set(tree, middleValues(tree));
  return { ...middles.get(tree), ...(app.store.get("row") ?? {}) };
}

function middleValues(tree) {
  const found = tree.doc.columns.map((_, number) => tree.doc.surface?.row?.[number] ?? null);
  for (const number of usedColumns(tree)) found[number] = isCoded(tree.doc.columns[number]) ? (found[number] ?? usualLevel(tree, number)) : onScale(found[number] ?? middleOf(tree, number), scaleOf(tree, number).step);
  return found;
}

/** Whether the page starts with a level that the data did not name. */
export function isGuessed(tree, number) {
  return isCoded(tree.doc.columns[number]) && (tree.doc.surface?.row?.[number] ?? null) === null;
}

/** A level that takes the larger branch where the tree first asks about the column. */
function usualLevel(tree, number) {
  const column = tree.doc.columns[number];
  const node = tree.splits.findIndex((split) => split?.column === number);
  const code = node < 0 ? 0 : column.levels.findIndex((_, at) => placeOfValue(tree.split(node), column, at) === tree.json.nodes.larger[node]);
  return Math.max(0, code);
}

function middleOf(tree, number) {
  const axis = axisOf(tree, number);
  return axis.low / 2 + axis.high / 2;
}

function onScale(value, step) {
  return Number((Math.round(value / step) * step).toPrecision(15));
}

/** Ends and step of a slider: whole numbers where ends and thresholds are whole or half. */
export function scaleOf(tree, number) {
  const column = tree.doc.columns[number];
  const { low = null, high = null } = column.facts ?? {};
  const axis = low !== null && high > low ? { low, high } : axisOf(tree, number);
  const range = axis.high - axis.low;
  const whole = [axis.low, axis.high, ...limitsOf(tree, number).map((one) => 2 * one)].every(Number.isInteger);
  const step = whole && range <= 10 * STEPS ? 1 : 10 ** Math.floor(Math.log10(range / STEPS));
  return { low: onScale(Math.floor(axis.low / step) * step, step), high: onScale(Math.ceil(axis.high / step) * step, step), step };
}

/** The thresholds of a column, each once. */
export function limitsOf(tree, number) {
  return [...new Set(tree.splits.filter((split) => split?.kind === "threshold" && split.column === number && Number.isFinite(split.threshold)).map((split) => split.threshold))];
}

/** { row, refused } of `bindRow` for the values now. */
export function rowNow(app) {
  return bindRow(app.doc, valuesNow(app));
}

/** A cell of a bound row in words. */
export function cellWords(column, value) {
  const lacks = absence(column, value);
  if (lacks) return lacks === "missing" ? "missing" : "another value";
  return isCoded(column) ? column.levels[value].text : quantity(column, value);
}

/** A cell of a bound row as JSON has it: the level itself, null for missing, "unseen". */
export function cellValue(column, value) {
  const lacks = absence(column, value);
  if (lacks) return lacks === "missing" ? null : "unseen";
  if (isCoded(column)) return column.levels[value].value;
  return column.time === null ? value : quantity(column, value);
}
