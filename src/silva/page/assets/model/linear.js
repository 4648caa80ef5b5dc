import { decoded } from "./tree.js";
import { absence } from "./router.js";

const NUMBERS = ["weight", "center", "intercept", "low", "high"];

/** Whether a row that ends at this node gets the answer of a linear model. */
export function hasModel(tree, node) {
  return tree.linear !== null && tree.isLeaf(node) && tree.nClasses !== 1;
}

/** What the linear models of a leaf answer: one number, or the log-odds of each of three or more classes. */
export function leafAnswers(tree, node, row) {
  const models = modelsOf(tree);
  const width = tree.nClasses > 2 ? tree.nClasses : 1;
  const first = tree.leafNumber[node] * width;
  return Array.from({ length: width }, (_, at) => answer(models, tree.doc.columns, first + at, row));
}

/** The probability of each class from the log-odds: of class 1 of two, or of each class against the rest. */
export function logisticShares(logOdds) {
  if (logOdds.length === 1) return Float64Array.of(logistic(-logOdds[0]), logistic(logOdds[0]));
  const shares = Float64Array.from(logOdds, logistic);
  let sum = 0;
  for (const share of shares) sum += share;
  return shares.map((share) => share / sum);
}

/** The models of all leaves as numbers, kept with the tree. */
function modelsOf(tree) {
  tree.models ??= { ...tree.linear, ...Object.fromEntries(NUMBERS.map((name) => [name, Float64Array.from(tree.linear[name], decoded)])) };
  return tree.models;
}

function answer(models, columns, model, row) {
  let sum = models.intercept[model];
  for (let at = models.start[model]; at < models.start[model + 1]; at++) {
    const value = term(columns[models.column[at]], models.code[at], row[models.column[at]]);
    if (!Number.isNaN(value)) sum += models.weight[at] * (value - models.center[at]);
  }
  if (Number.isNaN(sum)) sum = models.intercept[model];
  const raised = sum < models.low[model] ? models.low[model] : sum;
  return models.high[model] < raised ? models.high[model] : raised;
}

function term(column, code, value) {
  if (absence(column, value) || !Number.isFinite(value)) return NaN;
  return code < 0 ? value : Number(value === code);
}

function logistic(logOdds) {
  const small = Math.exp(-Math.abs(logOdds));
  return (logOdds >= 0 ? 1 : small) / (1 + small);
}
