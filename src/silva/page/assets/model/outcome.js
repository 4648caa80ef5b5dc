/** The end of a dialog: the prediction, what it rests on, and why it is this one. */

import { columnsOf, isJoint, merged, regionOf, regionOfEnd, thresholdsOf } from "./conditions.js";
import { evidenceOf } from "./evidence.js";
import { lacksValue, rowOf } from "./known.js";
import { ascending, counted, number, percent } from "./numbers.js";
import { predictionWords } from "./phrases.js";
import { predictionAt } from "./predict.js";
import { conjunction } from "./rules.js";
import { agreed, endsFrom, termsOf } from "./walk.js";
import { MAX_LISTED, SHOWN_DIGITS, alternatives, firstOf } from "./words.js";

const MOST_SHARES = 5;
const SMALL_SAMPLE = 10;
const WITHHELD = "withheld, as few rows are not counted on this page";

/** The outcome of a dialog that has ended at a place, under the names that Python's `Outcome` has. */
export function outcomeAt(tree, knowledge, given, place) {
  const ends = place.settled ? ascending(endsFrom(tree, place.node, knowledge)) : [place.node];
  const answer = predictionAt(tree, ends[0], rowOf(tree, knowledge));
  const prediction = tree.nClasses ? answer.code : answer.value;
  const evidence = evidenceRecord(tree, ends, tree.nClasses ? prediction : null);
  if (termsOf(tree, place.node).length) evidence.interval = null;
  const shares = place.settled ? evidence.shares : classShares(answer.shares ?? []);
  const outcome = {
    prediction: tree.nClasses ? tree.doc.classes[prediction].value : prediction,
    shares,
    evidence,
    is_small: evidence.rows !== null && evidence.rows < SMALL_SAMPLE,
    settled: place.settled,
    path: pathSentence(given),
    rule: ruleWords(tree, knowledge, place, prediction),
  };
  return { ...outcome, words: outcomeWords(tree, outcome, prediction) };
}

/** Pairs of a class code and its share, the largest first; only classes that occur. */
export function classShares(byClass) {
  const codes = Array.from(byClass, (_, code) => code).filter((code) => byClass[code] > 0);
  return codes.sort((one, other) => byClass[other] - byClass[one]).map((code) => [code, byClass[code]]);
}

/** The training rows of nodes under the names that Python's `Evidence` has; classes by their codes. */
export function evidenceRecord(tree, nodes, predicted = null) {
  const { rows, byClass, mean, deviation, interval } = evidenceOf(tree, nodes, predicted);
  return { rows, shares: classShares(byClass ?? []), mean, deviation, interval };
}

/** `3 training rows: no 66.7%, yes 33.3%`. */
export function evidenceWords(tree, evidence) {
  if (evidence.rows === null) return WITHHELD;
  const size = counted(evidence.rows, "training row");
  if (tree.nClasses ? !evidence.shares.length : evidence.deviation === null) return `${size}: the rest is ${WITHHELD}`;
  if (tree.nClasses) return `${size}: ${labelledShares(tree, evidence.shares)}`;
  const [mean, deviation] = [evidence.mean, evidence.deviation].map((one) => number(one, SHOWN_DIGITS));
  return `${size}: mean ${mean}, deviation ${deviation}`;
}

/** The largest classes with their shares, the others together. */
function labelledShares(tree, pairs) {
  const first = firstOf(pairs, MOST_SHARES);
  const told = first.map(([code, share]) => `${tree.doc.classes[code].label} ${percent(share)}`);
  const others = pairs.slice(first.length);
  if (others.length) told.push(`${others.length} others ${percent(others.reduce((sum, one) => sum + one[1], 0))}`);
  return told.join(", ");
}

function pathSentence(given) {
  if (!given.length) return "No question was needed.";
  const last = new Map();
  for (const one of given) last.set(one.number, `${one.column} is ${one.words}`);
  return `${alternatives([...last.values()], " and ")}.`;
}

function ruleWords(tree, knowledge, place, prediction) {
  const conditions = place.settled ? settledConditions(tree, knowledge, place.node) : regionOfEnd(tree, place.node);
  if (conditions === null) return "";
  const told = conjunction(conditions, tree.doc.columns, MAX_LISTED);
  if (termsOf(tree, place.node).length) return `${told} -> ${tree.json.leaf_words[tree.leafNumber[place.node]]}`;
  return `${told} -> ${predictionWords(tree, prediction)}`;
}

/**
 * Conditions that every row with the dialog's prediction for the same reason satisfies; null where
 * that cannot be said: below splits of several columns, and after "I do not know" about a part of a
 * range.
 */
function settledConditions(tree, knowledge, node) {
  const conditions = regionOf(tree, node);
  if (agreed(tree, node, new Map())) return conditions;
  const asked = tree.splits.slice(node, tree.end[node]).filter((split) => split !== null);
  if (asked.some(isJoint)) return null;
  const below = asked.flatMap(columnsOf);
  const columns = ascending(below).filter((column) => knowledge.has(column));
  const known = columns.map((column) => knowledge.get(column));
  if (known.some((one) => one.vague && !lacksValue({ ...one, vague: false }))) return null;
  return merged([...conditions, ...known.map((one) => cellOf(tree, one.values))], tree.doc.columns);
}

/** The values that the tree does not tell apart from these. */
function cellOf(tree, values) {
  if (values.kind !== "interval" || !values.known) return values;
  const limits = thresholdsOf(tree, values.column);
  const low = values.low === null ? null : limits.filter((limit) => limit <= values.low).at(-1);
  const high = values.high === null ? null : limits.find((limit) => limit >= values.high);
  return { ...values, low: low ?? null, high: high ?? null };
}

function outcomeWords(tree, outcome, prediction) {
  const { evidence } = outcome;
  const lines = [`Prediction: ${predictionWords(tree, prediction)}`, `  ${outcome.path}`];
  if (outcome.settled) lines.push("  Further questions would not change the prediction.");
  lines.push(`  evidence: ${evidenceWords(tree, evidence)}`);
  if (evidence.interval !== null) lines.push(`  ${intervalWords(tree, evidence.interval, prediction)}`);
  if (outcome.shares.length && String(outcome.shares) !== String(evidence.shares)) lines.push(`  probabilities: ${labelledShares(tree, outcome.shares)}`);
  if (outcome.is_small) lines.push(`  Few rows: this rests on fewer than ${SMALL_SAMPLE} training rows.`);
  if (outcome.rule) lines.push(`  rule: ${outcome.rule}`);
  return lines.join("\n");
}

function intervalWords(tree, limits, prediction) {
  const what = tree.nClasses ? `share of ${tree.doc.classes[prediction].label}` : "mean";
  return `95% interval of the ${what}: ${limits.map((limit) => (tree.nClasses ? percent(limit) : number(limit, SHOWN_DIGITS))).join(" to ")}`;
}
