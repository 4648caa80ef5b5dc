/** What has been answered about a column, as the set of values that are still possible. */

import { bindable, interval, levelSet } from "./conditions.js";
import { nextUp } from "./exact.js";
import { MISSING, isCoded } from "./router.js";

/**
 * The values of a column that are possible after the answers so far. `vague`: no more can be said;
 * where these values do not decide a question, the row takes the way of missing values.
 */
export function knowing(values, vague = false) {
  return { values, vague };
}

/** What is known about a column; every value that the model takes if nobody asked. */
export function knownOf(tree, knowledge, number) {
  return knowledge.get(number) ?? knowing(anyValue(tree, number));
}

/** Every value of a column that the model takes. */
export function anyValue(tree, number) {
  const { columns } = tree.doc;
  const column = columns[number];
  return bindable(isCoded(column) ? levelSet(number, new Set(Array(column.n_levels).keys())) : interval(number), columns);
}

/** The set of the missing value alone. */
export function nothingKnown(values) {
  if (values.kind === "interval") return interval(values.column, null, null, false);
  return levelSet(values.column, new Set(), true, false);
}

/** The set of one number, or of one level by its code. */
export function exactly(number, value, column) {
  if (column.kind !== "continuous") return levelSet(number, new Set([value]), false, false);
  const low = value === -Infinity ? null : value;
  return interval(number, low, value === Infinity ? null : nextUp(value), true, false);
}

/** The known values of the set. */
export function knownPart(values) {
  return values.kind === "interval" ? { ...values, missing: false } : { ...values, missing: false, unseen: false };
}

/** The number or the code, if it is the only value of the set; else null. */
export function exactValue(values) {
  if (values.missing) return null;
  if (values.kind === "levels") return values.unseen || values.codes.size !== 1 ? null : [...values.codes][0];
  const low = values.low ?? -Infinity;
  const isOne = low === Infinity || (values.high !== null && nextUp(low) === values.high);
  return values.known && isOne ? low : null;
}

/** Whether a split of several columns, or a linear model, has to do without the value. */
export function lacksValue({ values, vague }) {
  const hasKnown = values.kind === "interval" ? values.known : values.codes.size > 0;
  return !hasKnown || (vague && exactValue(values) === null);
}

/** A row with the values that are known exactly; all others are missing. */
export function rowOf(tree, knowledge) {
  return Float64Array.from(tree.doc.columns, (column, number) => {
    const isKnown = knowledge.has(number) || column.n_levels === 1;
    const value = isKnown ? exactValue(knownOf(tree, knowledge, number).values) : null;
    return value ?? (column.kind === "continuous" ? NaN : MISSING);
  });
}
