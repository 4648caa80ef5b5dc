/** Names, levels, sums and limits in the words of Python's labeller. */

import { number } from "./numbers.js";
import { written } from "./time.js";

const LONGEST_LEVEL = 40;

/** How many levels or terms of a condition are shown. */
export const MAX_LISTED = 10;
/** Significant digits of means. */
export const SHOWN_DIGITS = 6;

/** A predicted number for reading: whole numbers keep all digits. */
export const predicted = (value) => number(value, Number.isInteger(value) ? null : SHOWN_DIGITS);
/** In place of the column of a term: its value, not one of its levels. */
const VALUE = -1;

/** A text, or the beginning of a long one; whole if `most` is null. */
export function shortened(text, most) {
  if (most === null || text.length <= LONGEST_LEVEL) return text;
  const letters = Array.from(text);
  return letters.length <= LONGEST_LEVEL ? text : `${letters.slice(0, LONGEST_LEVEL - 3).join("")}...`;
}

/** A number of a continuous column; of dates, durations and times of day the exact time. */
export function quantity(column, limit) {
  return column.time === null || !Number.isFinite(limit) ? number(limit) : written(column.time, limit);
}

/** All items, or so many that the rest is worth counting. */
export function firstOf(items, most) {
  return most === null || items.length <= most + 1 ? items : items.slice(0, most);
}

/** All items in words, or the first `most` and how many more there are. */
export function listed(items, most, tell) {
  const first = firstOf(items, most);
  const told = first.map(tell).join(", ");
  return first.length === items.length ? told : `${told} and ${items.length - first.length} more`;
}

/** `own, parents or rent`. */
export function alternatives(told, last = " or ") {
  return told.length > 1 ? `${told.slice(0, -1).join(", ")}${last}${told.at(-1)}` : told.join("");
}

/** What a sum or a distance takes of a column: its number, or whether it has the level of a code. */
function term(column, code, isShort) {
  if (code === VALUE) return isShort ? (column.short_term ?? column.term) : column.term;
  const level = column.levels[code];
  return `[${column.plain} = ${isShort ? (level.short ?? level.form) : level.form}]`;
}

function weightedSum(weights, terms, most) {
  const count = firstOf(terms, most).length;
  let text = "";
  for (let at = 0; at < count; at++) {
    const minus = weights[at] < 0 || Object.is(weights[at], -0);
    const joint = text ? (minus ? " - " : " + ") : minus ? "-" : "";
    const alone = Math.abs(weights[at]) === 1 && terms.length > 1;
    text += joint + (alone ? terms[at] : `${number(Math.abs(weights[at]))}*${terms[at]}`);
  }
  return count < terms.length ? `${text} + ${terms.length - count} more terms` : text;
}

function distanceWords(split, columns, most) {
  const point = split.columns.map((one, at) => `${term(columns[one], VALUE, most !== null)} ${number(split.center[at])}`);
  let told = `${split.metric} distance to (${listed(point, most, String)})`;
  if (split.scale.some((one) => one !== 1)) told += ` scaled by (${listed(split.scale, most, (one) => number(one))})`;
  return split.matrix.length ? `${told} with matrix (${listed(matrixRows(split), most, String)})` : told;
}

function matrixRows(split) {
  const width = split.columns.length;
  const cells = split.matrix.map((one) => number(one));
  return split.columns.map((_, row) => `(${cells.slice(row * width, (row + 1) * width).join(", ")})`);
}

/**
 * What a split of several columns compares, and with which number. `most` limits lists; `isShort`:
 * long levels in a sum are shortened, and none has the form that tells it apart in rules.
 */
export function measured(split, columns, most, isShort = false) {
  const limit = number(split.threshold);
  if (split.kind === "distance") return [distanceWords(split, columns, most), limit];
  const terms = split.columns.map((one, at) => term(columns[one], split.codes[at], isShort));
  return [weightedSum(split.weights, terms, most), limit];
}
