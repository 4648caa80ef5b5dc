import { h, name, replace, select } from "../base/dom.js";
import { counted, number, percent, thousands } from "../model/numbers.js";
import { figure, table } from "./charts/frame.js";
import { lineChart } from "./charts/lines.js";
import { className, section } from "./parts.js";
import { stabilityPart } from "./stability.js";

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
    h("div", { class: "two" }, section("Figures", figuresOf(given)), section("Confusion matrix", confusion(doc, given.confusion))),
    section("Calibration", calibration(doc, given)),
    section("Predicted and actual", given.predicted ? predicted(given) : null),
  ];
}

function figuresOf({ figures }) {
  if (!figures?.length) return h("p", { class: "quiet" }, "Withheld: there are too few rows.");
  const rows = figures.map((one) => [capital(one.name), tell(one.name, one.value), one.low === null ? "–" : `${tell(one.name, one.low)} to ${tell(one.name, one.high)}`, tell(one.name, one.baseline ?? null)]);
  return [table("Figures", ["measure", "#value", "#95% interval", "#baseline"], rows, { class: "figures" }), h("p", { class: "quiet" }, "The baseline always predicts the most frequent class, or the mean.")];
}

function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}

function tell(measure, value) {
  const known = { Infinity: "infinite", "-Infinity": "minus infinite", NaN: "not defined" };
  if (typeof value === "string" || value === null) return known[value] ?? "–";
  return SHARES.includes(measure) ? percent(value) : number(value, 4);
}

function confusion(doc, found) {
  if (!found) return doc.classes ? h("p", { class: "quiet" }, "There are too many classes for a matrix.") : null;
  const width = found.counts[0].length;
  const label = (at) => (at < doc.classes.length ? className(doc, at) : name(found.labels[at]));
  const heads = h("tr", null, h("th", { scope: "col" }, "true class"), Array.from({ length: width }, (_, at) => h("th", { scope: "col", class: "number" }, label(at))));
  const lines = found.counts.map((counts, at) => matrixRow(counts, at, label(at)));
  const over = h("tr", null, h("td"), h("th", { colspan: width, scope: "colgroup", class: "over-columns" }, "predicted class"));
  const unit = found.weighted ? "Sums of weights" : "Rows";
  return [h("div", { class: "wide" }, h("table", { class: "matrix" }, h("caption", { class: "spoken" }, "Rows by true and predicted class"), h("thead", null, over, heads), h("tbody", null, lines))), h("p", { class: "quiet" }, `${unit}, and their share of the true class. Framed: predicted right.`)];
}

function matrixRow(counts, line, label) {
  const isKnown = counts.every((one) => one !== null);
  const total = counts.reduce((sum, one) => sum + (one ?? 0), 0);
  const cells = counts.map((count, at) => {
    if (count === null) return h("td", { class: "number" }, "withheld");
    const share = isKnown && total ? count / total : null;
    const shade = share === null || share === 0 ? "" : ` shade-${Math.min(4, Math.floor(share * 5))}`;
    return h("td", { class: `number cell${shade}${at === line ? " right" : ""}` }, h("strong", null, countWords(count)), share === null ? null : h("span", { class: "part-of" }, ` ${percent(share)}`));
  });
  return h("tr", null, h("th", { scope: "row" }, label), cells);
}

function countWords(count) {
  return Number.isInteger(count) ? thousands(count) : number(count, 6);
}

function calibration(doc, { calibration: found }) {
  if (!found) return doc.classes ? h("p", { class: "quiet" }, "There are too many classes for curves.") : null;
  const box = h("div");
  const show = (code) => replace(box, reliability(found[code].bins, doc.classes[code].text));
  const first = found.length === 2 ? 1 : 0;
  show(first);
  const options = found.map((_, code) => [code, doc.classes[code].text]);
  return [h("p", null, "Class: ", select("Class whose probabilities are checked", options, first, (value) => show(Number(value)))), box];
}

/** Predicted probabilities beside how often the class occurred, one dot a bin. */
function reliability(bins, label) {
  const known = bins.filter((one) => one.mean !== null && one.share !== null);
  const hidden = bins.length - known.length;
  const rows = bins.map((one) => [`${percent(one.low)} to ${percent(one.high)}`, one.mean === null ? "withheld" : percent(one.mean), one.share === null ? "withheld" : percent(one.share), one.rows === null ? "withheld" : thousands(one.rows)]);
  const words = h("p", { class: "quiet" }, `On the dashed line predictions are right on average. Larger dots have more rows.${hidden ? ` ${counted(hidden, "bin")} withheld.` : ""}`);
  const drawn = known.length ? figure((width) => lineChart(reliabilityChart(known, label), Math.min(width, 460), 300), words) : words;
  return h("div", { class: "two" }, drawn, table("Calibration by predicted probability", ["predicted", "#mean", "#occurred", "#rows"], rows, { class: "figures" }));
}

function reliabilityChart(bins, label) {
  const most = Math.max(...bins.map((one) => one.rows));
  return {
    title: `Calibration of ${label}`,
    description: `How often ${label} occurred, by the probability that was predicted, in ${bins.length} bins. The table below has the numbers.`,
    x: { values: bins.map((one) => one.mean), low: 0, high: 1, label: "predicted probability", tell: percent },
    y: { low: 0, high: 1, label: "occurred", tell: percent },
    series: [{ name: "", look: "look-cv", values: bins.map((one) => one.share), dots: true, sizes: bins.map((one) => 3 + 6 * Math.sqrt(one.rows / most)), words: bins.map((one) => `predicted ${percent(one.mean)}, occurred ${percent(one.share)}, ${counted(one.rows, "row")}`) }],
    diagonal: true,
  };
}

/** Means of what was predicted and of what was true, in bins of about equally many rows. */
function predicted({ predicted: bins }) {
  const known = bins.filter((one) => one.mean !== null && one.actual !== null);
  const rows = bins.map((one) => [`${number(one.low, 4)} to ${number(one.high, 4)}`, one.mean === null ? "withheld" : number(one.mean, 4), one.actual === null ? "withheld" : number(one.actual, 4), one.rows === null ? "withheld" : thousands(one.rows)]);
  const words = h("p", { class: "quiet" }, "Each dot is the mean of a bin. On the dashed line predictions are right on average.");
  return h("div", { class: "two" }, known.length > 1 ? figure((width) => lineChart(predictedChart(known), Math.min(width, 460), 300), words) : null, table("Predicted and actual", ["predicted", "#mean", "#actual mean", "#rows"], rows, { class: "figures" }));
}

function predictedChart(bins) {
  const all = bins.flatMap((one) => [one.mean, one.actual]);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const room = (high - low) * 0.05 || 1;
  const tell4 = (value) => number(value, 4);
  return {
    title: "Predicted and actual",
    description: `Mean actual target by mean prediction in ${bins.length} bins. The table below has the numbers.`,
    x: { values: bins.map((one) => one.mean), low: low - room, high: high + room, label: "predicted", tell: tell4 },
    y: { low: low - room, high: high + room, label: "actual", tell: tell4 },
    series: [{ name: "", look: "look-cv", values: bins.map((one) => one.actual), dots: true, sizes: bins.map(() => 4), words: bins.map((one) => `predicted ${tell4(one.mean)}, actual ${tell4(one.actual)}, ${one.rows} rows`) }],
    diagonal: true,
  };
}
