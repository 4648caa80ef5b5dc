/** The surface as SVG: rectangles over two columns, steps over one. */

import { h, name, svg } from "../../base/dom.js";
import { number, percent } from "../../model/numbers.js";
import { widened } from "../../model/surface.js";
import { scale, ticks } from "../charts/scale.js";
import { cellWords } from "../tools/row.js";

const LETTER = 7.2;
const MOST_LABELS = 400;
const DASHES = ["none", "9 3", "3 3", "12 3 3 3", "6 6", "1 3", "15 4", "9 3 1 3"];

/** { parts, box, across, down, key } of a surface of `model/surface.js` in a picture of this size; `across` and `down` place values. */
export function drawSurface(tree, { axes, rects, exact }, width, height) {
  const [x, y] = axes.map((axis) => named(axis, tree.doc.columns[axis.column]));
  const up = y ?? valueAxis(tree, rects);
  const marks = ticksOf(up, (height - 80) / (up.coded ? 18 : 50));
  const room = 16 + LETTER * Math.max(4, ...marks.map((value) => up.tell(value).length));
  const box = { left: Math.min(room, width * 0.3), right: width - 14, top: 30, bottom: height - 50 };
  const across = scale(x.low, x.high, box.left, box.right);
  const down = scale(up.low, up.high, box.bottom, box.top);
  const { shapes, key } = y ? plane(tree, rects, across, down, exact) : curves(tree, rects, across, down, x.coded);
  const outline = svg("path", { class: "axis", d: `M${box.left} ${box.top}V${box.bottom}H${box.right}` });
  const left = [marks.map((value) => text("tick end", box.left - 9, down(value) + 4, up.tell(value), box.left - 10)), text("axis-name", 4, box.top - 12, up.name, width)];
  return { parts: [shapes, outline, below(x, across, box), left], box, across, down, key };
}

function named(axis, column) {
  return { ...axis, name: column.name, tell: (value) => cellWords(column, value), room: axis.coded ? 60 : column.time === null ? 70 : 140 };
}

function valueAxis(tree, rects) {
  if (tree.nClasses) return { low: 0, high: 1, name: "probability", tell: percent };
  return { ...widened(...extent(rects)), name: tree.doc.model.target ?? "prediction", tell: number };
}

/** The lowest and the highest value that is drawn. */
function extent(rects) {
  return rects.reduce(([low, high], { value }) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
}

/** Round numbers, or codes of levels, about so many at most. */
function ticksOf({ coded, low, high }, count) {
  return coded ? ticks(0, high - 0.5, Math.min(count, high - 0.5)) : ticks(low, high, count);
}

function below(axis, across, box) {
  const marks = ticksOf(axis, (box.right - box.left) / axis.room);
  const room = marks.length > 1 ? across(marks[1]) - across(marks[0]) - 6 : box.right - box.left;
  return [marks.map((value) => text("tick middle", across(value), box.bottom + 18, axis.tell(value), room)), text("axis-name middle", (box.left + box.right) / 2, box.bottom + 40, axis.name, box.right - box.left)];
}

/** A text that is cut to a width in pixels. */
function text(look, x, y, words, width) {
  const letters = Array.from(words);
  const most = Math.max(2, Math.floor(width / LETTER));
  const isLong = letters.length > most;
  return svg("text", { class: look, x, y }, isLong ? [letters.slice(0, most - 1), "…", svg("title", { text: words })] : words);
}

function plane(tree, rects, across, down, exact) {
  const paint = tree.nClasses ? classPaint(tree.doc.classes, rects) : shadePaint(rects);
  const labels = [];
  const cells = rects.map((rect) => {
    const [x, right, y, bottom] = [across(rect.x0), across(rect.x1), down(rect.y1), down(rect.y0)];
    const [width, height] = [Math.max(0, right - x), Math.max(0, bottom - y)];
    if (width > 46 && height > 20 && rects.length < MOST_LABELS) labels.push(text("cell-name middle", x + width / 2, y + height / 2 + 4, paint.tell(rect), width - 8));
    return svg("rect", { class: `cell fill-${paint.colour(rect)}`, "fill-opacity": paint.strength(rect), x, y, width, height });
  });
  return { shapes: [svg("g", { class: exact ? "exact" : null }, cells), labels], key: paint.key.map(([colour, words]) => keyEntry(words, svg("rect", { class: `fill-${colour}`, width: 16, height: 16, rx: 3 }))) };
}

/** A class has its colour, strong where its probability is high. */
function classPaint(classes, rects) {
  return {
    colour: ({ code }) => classes[code].colour,
    strength: ({ value }) => (value === null ? 0.7 : 0.3 + 0.65 * value),
    tell: ({ code }) => classes[code].text,
    key: classes.filter((_, code) => rects.some((rect) => rect.code === code)).map((one) => [one.colour, one.text]),
  };
}

/** Numbers have one of six shades between the lowest and the highest that is drawn. */
function shadePaint(rects) {
  const [low, high] = extent(rects);
  const part = scale(low, high, 0, 6);
  const edges = [0, 1, 2, 3, 4, 5, 6].map((at) => number(low + (at * (high - low)) / 6, 4));
  return {
    colour: ({ value }) => `shade${Math.min(5, Math.floor(part(value)))}`,
    strength: () => 1,
    tell: ({ value }) => number(value, 4),
    key: high > low ? edges.slice(1).map((edge, at) => [`shade${at}`, `${edges[at]} to ${edge}`]) : [["shade3", edges[0]]],
  };
}

function keyEntry(words, sample) {
  return h("li", null, svg("svg", { "aria-hidden": "true" }, sample), name(words));
}

/** Level stretches, joined where the column is a number; for classes one line each, if they have a colour of their own. */
function curves(tree, rects, across, down, isApart) {
  const ordered = [...rects].sort((one, other) => one.x0 - other.x0);
  const path = (valueOf) => ordered.map((rect, at) => `${at && !isApart ? "L" : "M"}${across(rect.x0)} ${down(valueOf(rect))}H${across(rect.x1)}`).join("");
  const line = (colour, dash, d) => svg("path", { class: "curve", stroke: `var(--${colour})`, "stroke-dasharray": dash, d });
  if (!tree.nClasses) return { shapes: line("target", "none", path((rect) => rect.value)), key: [] };
  const share = (code) => (rect) => rect.shares?.[code] ?? 0;
  const shown = tree.doc.classes.map((one, code) => ({ ...one, code, dash: DASHES[code % 8] })).filter(({ colour, code }) => colour !== "others" && ordered.some(share(code)));
  return { shapes: shown.map(({ colour, dash, code }) => line(colour, dash, path(share(code)))), key: shown.map(({ colour, dash, text: words }) => keyEntry(words, line(colour, dash, "M0 8H40"))) };
}
