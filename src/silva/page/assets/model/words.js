/** Names, levels, sums and limits in the words of Python's labeller. */

import { number, percent } from "./numbers.js";
import { unitName, written } from "./time.js";

const LONGEST_LEVEL = 40;

/** How many levels or terms of a condition are shown. */
export const MAX_LISTED = 10;
/** Significant digits of means. */
export const SHOWN_DIGITS = 6;
/** In place of the column of a term: its value, not one of its levels. */
const VALUE = -1;

/** A text, or the beginning of a long one; whole if `most` is null. */
export function shortened(text, most) {
  if (most === null || text.length <= LONGEST_LEVEL) return text;
  const letters = Array.from(text);
  return letters.length <= LONGEST_LEVEL ? text : `${letters.slice(0, LONGEST_LEVEL - 3).join("")}...`;
}

/** A level in a sum or a distance; long texts are shortened unless `most` is null. */
function toldLevel(level, most) {
  const told = level.told ?? level.form;
  return most === null ? told : (level.short ?? told);
}

/** A number of a continuous column; of dates, durations and times of day the exact time. */
export function quantity(column, limit) {
  return column.time === null || !Number.isFinite(limit) ? number(limit) : written(column.time, limit);
}

/** All items, or so many that the rest is worth counting. */
function firstOf(items, most) {
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

/** The largest classes with their shares, the others together: pairs of a label and a share. */
export function sharesWords(pairs, most) {
  const first = firstOf(pairs, most);
  const told = first.map(([label, share]) => `${label} ${percent(share)}`);
  const others = pairs.slice(first.length);
  if (others.length) told.push(`${others.length} others ${percent(others.reduce((sum, one) => sum + one[1], 0))}`);
  return told.join(", ");
}

/** What a sum or a distance takes of a column; `formOf` writes the level of an indicator. */
function term(column, code, formOf) {
  const who = column.plain;
  if (column.time !== null) return `${unitName(column.time)}(${who})`;
  if (column.kind === "continuous") return who;
  if (code === VALUE && column.kind !== "binary") return `position(${who})`;
  return `[${who} = ${formOf(column.levels[code === VALUE ? 1 : code], code)}]`;
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
  const tell = (level) => toldLevel(level, most);
  const point = split.columns.map((one, at) => `${term(columns[one], VALUE, tell)} ${number(split.center[at])}`);
  let told = `${split.metric} distance to (${listed(point, most, String)})`;
  if (split.scale.some((one) => one !== 1)) told += ` scaled by (${listed(split.scale, most, (one) => number(one))})`;
  return split.matrix.length ? `${told} with matrix (${listed(matrixRows(split), most, String)})` : told;
}

function matrixRows(split) {
  const width = split.columns.length;
  const cells = split.matrix.map((one) => number(one));
  return split.columns.map((_, row) => `(${cells.slice(row * width, (row + 1) * width).join(", ")})`);
}

/** What a split of several columns compares, and with which number; levels as the tree's text has them. */
export function measured(split, columns, most = null) {
  return comparison(split, columns, most, (level) => toldLevel(level, most));
}

/** The same with levels in the forms that rules use. */
export function measuredInRules(split, columns, most = null) {
  return comparison(split, columns, most, (level, code) => (code === VALUE ? toldLevel(level, null) : level.form));
}

function comparison(split, columns, most, formOf) {
  const limit = number(split.threshold);
  if (split.kind === "distance") return [distanceWords(split, columns, most), limit];
  const terms = split.columns.map((one, at) => term(columns[one], split.codes[at], formOf));
  return [weightedSum(split.weights, terms, most), limit];
}
