import { button, h, name } from "../base/dom.js";
import { number, percent, thousands } from "../model/numbers.js";
import { isLeafAt } from "../model/pruned.js";

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc](?:[^\x00-\x7f]|[ _](?=[\u0590-\u08ff]))*/g;
const LONG_NAME = 60;

/** A part of a panel under its heading; without children it is left out. */
export function section(title, ...children) {
  const found = children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false);
  return found.length ? h("section", { class: "part" }, h("h3", null, title), found) : null;
}

/** What stands where a count is hidden: it is small, or small ones would follow from it. */
export function withheld(doc) {
  return doc.min_cell ? `withheld (hides counts below ${doc.min_cell})` : "not known";
}

/** A number of rows, or that it is withheld. */
export function rowsWords(doc, count) {
  return count === null || count === undefined ? withheld(doc) : thousands(count);
}

/** A number for reading; null is a dash. */
export function short(value, digits = 4) {
  return value === null || value === undefined ? "–" : number(value, digits);
}

/** `54.5% (43.5% to 65.2%)`. */
export function shareWords(share, interval) {
  if (share === null) return "–";
  return interval ? `${percent(share)} (${percent(interval[0])} to ${percent(interval[1])})` : percent(share);
}

/** A name that may be long: the style sheet shows its beginning, the pointer the rest. */
export function label(text) {
  const found = name(text);
  found.classList.add("label");
  if (text.length > LONG_NAME) found.title = text;
  return found;
}

/** The text with names that run from right to left set apart, so that they do not turn the signs beside them. */
export function isolated(text) {
  return text.replace(RIGHT_TO_LEFT, "\u2068$&\u2069");
}

/** A condition or rule, from left to right. */
export function sentence(text, look = null) {
  return h("bdi", { dir: "ltr", class: look, text: isolated(text) });
}

/** The name of a class. */
export function className(doc, code) {
  return label(doc.classes[code].text);
}

/** The pattern that goes with the colour of a class. */
export function patternOf(doc, code) {
  return doc.classes[code].colour === "others" ? 0 : Number(doc.classes[code].colour.slice(5));
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
