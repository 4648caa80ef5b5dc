/** Sets of values as people say them: `below 3350`, `own or parents`, `not known`. */

import { exactValue } from "./known.js";
import { ascending, number } from "./numbers.js";
import { writtenRound } from "./time.js";
import { MAX_LISTED, alternatives, predicted, quantity, shortened } from "./words.js";

export const DO_NOT_KNOW = "I do not know";
export const ANOTHER_VALUE = "another value";

/** The values of an option or an answer; missing ones only if there are no others. */
export function valuesWords(values, columns) {
  const column = columns[values.column];
  if (values.kind === "interval") return intervalWords(values, column);
  if (values.unseen && !values.missing) return ANOTHER_VALUE;
  return values.codes.size ? levelsWords(values, column) : "not known";
}

function intervalWords(values, column) {
  if (!values.known) return "not known";
  const exact = exactValue(values);
  if (exact !== null) return column.time === null || !Number.isFinite(exact) ? number(exact) : writtenRound(column.time, exact);
  const [low, high] = [values.low, values.high].map((one) => (one === null ? null : quantity(column, one)));
  const isMoment = column.time !== null && column.time.sort !== "duration";
  const [below, more] = isMoment ? ["before", "later"] : ["below", "more"];
  if (low === null) return high === null ? "known" : `${below} ${high}`;
  return high === null ? `${low} or ${more}` : `${low} or ${more}, but ${below} ${high}`;
}

function levelsWords(values, column) {
  const codes = ascending(values.codes);
  const told = codes.map((code) => shortened(column.levels[code].form, MAX_LISTED));
  const isRun = codes.at(-1) - codes[0] === codes.length - 1;
  if (column.kind === "ordinal" && isRun && codes.length > 2) return `${told[0]} to ${told.at(-1)}`;
  if (told.length <= MAX_LISTED + 1) return alternatives(told);
  return `${told.slice(0, MAX_LISTED).join(", ")} or one of ${told.length - MAX_LISTED} more`;
}

/** A class by its code, or a number. */
export function predictionWords(tree, prediction) {
  return tree.nClasses ? tree.doc.classes[prediction].form : predicted(prediction);
}
