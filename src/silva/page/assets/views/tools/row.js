/** The row of what-if values, which the surface takes too. */

import { name } from "../../base/dom.js";
import { ascending } from "../../model/numbers.js";
import { absence, bindRow, isCoded, placeOfValue } from "../../model/router.js";
import { axisOf } from "../../model/surface.js";
import { quantity } from "../../model/words.js";
import { listed } from "./parts.js";

const STEPS = 200;
const middles = new WeakMap();

/** The columns that the tree asks about or computes with, the most important first. */
export function usedColumns(tree) {
  const found = new Set([...(tree.linear?.column ?? []), ...tree.splits.flatMap((split) => split?.columns ?? split?.column ?? [])]);
  return [...tree.doc.surface.columns.filter((column) => found.delete(column)), ...ascending(found)];
}

/** The values by column: those of the link, else the middle ones of the training rows, rounded as the sliders move. */
export function valuesNow(app) {
  const tree = app.tree();
  if (!middles.has(tree)) middles.set(tree, middleValues(tree));
  return { ...middles.get(tree), ...app.store.get("row") };
}

/** Changes some of the values. */
export function setValues(app, values, more) {
  app.store.set({ row: { ...app.store.get("row"), ...values }, ...more });
}

function middleValues(tree) {
  const found = [...tree.doc.surface.row];
  for (const number of usedColumns(tree)) found[number] = isCoded(tree.doc.columns[number]) ? (found[number] ?? usualLevel(tree, number)) : onScale(found[number] ?? middleOf(axisOf(tree, number)), scaleOf(tree, number).step);
  return found;
}

/** Whether the page starts with a level that the data did not name. */
export function isGuessed(tree, number) {
  return isCoded(tree.doc.columns[number]) && tree.doc.surface.row[number] === null;
}

/** A level that takes the larger branch where the tree first asks about the column. */
function usualLevel(tree, number) {
  const column = tree.doc.columns[number];
  const node = tree.splits.findIndex((split) => split?.column === number);
  const code = node < 0 ? 0 : column.levels.findIndex((_, at) => placeOfValue(tree.split(node), column, at) === tree.json.nodes.larger[node]);
  return Math.max(0, code);
}

/** The number between the ends of an axis. */
export function middleOf({ low, high }) {
  return low / 2 + high / 2;
}

function onScale(value, step) {
  return Number((Math.round(value / step) * step).toPrecision(15));
}

/** Ends and step of a slider: whole numbers where ends and thresholds are whole or half. */
export function scaleOf(tree, number) {
  const { facts } = tree.doc.columns[number];
  const { low, high } = facts?.high > facts?.low ? facts : axisOf(tree, number);
  const whole = [low, high, ...limitsOf(tree, number).map((one) => 2 * one)].every(Number.isInteger);
  const step = whole && high - low <= 10 * STEPS ? 1 : 10 ** Math.floor(Math.log10((high - low) / STEPS));
  return { low: onScale(Math.floor(low / step) * step, step), high: onScale(Math.ceil(high / step) * step, step), step };
}

/** The thresholds of a column. */
export function limitsOf(tree, number) {
  return tree.splits.filter((split) => split?.column === number && Number.isFinite(split.threshold)).map((split) => split.threshold);
}

/** { row, refused } of `bindRow` for the values now. */
export function rowNow(app) {
  return bindRow(app.doc, valuesNow(app));
}

/** A cell of a bound row in words. */
export function cellWords(column, value) {
  const lacks = absence(column, value);
  if (lacks) return lacks === "missing" ? lacks : "another value";
  return isCoded(column) ? column.levels[value].text : quantity(column, value);
}

/** Columns with their cells of a bound row in words; so many at most. */
export function valueWords({ columns }, numbers, row, most) {
  return listed(numbers.map((one) => [name(columns[one].name), " is ", name(cellWords(columns[one], row[one]))]), most);
}

/** A cell of a bound row as JSON has it: the level itself, null for missing, "unseen". */
export function cellValue(column, value) {
  const lacks = absence(column, value);
  if (lacks) return lacks === "missing" ? null : lacks;
  if (isCoded(column)) return column.levels[value].value;
  return column.time === null ? value : quantity(column, value);
}
