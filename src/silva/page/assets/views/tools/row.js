/** The row of what-if values, which the surface takes too. */

import { quantity } from "../../model/words.js";
import { absence, bindRow, isCoded } from "../../model/router.js";
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
  const { doc } = tree;
  const found = doc.columns.map((column, number) => doc.surface?.row?.[number] ?? (doc.surface || isCoded(column) ? null : (column.facts?.mean ?? null)));
  for (const number of usedColumns(tree)) if (typeof found[number] === "number" && !isCoded(doc.columns[number])) found[number] = onScale(found[number], scaleOf(tree, number).step);
  return found;
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
