import { h, replace, select } from "../base/dom.js";
import { counted, number, percent, thousands } from "../model/numbers.js";
import { figure, table, wide } from "./charts/frame.js";
import { lineChart } from "./charts/lines.js";
import { capital, className, label, section } from "./parts.js";
import { stabilityPart } from "./stability.js";

const SIDE_BY_SIDE = 5;
const SHARES = ["accuracy", "balanced accuracy"];
const NO_ROWS = "How good the model is, is not known here: no rows with targets are in this page. Give them: silva.report(model, X, y). Rows that the model was not fitted to say most.";

/** How good the model is on the given rows: figures, confusion matrix, calibration. */
export const view = { id: "quality", title: "Quality", available: ({ given, stability }) => (given || stability ? true : NO_ROWS), mount };

function mount(element, { doc }) {
  const { given } = doc;
  const parts = given ? ofGiven(doc, given) : [h("p", { class: "lead" }, NO_ROWS)];
  replace(element, parts, doc.stability ? section("Stability", stabilityPart(doc)) : null);
}

function ofGiven(doc, given) {
  const where = given.are_training ? "On the training rows: optimistic" : "On the given rows";
  const size = given.rows === null ? "" : ` (${counted(given.rows, "row")})`;
  return [
    h("h2", null, `${where}${size}`),
    given.note ? h("p", { class: "lead" }, given.note) : null,
    h("div", { class: doc.classes?.length > SIDE_BY_SIDE ? "one" : "two" }, section("Figures", figuresOf(given)), section("Confusion matrix", given.rows === null ? null : confusion(doc, given.confusion))),
    section("Calibration", given.rows === null ? null : calibration(doc, given)),
    section("Predicted and actual", given.predicted ? predicted(given) : null),
  ];
}

function figuresOf({ figures }) {
  if (!figures?.length) return h("p", { class: "quiet" }, "Withheld: there are too few rows.");
  const rows = figures.map((one) => [capital(one.name), tell(one.name, one.value), one.low === null ? "–" : `${tell(one.name, one.low)} to ${tell(one.name, one.high)}`, tell(one.name, one.baseline ?? null)]);
  return [table("Figures", ["measure", "#value", "#95% interval", "#baseline"], rows, { class: "figures" }), h("p", { class: "quiet" }, "The baseline always predicts the most frequent class, or the mean.")];
}

function tell(measure, value) {
  const known = { Infinity: "infinite", "-Infinity": "minus infinite", NaN: "not defined" };
  if (typeof value === "string" || value === null) return known[value] ?? "–";
  return SHARES.includes(measure) ? percent(value) : number(value, 4);
}

function confusion(doc, found) {
  if (!found) return doc.classes ? h("p", { class: "quiet" }, "There are too many classes for a matrix.") : null;
  const width = found.counts[0].length;
  const labelAt = (at) => (at < doc.classes.length ? className(doc, at) : label(found.labels[at]));
  const heads = h("tr", null, h("th", { scope: "col" }, "true class"), Array.from({ length: width }, (_, at) => h("th", { scope: "col", class: "number" }, labelAt(at))));
  const lines = found.counts.map((counts, at) => matrixRow(counts, at, labelAt(at)));
  const over = h("tr", null, h("td"), h("th", { colspan: width, scope: "colgroup", class: "over-columns" }, "predicted class"));
  const unit = found.weighted ? "Sums of weights" : "Rows";
  return [wide("Confusion matrix", h("table", { class: "matrix" }, h("caption", { class: "spoken" }, "Rows by true and predicted class"), h("thead", null, over, heads), h("tbody", null, lines))), h("p", { class: "quiet" }, `${unit}, and their share of the true class. Framed: predicted right.`)];
}

function matrixRow(counts, line, head) {
  const isKnown = counts.every((one) => one !== null);
  const total = counts.reduce((sum, one) => sum + (one ?? 0), 0);
  const cells = counts.map((count, at) => {
    if (count === null) return h("td", { class: "number" }, "withheld");
    const share = isKnown && total ? count / total : null;
    const shade = share === null || share === 0 ? "" : ` shade-${Math.min(4, Math.floor(share * 5))}`;
    if (count === 0 && at !== line) return h("td", { class: "number quiet" }, "0");
    return h("td", { class: `number cell${shade}${at === line ? " right" : ""}` }, h("strong", null, countWords(count)), share === null ? null : h("span", { class: "part-of" }, ` ${percent(share)}`));
  });
  return h("tr", null, h("th", { scope: "row" }, head), cells);
}

function countWords(count) {
  return Number.isInteger(count) ? thousands(count) : number(count, 6);
}

function calibration(doc, { calibration: found }) {
  if (!found) return doc.classes ? h("p", { class: "quiet" }, "There are too many classes for curves.") : null;
  const box = h("div");
  const show = (code) => replace(box, comparison(`Calibration of ${doc.classes[code].text}`, found[code].bins, "share", "occurred", percent, [0, 1]));
  const first = found.length === 2 ? 1 : 0;
  show(first);
  const options = found.map((_, code) => [code, doc.classes[code].text]);
  return [h("p", null, "Class: ", select("Class whose probabilities are checked", options, first, (value) => show(Number(value)))), box];
}

function predicted({ predicted: bins }) {
  const all = bins.flatMap((one) => [one.mean, one.actual]).filter((one) => one !== null);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const room = (high - low) * 0.05 || 1;
  return comparison("Predicted and actual", bins, "actual", "actual mean", (value) => number(value, 4), [low - room, high + room]);
}

/** What was predicted beside what was true, one dot a bin; `key` is where a bin has the latter. */
function comparison(title, bins, key, word, write, range) {
  const known = bins.filter((one) => one.mean !== null && one[key] !== null);
  const told = (value) => (value === null ? "withheld" : write(value));
  const rows = bins.map((one) => [`${write(one.low)} to ${write(one.high)}`, told(one.mean), told(one[key]), one.rows === null ? "withheld" : thousands(one.rows)]);
  const hidden = bins.length - known.length;
  const words = h("p", { class: "quiet" }, `On the dashed line predictions are right on average. Larger dots have more rows.${hidden ? ` ${counted(hidden, "bin")} withheld.` : ""}`);
  const chart = comparisonChart(title, known, key, word, write, range);
  return h("div", { class: "two" }, known.length ? figure((width) => lineChart(chart, Math.min(width, 460), 300), words) : words, table(title, ["predicted", "#mean", `#${word}`, "#rows"], rows, { class: "figures" }));
}

function comparisonChart(title, bins, key, word, write, [low, high]) {
  const most = Math.max(...bins.map((one) => one.rows));
  return {
    title,
    description: `${capital(word)} by what was predicted, in ${bins.length} bins. The table has the numbers.`,
    x: { values: bins.map((one) => one.mean), low, high, label: "predicted", tell: write },
    y: { low, high, label: word, tell: write },
    series: [{ name: "", look: "look-cv", values: bins.map((one) => one[key]), dots: true, sizes: bins.map((one) => 3 + 6 * Math.sqrt(one.rows / most)), words: bins.map((one) => `predicted ${write(one.mean)}, ${word} ${write(one[key])}, ${counted(one.rows, "row")}`) }],
    diagonal: true,
  };
}
