/** From what somebody answers to what is known: options, numbers, times, levels, or an error. */

import { isEmpty, meet } from "./conditions.js";
import { exactly, knowing } from "./known.js";
import { ascending, thousands } from "./numbers.js";
import { valuesWords } from "./phrases.js";
import { casefold, quoted, readNumber, shown, strip } from "./text.js";
import { readTime } from "./time.js";
import { MAX_LISTED, alternatives, quantity } from "./words.js";

const SHORT = { y: "yes", n: "no" };
const TYPED = { number: ["a number"], time: ["a date or time"], level: [] };

/** An answer that is not possible; the message says what is. */
export class AnswerError extends Error {}

/**
 * What is known about the column after this answer; AnswerError where it is not possible.
 *
 * `given` is an option of the question, its key or words, a number, or a value as text; null and
 * NaN mean "I do not know".
 */
export function readAnswer(tree, question, known, given) {
  const { columns } = tree.doc;
  let option = chosen(question, given);
  if (option === null) {
    const value = valueOf(columns[known.values.column], given);
    if (value !== null) return knowing(consistent(question, known, value, columns));
    option = byWords(question, given);
  }
  if (option === null) throw new AnswerError(`${refusal(question, known, given, columns)}: answer ${possible(question, columns)}`);
  if (!option.possible) throw new AnswerError(`${quoted(option.words)} is ${option.leads_to}: answer ${possible(question, columns)}`);
  return knowing(option.values, option.vague);
}

/** Everything that may be answered, in words. */
function possible(question, columns) {
  const special = question.options.filter((one) => one.special && one.possible).map((one) => `'${one.words}'`);
  const told = [...TYPED[question.takes], ...valuesTold(question, columns), ...special];
  return told.length ? alternatives(told) : "nothing: the model refuses every value";
}

/** The levels one by one, or the ranges. */
function valuesTold(question, columns) {
  const sets = question.options.filter((one) => one.possible).map((one) => one.values);
  const codes = new Set(sets.flatMap((one) => (one.kind === "levels" ? [...one.codes] : [])));
  if (!codes.size) return question.options.filter((one) => !one.special).map((one) => `'${one.words}'`);
  const forms = ascending(codes).map((code) => columns[sets[0].column].levels[code].form);
  if (forms.length <= MAX_LISTED + 1) return forms;
  return [...forms.slice(0, MAX_LISTED), `one of ${thousands(forms.length - MAX_LISTED)} more levels`];
}

/** The option that was given, by itself or by its key; null if none was. */
function chosen(question, given) {
  if (given === null || given === undefined || Number.isNaN(given)) return question.options.at(-1);
  if (question.options.includes(given)) return given;
  if (typeof given !== "string") return null;
  const key = casefold(strip(given));
  return question.options.find((one) => one.key === key) ?? null;
}

function byWords(question, given) {
  if (typeof given !== "string") return null;
  const text = casefold(strip(given).replace(/^['"]+|['"]+$/g, ""));
  return question.options.find((one) => casefold(one.words) === text) ?? null;
}

/** The number, or the code of the level; null if it is none. */
function valueOf(column, given) {
  if (column.kind !== "continuous") return codeOf(column.levels, given);
  if (column.time !== null) return typeof given === "string" ? readTime(given, column.time) : null;
  const value = typeof given === "string" ? readNumber(given) : Number(given);
  return Number.isNaN(value) ? null : value;
}

/** A level by its value, by its text, or by its text in other letters if that is clear. */
function codeOf(levels, given) {
  const isText = typeof given === "string";
  const same = levels.findIndex(({ value }) => (typeof value === "string") === isText && (isText ? value === given : Number(value) === Number(given)));
  if (same >= 0) return same;
  if (!isText) return null;
  const text = strip(given);
  const found = levels.findIndex((level) => text === level.form || text === strip(level.text));
  return found >= 0 ? found : similar(levels, text);
}

function similar(levels, text) {
  const lowered = levels.map((level) => casefold(strip(level.text)));
  let wanted = casefold(text);
  if (levels.length === 2 && !lowered.includes(wanted) && Object.hasOwn(SHORT, wanted)) wanted = SHORT[wanted];
  const places = lowered.flatMap((one, code) => (one === wanted ? [code] : []));
  if (places.length === 1) return places[0];
  const number = readNumber(text);
  if (number === null) return null;
  const equal = levels.flatMap(({ value }, code) => (typeof value !== "string" && value !== null && Number(value) === number ? [code] : []));
  return equal.length === 1 ? equal[0] : null;
}

/** The set of this value; AnswerError if earlier answers or the policies rule it out. */
function consistent(question, known, value, columns) {
  const number = known.values.column;
  const values = exactly(number, value, columns[number]);
  if (!isEmpty(meet(known.values, values))) return values;
  const before = `${columns[number].form} is ${valuesWords(known.values, columns)}`;
  throw new AnswerError(
    `${valuesWords(values, columns)} contradicts an earlier answer, ${before}: answer ${possible(question, columns)}, or go back`,
  );
}

function refusal(question, known, given, columns) {
  const column = columns[known.values.column];
  if (question.takes === "level") return `${shown(given)} is not a level of ${column.form}`;
  if (question.takes === "number") return `${shown(given)} is not a number`;
  const zone = column.time.zone ? " with a time zone" : "";
  return `${shown(given)} is not a ${column.time.sort}${zone} such as ${quantity(column, 0)}`;
}
