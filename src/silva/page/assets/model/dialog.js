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
function stateOf(tree, answers) {
  const knowledge = new Map(answers.map((one) => [one.number, knowing(one.values, one.vague)]));
  const place = reached(tree, knowledge);
  const finished = place.column === null;
  const question = finished ? null : questionAt(tree, knowledge, place);
  const result = finished ? outcomeAt(tree, knowledge, answers, place) : null;
  return Object.freeze({ tree, answers, knowledge, place, finished, question, result, given: answers.map((one) => one.given), note: noteOn(tree, answers.at(-1)) });
}

function noteOn(tree, last) {
  const value = last ? exactValue(last.values) : null;
  if (value === null) return "";
  const column = tree.doc.columns[last.number];
  const [low, high] = trainingLimits(column);
  if (low === null || (low <= value && value <= high)) return "";
  return `${last.words} is outside the range of ${last.column} in the training rows, ${column.range}.`;
}

/** The state after an answer: an option, its key or words, or a value; AnswerError if not possible. */
export function answer(state, given) {
  if (state.question === null) throw new AnswerError("the dialog has finished, there is no question to answer: go back()");
  const number = state.place.column;
  const known = readAnswer(state.tree, state.question, knownOf(state.tree, state.knowledge, number), given);
  return stateOf(state.tree, [...state.answers, answerRecord(state.tree, number, known, given)]);
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
  return stateOf(state.tree, state.answers.slice(0, -1));
}

/** The state after these answers, as far as they are possible: for a state in an address. */
export function replay(tree, given) {
  let state = stateOf(tree, []);
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
