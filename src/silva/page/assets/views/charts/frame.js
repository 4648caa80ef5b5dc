import { append, h, replace, svg } from "../../base/dom.js";

const HATCHES = [null, "M0 6L6 0M-1 1L1 -1M5 7L7 5", "M0 3H6", "M0 0L6 6M-1 5L1 7M5 -1L7 1", "M3 0V6", "M0 3H6M3 0V6", "M1.5 1.5h1.5v1.5h-1.5z", "M0 0L6 6M0 6L6 0"];
let isMade = false;

/** The patterns that tell classes apart without colour; made once a page. */
function makeHatches() {
  if (isMade) return;
  isMade = true;
  const made = HATCHES.map((path, at) => path && svg("pattern", { id: `hatch${at}`, width: 6, height: 6, patternUnits: "userSpaceOnUse" }, svg("path", { d: path, class: "hatch" })));
  document.body.append(svg("svg", { class: "spoken", "aria-hidden": "true" }, svg("defs", null, made)));
}

/** A rectangle in the colour and pattern of a class (`pattern`: its number). */
export function block(place, colour, pattern, full) {
  const label = full ? svg("title", { text: full }) : null;
  const below = svg("rect", { ...place, class: `fill-${colour}` }, label);
  if (!HATCHES[pattern % HATCHES.length]) return [below];
  makeHatches();
  return [below, svg("rect", { ...place, fill: `url(#hatch${pattern % HATCHES.length})`, class: "over" })];
}

/** A small square in the colour and pattern of a class. */
export function swatch(colour, pattern) {
  return svg("svg", { class: "swatch", width: 14, height: 14, "aria-hidden": "true" }, block({ width: 14, height: 14 }, colour, pattern));
}

/** An SVG picture with its title and description for those who cannot see it. */
export function picture(width, height, title, description, ...children) {
  const found = svg("svg", { class: "chart", width, height, viewBox: `0 0 ${width} ${height}`, role: "img" });
  return append(found, [svg("title", { text: title }), svg("desc", { text: description }), ...children]);
}

/** A figure that is drawn anew when its width changes: `draw(width)` gives an SVG element. */
export function figure(draw, ...below) {
  const room = h("div", { class: "chart-room" });
  let width = 0;
  const show = () => {
    const found = Math.floor(room.clientWidth);
    if (found <= 0 || found === width) return;
    width = found;
    replace(room, draw(width));
  };
  new ResizeObserver(show).observe(room);
  return h("figure", { class: "figure" }, room, below);
}

/** The numbers of a chart as a table that opens when it is asked for. */
export function asTable(caption, heads, rows) {
  const box = h("details", { class: "as-table" }, h("summary", null, "As a table"));
  box.addEventListener("toggle", () => box.open && box.children.length === 1 && box.append(table(caption, heads, rows)));
  return box;
}

/**
 * A table with a caption; cells are texts or elements, numbers stand to the right.
 *
 * The roles keep it a table for screen readers where the style sheet stacks its cells (class "stack").
 */
export function table(caption, heads, rows, props) {
  const head = h("tr", { role: "row" }, heads.map(headCell));
  const body = rows.map((row) => h("tr", { role: "row" }, row.map((one, at) => cell(one, heads[at], at === 0))));
  return h("table", { role: "table", ...props }, h("caption", { class: "spoken" }, caption), h("thead", { role: "rowgroup" }, head), h("tbody", { role: "rowgroup" }, body));
}

/** Columns without a name, such as those of bars, have no head. */
function headCell(head) {
  if (!plain(head)) return h("td", { role: "cell" });
  return h("th", { scope: "col", role: "columnheader", class: isNumeric(head) ? "number" : null }, plain(head));
}

/** A box that scrolls sideways, also by keyboard. */
export function wide(title, content, more = "") {
  return h("div", { class: `wide${more}`, tabindex: 0, role: "region", "aria-label": title }, content);
}

/** One cell; `head` is the text over it. */
export function cell(content, head, isFirst = false, look = null) {
  const looks = [isNumeric(head) ? "number" : "", look ?? ""].filter(Boolean).join(" ") || null;
  const props = { class: looks, "data-label": plain(head) || null };
  return isFirst ? h("th", { scope: "row", role: "rowheader", ...props }, content) : h("td", { role: "cell", ...props }, content);
}

/** Heads that begin with "#" are over numbers. */
function isNumeric(head) {
  return typeof head === "string" && head.startsWith("#");
}

function plain(head) {
  return isNumeric(head) ? head.slice(1) : head;
}
