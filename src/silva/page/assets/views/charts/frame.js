import { h, replace, svg } from "../../base/dom.js";
import { label } from "../parts.js";

const HATCHES = ["", "M0 6L6 0M-1 1L1 -1M5 7L7 5", "M0 3H6", "M0 0L6 6M-1 5L1 7M5 -1L7 1", "M3 0V6", "M0 3H6M3 0V6", "M1.5 1.5h1.5v1.5h-1.5z", "M0 0L6 6M0 6L6 0"];
const ROLES = { col: "columnheader", row: "rowheader" };

/** How a class looks and what it is called: {colour, pattern, text}; without classes, how all rows do. */
export function lookOf({ classes }, code) {
  if (!classes) return { colour: "target", pattern: 0, text: "rows" };
  const { colour, text } = classes[code];
  return { colour, pattern: colour === "others" ? 0 : colour.slice(5) % HATCHES.length, text };
}

/** The patterns that tell classes apart without colour are made once a page. */
function hatch(at) {
  if (!document.getElementById("hatch0")) {
    const made = HATCHES.map((d, place) => svg("pattern", { id: `hatch${place}`, width: 6, height: 6, patternUnits: "userSpaceOnUse" }, svg("path", { d, class: "hatch" })));
    document.body.append(svg("svg", { class: "spoken", "aria-hidden": "true" }, svg("defs", null, made)));
  }
  return `url(#hatch${at})`;
}

/** A rectangle that looks like a class; the pointer tells `full`. */
export function block(place, { colour, pattern }, full) {
  const below = svg("rect", { ...place, class: `fill-${colour}` }, full && svg("title", { text: full }));
  return [below, pattern > 0 && svg("rect", { ...place, fill: hatch(pattern), class: "over" })];
}

/** A small square that looks like a class, and its name. */
export function classMark(doc, code) {
  const look = lookOf(doc, code);
  const square = svg("svg", { class: "swatch", width: 14, height: 14, "aria-hidden": "true" }, block({ width: 14, height: 14 }, look));
  return h("span", { class: "class-name" }, square, label(look.text));
}

/** An SVG picture with its title and description for those who cannot see it. */
export function picture(width, height, title, description, ...children) {
  return svg("svg", { class: "chart", width, height, viewBox: `0 0 ${width} ${height}`, role: "img" }, svg("title", { text: title }), svg("desc", { text: description }), children);
}

/** Words in a picture; `look` says where x is: "start", "middle" or "end". */
export function tick(x, y, look, words) {
  return svg("text", { x, y, class: `tick ${look}` }, words);
}

/** A line in a picture. */
export function line(x1, y1, x2, y2, look) {
  return svg("line", { x1, y1, x2, y2, class: look });
}

/** A figure that is drawn anew when its width changes or `redraw` is called: `draw(width)` gives an SVG element. */
export function figure(draw, ...below) {
  const room = h("div", { class: "chart-room" });
  let width = 0;
  const redraw = () => room.clientWidth && replace(room, draw((width = room.clientWidth)));
  new ResizeObserver(() => room.clientWidth !== width && redraw()).observe(room);
  return Object.assign(h("figure", null, room, below), { redraw });
}

/** The numbers of a chart as a table that opens when it is asked for. */
export function asTable(caption, heads, rows) {
  const box = h("details", { class: "as-table" }, h("summary", null, "As a table"));
  box.addEventListener("toggle", () => box.open && box.children.length === 1 && box.append(table(caption, heads, rows)));
  return box;
}

/**
 * A table with a caption; cells are texts or elements. Heads that begin with "#" are over numbers.
 *
 * The roles keep it a table for screen readers where the style sheet stacks its cells (look "stack").
 */
export function table(caption, heads, rows, look) {
  const head = tableRow(heads.map((one) => cell(null, one, /[^#]/.test(one) ? "col" : null)));
  const body = rows.map((row) => tableRow(row.map((one, at) => cell(one, heads[at], at ? null : "row"))));
  return h("table", { role: "table", class: look }, h("caption", { class: "spoken" }, caption), h("thead", { role: "rowgroup" }, head), h("tbody", { role: "rowgroup" }, body));
}

function tableRow(cells) {
  return h("tr", { role: "row" }, cells);
}

/** Head cells hold their own text; columns without a name, such as those of bars, have none. */
function cell(content, head, scope) {
  const text = head.replace("#", "");
  return h(scope ? "th" : "td", { scope, role: ROLES[scope] ?? "cell", class: head !== text && "number", "data-label": text || null }, scope === "col" ? label(text) : content);
}

/** A box that scrolls sideways, also by keyboard. */
export function wide(title, content, more = "") {
  return h("div", { class: `wide${more}`, tabindex: 0, role: "region", "aria-label": title }, content);
}
