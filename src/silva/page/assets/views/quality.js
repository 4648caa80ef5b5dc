import { h, replace, select } from "../base/dom.js";
import { counted, number, percent, thousands } from "../model/numbers.js";
import { decoded } from "../model/tree.js";
import { figure, table, wide } from "./charts/frame.js";
import { total } from "./charts/histogram.js";
import { lineChart } from "./charts/lines.js";
import { capital, label, quiet, section, short } from "./parts.js";
import { stabilityPart } from "./stability.js";

const SIDE_BY_SIDE = 5;
const WITHHELD = "withheld";
const NO_ROWS = "How good the model is, is not known here: no rows with targets are in this page. Give them: silva.report(model, X, y). Rows that the model was not fitted to say most.";

/** How good the model is on the given rows: figures, confusion matrix, calibration. */
export const view = { id: "quality", title: "Quality", available: ({ given, stability }) => (given || stability ? true : NO_ROWS), mount };

function mount(element, { doc }) {
  replace(element, doc.given ? ofGiven(doc, doc.given) : h("p", { class: "lead" }, NO_ROWS), doc.stability && section("Stability", stabilityPart(doc)));
}

function ofGiven(doc, given) {
  const { rows, note, figures, predicted: bins } = given;
  return [
    h("h2", null, `On the ${given.name}${given.are_training ? ": optimistic" : ""}${rows === null ? "" : ` (${counted(rows, "row")})`}`),
    h("p", { class: "lead" }, note),
    h("div", { class: !(doc.classes?.length > SIDE_BY_SIDE) && "two" }, section("Figures", figures ? figureTable(figures) : quiet("Withheld.")), section("Confusion matrix", doc.classes && figures && confusion(doc.classes, given.confusion))),
    section("Calibration", doc.classes && figures && calibration(doc.classes, given.calibration)),
    section("Predicted and actual", bins && predicted(bins)),
  ];
}

function figureTable(figures) {
  const rows = figures.map(({ name, value, low, high, baseline }) => {
    const tell = (one) => (one === null ? "not defined" : name.endsWith("accuracy") ? percent(one) : short(decoded(one)));
    return [capital(name), tell(value), low === null ? "–" : `${tell(low)} to ${tell(high)}`, tell(baseline)];
  });
  return [table("Figures", ["measure", "#value", "#95% interval", "#baseline"], rows, "figures"), quiet("The baseline always predicts the most frequent class, or the mean.")];
}

function confusion(classes, found) {
  if (!found) return quiet("There are too many classes for a matrix.");
  const { counts, weighted } = found;
  const labels = found.labels.map((one, at) => classes[at]?.text ?? one);
  const title = "Rows by true and predicted class";
  const heads = counts[0].map((_, at) => `#${labels[at]}`);
  const rows = counts.map((line, at) => [label(labels[at]), ...matrixRow(line, at)]);
  return [wide(title, table(title, ["true \\ predicted", ...heads], rows, "matrix")), quiet(`${weighted ? "Sums of weights" : "Rows"}, and their share of the true class. Framed: predicted right.`)];
}

function matrixRow(counts, line) {
  const all = counts.includes(null) ? 0 : total(counts);
  return counts.map((count, at) => {
    if (count === null) return WITHHELD;
    const share = all && count / all;
    const shade = share > 0 ? `shade-${Math.min(4, Math.floor(share * 5))}` : "";
    return h("div", { class: `cell ${shade} ${at === line ? "right" : ""}` }, h("strong", null, Number.isInteger(count) ? thousands(count) : number(count, 6)), share > 0 && h("span", { class: "part-of" }, percent(share)));
  });
}

function calibration(classes, found) {
  if (!found) return quiet("There are too many classes for curves, or they are withheld.");
  const box = h("div");
  const show = (code) => replace(box, comparison(`Calibration of ${classes[code].text}`, found[code].bins, "share", "occurred", percent, 0, 1));
  const first = Number(found.length === 2);
  show(first);
  return [h("p", null, "Class: ", select("Class whose probabilities are checked", classes.map((one, code) => [code, one.text]), first, show)), box];
}

function predicted(bins) {
  const all = bins.flatMap((one) => [one.mean, one.actual]).filter((one) => one !== null);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const room = (high - low) * 0.05 || 1;
  return comparison("Predicted and actual", bins, "actual", "actual mean", short, low - room, high + room);
}

/** What was predicted beside what was true, one dot a bin; `key` is where a bin has the latter. */
function comparison(title, bins, key, word, write, low, high) {
  const known = bins.filter((one) => one.mean !== null && one[key] !== null);
  const told = (value, tell = write) => (value === null ? WITHHELD : tell(value));
  const rows = bins.map((one) => [`${write(one.low)} to ${write(one.high)}`, told(one.mean), told(one[key]), told(one.rows, thousands)]);
  const most = Math.max(...known.map((one) => one.rows));
  const chart = {
    title,
    description: `${capital(word)} by what was predicted, in ${known.length} bins. The table has the numbers.`,
    x: { values: known.map((one) => one.mean), low, high, label: "predicted", tell: write },
    y: { low, high, label: word, tell: write },
    series: [{ name: "", look: "look-cv", values: known.map((one) => one[key]), sizes: known.map((one) => 3 + 6 * Math.sqrt(one.rows / most)) }],
    diagonal: true,
  };
  const hidden = bins.length - known.length;
  const words = quiet(`On the dashed line predictions are right on average. Larger dots have more rows.${hidden ? ` ${counted(hidden, "bin")} withheld.` : ""}`);
  return h("div", { class: "two" }, known.length ? figure((width) => lineChart(chart, Math.min(width, 460), 300), words) : words, table(title, ["predicted", "#mean", `#${word}`, "#rows"], rows, "figures"));
}
