/** Pieces that the tools share. */

import { h, name } from "../../base/dom.js";

/** A paragraph in the quiet colour. */
export function quiet(...words) {
  return h("p", { class: "quiet" }, words);
}

/** Buttons and boxes side by side. */
export function lineUp(...parts) {
  return h("div", { class: "line-up" }, parts);
}

/** A framed part of a tool under its heading. */
export function sheet(title, ...parts) {
  return h("section", { class: "sheet" }, h("h2", { text: title }), parts);
}

/** Where a tool says what it has done. */
export function status() {
  return h("span", { class: "said", role: "status" });
}

/** A list of texts; null if there are none. */
export function items(texts) {
  return texts.length ? h("ul", null, texts.map((text) => h("li", null, name(text)))) : null;
}

/** Terms with their values, those without one left out; "" is a line to write on. */
export function facts(pairs, look = "") {
  const known = pairs.filter(([, value]) => value !== null && value !== undefined);
  return h("dl", { class: `facts ${look}` }, known.map(([term, value]) => [h("dt", { text: term }), h("dd", { class: value === "" ? "line" : null }, h("bdi", null, value))]));
}

/** Entries with commas between them; so many at most, and how many more there are. */
export function listed(entries, most) {
  const shown = entries.slice(0, most).flatMap((one, at) => [at ? ", " : "", one]);
  return [shown, entries.length > most ? ` and ${entries.length - most} more` : ""];
}
