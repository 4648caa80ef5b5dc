/** What a prediction looks like in the tools: the words, the shares as bars, what it rests on. */

import { h, name } from "../../base/dom.js";
import { counted, number, percent } from "../../model/numbers.js";
import { predicted } from "../../model/words.js";
import { barCell } from "../charts/bars.js";
import { quiet } from "./parts.js";

const FEW_ROWS = 10;
const MOST_BARS = 8;

/** The predicted class or number; `prediction` is a class code or a number. */
export function predictedWords(doc, prediction) {
  return doc.classes === null ? predicted(prediction) : doc.classes[prediction].text;
}

/** The prediction, large, its shares (pairs of a class code and a share, largest first), and the training rows behind it. */
export function predictionParts(doc, prediction, shares, { rows, deviation, interval }) {
  return [
    quiet("Prediction", doc.model.target ? [" of ", name(doc.model.target)] : null),
    h("h2", { class: "predicted", tabindex: -1, "aria-live": "polite" }, name(predictedWords(doc, prediction))),
    shares.length ? shareBars(doc, shares) : null,
    quiet(rowWords(rows, deviation)),
    interval ? quiet(intervalWords(doc, interval, prediction)) : null,
    rows !== null && rows < FEW_ROWS ? warning(`Few rows: this rests on fewer than ${FEW_ROWS} training rows.`) : null,
  ];
}

function shareBars({ classes }, pairs) {
  const shown = pairs.length > MOST_BARS + 1 ? pairs.slice(0, MOST_BARS) : pairs;
  const others = pairs.slice(shown.length);
  const bars = shown.map(([code, share]) => shareBar(classes[code].text, share, classes[code].colour));
  if (others.length) bars.push(shareBar(`${others.length} other classes`, others.reduce((sum, one) => sum + one[1], 0), "others"));
  return h("ul", { class: "share-bars", "aria-label": "Probability of each class" }, bars);
}

function shareBar(text, share, colour) {
  return h("li", null, name(text), barCell([{ share, colour, pattern: 0 }]), h("span", { class: "number", text: percent(share) }));
}

function rowWords(rows, deviation) {
  if (rows === null) return "The number of training rows is withheld: they are too few to be shown.";
  return `Rests on ${counted(rows, "training row")}${deviation === null ? "" : `, with a standard deviation of ${number(deviation, 4)}`}.`;
}

function intervalWords({ classes }, interval, prediction) {
  const [low, high] = interval.map((one) => (classes === null ? number(one, 4) : percent(one)));
  return ["95% interval of ", classes === null ? "the mean" : ["the share of ", name(classes[prediction].text)], `: ${low} to ${high}.`];
}

/** A paragraph that stands out. */
export function warning(...words) {
  return h("p", { class: "tool-warning" }, words);
}

/** Says that a page of many trees answers by the chosen one here; null for a model of one tree. */
export function whichTree(app) {
  const { doc } = app;
  if (doc.model.n_trees === 1 && doc.trees.length === 1) return null;
  return warning("This follows ", h("strong", null, name(app.tree().title || "the tree shown")), ", not the whole model. Choose another tree at the top of the page.");
}
