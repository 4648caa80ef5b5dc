import { button, h } from "../base/dom.js";
import { number, percent, thousands } from "../model/numbers.js";
import { isLeafAt } from "../model/pruned.js";

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc](?:[^\x00-\x7f]|[ _](?=[\u0590-\u08ff]))*/g;
const LONG_NAME = 60;

/** What becomes of values that a question does not know, by policy. */
export const POLICIES = {
  learn: "the branch that training found best",
  majority: "the larger branch",
  own_branch: "a branch of their own",
  stop: "stop at the question",
  error: "refused",
};

/** A part of a panel under its heading; without children it is left out. */
export function section(title, ...children) {
  const found = children.flat(Infinity).filter(Boolean);
  return found.length ? h("section", { class: "part" }, h("h3", null, title), found) : null;
}

/** A remark; nothing without words. */
export function quiet(words) {
  return words ? h("p", { class: "quiet" }, words) : null;
}

/** What stands where a count is hidden: it is small, or small ones would follow from it. */
export function withheld(doc) {
  return doc.min_cell ? `withheld (hides counts below ${doc.min_cell})` : "not known";
}

/** A number of rows, or that it is withheld. */
export function rowsWords(doc, count) {
  return count === null ? withheld(doc) : thousands(count);
}

/** A number for reading; null is a dash. */
export function short(value, digits = 4) {
  return value === null ? "–" : number(value, digits);
}

/** `54.5% (43.5% to 65.2%)`. */
export function shareWords(share, interval) {
  return `${percent(share)}${interval ? ` (${percent(interval[0])} to ${percent(interval[1])})` : ""}`;
}

/** A name that may be long: the style sheet shows its beginning, the pointer the rest. */
export function label(text) {
  return h("bdi", { class: "label", title: text.length > LONG_NAME && text, text });
}

/** The text with names that run from right to left set apart, so that they do not turn the signs beside them. */
export function isolated(text) {
  return text.replace(RIGHT_TO_LEFT, "\u2068$&\u2069");
}

/** A condition or rule, from left to right. */
export function sentence(text, look = null) {
  return h("bdi", { dir: "ltr", class: look, text: isolated(text) });
}

/** The text with a capital first letter. */
export function capital(text) {
  return text && text[0].toUpperCase() + text.slice(1);
}

/** A button that selects a node. */
export function nodeButton(app, node, label = `node ${node}`) {
  return button(label, () => app.select(node), { class: "link" });
}

/** The leaf of the pruned tree at or above a node; the node itself if nothing there is pruned. */
export function shownEnd(tree, node, step) {
  return tree.path(node).find((above) => isLeafAt(tree, above, step)) ?? node;
}

/** Calls `show` now and when one of the keys changes. */
export function follow(app, keys, show) {
  app.store.subscribe(keys, show);
  show();
}
