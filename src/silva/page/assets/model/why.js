/** Why a question is asked: what the prediction can still be, and what each answer leaves open. */

import { STOP, isJoint } from "./conditions.js";
import { rowsOf } from "./evidence.js";
import { knowing } from "./known.js";
import { ascending, counted, thousands } from "./numbers.js";
import { evidenceRecord, evidenceWords } from "./outcome.js";
import { predictionWords } from "./phrases.js";
import { constantOf, endsFrom } from "./walk.js";
import { MAX_LISTED, alternatives, measured } from "./words.js";

const MOST_PREDICTIONS = 5;
const MOST_BRANCHES = 15;

/** The reasons at a place, under names that Python's `Why` has; classes by their codes. */
export function whyAt(tree, knowledge, place, question) {
  const isEnd = place.column === null && !place.settled;
  const found = isEnd ? [place.node] : ascending(endsFrom(tree, place.node, knowledge));
  const record = {
    predictions: possibleOf(tree, found),
    evidence: evidenceRecord(tree, found),
    reason: reasonOf(tree, place, question),
    branches: branchesOf(tree, knowledge, question, place),
  };
  return { ...record, words: whyWords(tree, record) };
}

/** The predictions of ends with their number and training rows, most rows first. */
function possibleOf(tree, ends) {
  const byAnswer = new Map();
  for (const end of ends) {
    const answer = constantOf(tree, end);
    if (!byAnswer.has(answer)) byAnswer.set(answer, []);
    byAnswer.get(answer).push(end);
  }
  const found = [...byAnswer].map(([prediction, nodes]) => ({ prediction, ends: nodes.length, rows: rowsOf(tree, nodes) }));
  return found.sort((one, other) => other.rows - one.rows);
}

function reasonOf(tree, place, question) {
  if (question === null) return "Nothing is left to ask.";
  const { form } = tree.doc.columns[place.column];
  const split = tree.split(place.node);
  if (split === null) return `The model of the leaf computes its prediction from ${form}.`;
  if (!isJoint(split)) return `The answer about ${form} decides between:`;
  const [what, limit] = measured(split, tree.doc.columns, MAX_LISTED, true);
  return `The value of ${form} is needed to compare ${what} with ${limit}.`;
}

/** Pairs of an option's words and what remains possible after it. */
function branchesOf(tree, knowledge, question, place) {
  if (question === null || question.exact) return [];
  return question.options.filter((option) => option.possible).map((option) => {
    const then = new Map(knowledge).set(place.column, knowing(option.values, option.vague));
    return [option.words, outlook(tree, then, place.node, option.child)];
  });
}

/** The predictions that remain at a child of a node, in words. */
function outlook(tree, knowledge, node, child) {
  const isEnd = child === null || child === STOP;
  const ends = isEnd ? [node] : ascending(endsFrom(tree, tree.child(node, child), knowledge));
  const remaining = [...new Set(ends.map((end) => constantOf(tree, end)))];
  if (!tree.nClasses && remaining.length > 1) return rangeWords(tree, remaining);
  const told = remaining.slice(0, MOST_PREDICTIONS).map((one) => predictionWords(tree, one));
  const more = remaining.length - MOST_PREDICTIONS;
  if (more > 0) told.push(`one of ${more} more classes`);
  return alternatives(told);
}

function rangeWords(tree, numbers) {
  const sorted = ascending(numbers);
  return `${predictionWords(tree, sorted[0])} to ${predictionWords(tree, sorted.at(-1))}`;
}

function whyWords(tree, { predictions, evidence, reason, branches }) {
  const told = evidenceWords(tree, evidence);
  const at = told.indexOf(": ");
  const remain = `${told.slice(0, at)} ${evidence.rows === 1 ? "remains" : "remain"}: ${told.slice(at + 2)}.`;
  const lines = [stillWords(tree, predictions), at < 0 ? `Training rows: ${told}.` : remain, reason];
  lines.push(...branches.slice(0, MOST_BRANCHES).map(([option, what]) => `  ${option}: ${what}`));
  const hidden = branches.length - MOST_BRANCHES;
  if (hidden > 0) lines.push(`  ... and ${thousands(hidden)} more`);
  return lines.join("\n");
}

/** What can still be predicted; of leaves with linear models, what their rows are like. */
function stillWords(tree, predictions) {
  let told = predictions.map((one) => `${labelOf(tree, one.prediction)} (${sizeWords(one.rows)})`);
  if (!tree.nClasses && predictions.length > 1) told = [rangeWords(tree, predictions.map((one) => one.prediction))];
  if (told.length > MOST_PREDICTIONS + 1) {
    told = [...told.slice(0, MOST_PREDICTIONS), `one of ${told.length - MOST_PREDICTIONS} more classes`];
  }
  if (tree.linear !== null) {
    return `The ${tree.nClasses ? "majority class" : "mean"} of the leaves that remain: ${alternatives(told)}.`;
  }
  return `The prediction ${predictions.length === 1 ? "is" : "can still be"} ${alternatives(told)}.`;
}

function sizeWords(rows) {
  return rows === null ? "few training rows" : counted(rows, "training row");
}

/** A class without the word that tells numbers apart from figures, or a number. */
function labelOf(tree, prediction) {
  if (!tree.nClasses) return predictionWords(tree, prediction);
  const { label, value } = tree.doc.classes[prediction];
  return typeof value === "string" || typeof value === "boolean" ? label : label.replace(/^class /, "");
}
