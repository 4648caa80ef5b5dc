/** What a prediction looks like in the tools: the words, the shares as bars, what it rests on. */

import { h, name, svg } from "../../base/dom.js";
import { counted, number, percent } from "../../model/numbers.js";
import { SHOWN_DIGITS } from "../../model/words.js";

const FEW_ROWS = 10;
const MOST_BARS = 8;

/** The predicted class or number, large; `prediction` is a class code or a number. */
export function predictedWords(doc, prediction) {
  return doc.classes === null ? number(prediction, SHOWN_DIGITS) : doc.classes[prediction].text;
}

/** Shares as a list of bars; pairs of a class code and its share, largest first. */
export function shareBars(doc, pairs) {
  if (!pairs.length) return null;
  const shown = pairs.length > MOST_BARS + 1 ? pairs.slice(0, MOST_BARS) : pairs;
  const rest = pairs.slice(shown.length).reduce((sum, [, share]) => sum + share, 0);
  const bars = shown.map(([code, share]) => bar(doc.classes[code].text, share, doc.classes[code].colour));
  if (shown.length < pairs.length) bars.push(bar(`${pairs.length - shown.length} other classes`, rest, "others"));
  return h("ul", { class: "share-bars", "aria-label": "Probability of each class" }, bars);
}

function bar(text, share, colour) {
  const width = `${Math.max(share * 100, 0.5)}%`;
  const picture = svg("svg", { "aria-hidden": "true" }, svg("rect", { class: "track", width: "100%", height: "100%" }), svg("rect", { class: `fill-${colour}`, width, height: "100%" }));
  return h("li", null, name(text), picture, h("span", { class: "number", text: percent(share) }));
}

/** Pairs of a class code and its share, largest first, from the share of each class. */
export function sharePairs(shares) {
  if (shares === null) return [];
  const codes = Array.from(shares, (_, code) => code).filter((code) => shares[code] > 0);
  return codes.sort((one, other) => shares[other] - shares[one]).map((code) => [code, shares[code]]);
}

/** The training rows behind a prediction, and a warning where they are few. */
export function evidenceParts(doc, { rows, interval, deviation }, prediction) {
  const parts = [h("p", { class: "quiet" }, rowWords(doc, rows, deviation)), interval ? h("p", { class: "quiet" }, intervalWords(doc, interval, prediction)) : null];
  if (rows !== null && rows < FEW_ROWS) parts.push(h("p", { class: "tool-warning", text: `Few rows: this rests on fewer than ${FEW_ROWS} training rows.` }));
  return parts;
}

function rowWords(doc, rows, deviation) {
  if (rows === null) return "The number of training rows is withheld: they are too few to be shown.";
  const spread = doc.classes === null && deviation !== null ? `, with a standard deviation of ${number(deviation, 4)}` : "";
  return `Rests on ${counted(rows, "training row")}${spread}.`;
}

function intervalWords(doc, interval, prediction) {
  const [low, high] = interval.map((one) => (doc.classes === null ? number(one, 4) : percent(one)));
  const what = doc.classes === null ? "the mean" : ["the share of ", name(doc.classes[prediction].text)];
  return [`95% interval of `, what, `: ${low} to ${high}.`];
}

/** Says that a page of many trees answers by the chosen one here; null for a model of one tree. */
export function whichTree(app) {
  const { doc } = app;
  if (doc.model.n_trees === 1 && doc.trees.length === 1) return null;
  return h("p", { class: "tool-warning" }, "This follows ", h("strong", null, name(app.tree().title || "the tree shown")), ", not the whole model. Choose another tree at the top of the page.");
}
