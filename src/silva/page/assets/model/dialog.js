/** The question dialog: states never change, an answer makes the next one. */

import { exactValue, knowing, knownOf } from "./known.js";
import { outcomeAt } from "./outcome.js";
import { valuesWords } from "./phrases.js";
import { questionAt, trainingLimits } from "./questions.js";
import { AnswerError, readAnswer } from "./reading.js";
import { reached } from "./walk.js";
import { whyAt } from "./why.js";

/**
 * One state of a dialog about a tree.
 *
 * `question` is what is asked now (null when `finished`), `result` the prediction with its evidence
 * (null before), `note` a remark on the last answer, `given` what was answered, as it was given:
 * `answers` as `replay` takes them.
 */
class Dialog {
  #kept = {};

  constructor(tree, answers) {
    this.tree = tree;
    this.answers = answers;
    Object.freeze(this);
  }

  #lazy(name, make) {
    this.#kept[name] ??= { value: make() };
    return this.#kept[name].value;
  }

  get knowledge() {
    return this.#lazy("knowledge", () => new Map(this.answers.map((one) => [one.number, knowing(one.values, one.vague)])));
  }

  get place() {
    return this.#lazy("place", () => reached(this.tree, this.knowledge));
  }

  get finished() {
    return this.place.column === null;
  }

  get question() {
    return this.#lazy("question", () => (this.finished ? null : questionAt(this.tree, this.knowledge, this.place)));
  }

  get result() {
    return this.#lazy("result", () => (this.finished ? outcomeAt(this.tree, this.knowledge, this.answers, this.place) : null));
  }

  get given() {
    return this.answers.map((one) => one.given);
  }

  get note() {
    const last = this.answers.at(-1);
    const value = last === undefined ? null : exactValue(last.values);
    if (value === null) return "";
    const column = this.tree.doc.columns[last.number];
    const [low, high] = trainingLimits(column);
    if (low === null || (low <= value && value <= high)) return "";
    return `${last.words} is outside the range of ${last.column} in the training rows, ${column.range}.`;
  }
}

/** The dialog about a tree before its first question. */
export function startDialog(tree) {
  return new Dialog(tree, []);
}

/** The state after an answer: an option, its key or words, or a value; AnswerError if not possible. */
export function answer(state, given) {
  if (state.question === null) throw new AnswerError("the dialog has finished, there is no question to answer: go back()");
  const number = state.place.column;
  const known = readAnswer(state.tree, state.question, knownOf(state.tree, state.knowledge, number), given);
  return new Dialog(state.tree, [...state.answers, answerRecord(state.tree, number, known, given)]);
}

function answerRecord(tree, number, { values, vague }, given) {
  const column = tree.doc.columns[number];
  const told = valuesWords(values, tree.doc.columns) + (vague ? ", not known any closer" : "");
  const exact = exactValue(values);
  const value = exact === null || column.kind === "continuous" ? exact : column.levels[exact].value;
  const text = given !== null && typeof given === "object" ? given.key : given;
  return Object.freeze({ number, values, vague, column: column.form, words: told, value, given: text });
}

/** The state before the last answer. */
export function back(state) {
  if (!state.answers.length) throw new AnswerError("there is nothing to go back to: no question has been answered yet");
  return new Dialog(state.tree, state.answers.slice(0, -1));
}

/** The state after these answers, as far as they are possible: for a state in an address. */
export function replay(tree, given) {
  let state = startDialog(tree);
  for (const one of given) {
    try {
      state = answer(state, one);
    } catch (error) {
      if (error instanceof AnswerError) break;
      throw error;
    }
  }
  return state;
}

/** What the prediction can still be, and what the question decides. */
export function why(state) {
  return whyAt(state.tree, state.knowledge, state.place, state.question);
}

/** The state as JSON can hold it: equal to that of Python's `Dialog.to_dict`. */
export function toDict(state) {
  return {
    finished: state.finished,
    question: state.question && questionRecord(state.question),
    answers: state.answers.map(({ column, words, value }) => ({ column, words, value: finite(value) })),
    note: state.note,
    result: state.result && outcomeRecord(state.tree, state.result),
  };
}

/** The reasons as JSON can hold them: equal to those of Python's `Why.to_dict`. */
export function whyToDict(state) {
  const found = why(state);
  const label = (one) => (state.tree.nClasses ? state.tree.doc.classes[one].value : finite(one));
  const predictions = found.predictions.map((one) => ({ ...one, prediction: label(one.prediction) }));
  return { ...found, predictions, low: finite(found.low), high: finite(found.high), evidence: evidencePlain(state.tree, found.evidence) };
}

function questionRecord(question) {
  const options = question.options.map(({ key, words, leads_to, possible, special }) => ({ key, words, leads_to, possible, special }));
  return { ...question, options, low: finite(question.low), high: finite(question.high) };
}

function outcomeRecord(tree, result) {
  const shares = labelled(tree, result.shares);
  return { ...result, prediction: finite(result.prediction), shares, evidence: evidencePlain(tree, result.evidence) };
}

function evidencePlain(tree, { rows, shares, mean, deviation, interval }) {
  return { rows, shares: labelled(tree, shares), mean: finite(mean), deviation: finite(deviation), interval: interval && interval.map(finite) };
}

function labelled(tree, shares) {
  return shares.map(([code, share]) => [tree.doc.classes[code].value, share]);
}

function finite(value) {
  return typeof value === "number" && !Number.isFinite(value) ? null : value;
}
