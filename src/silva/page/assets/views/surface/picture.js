/** The surface as SVG: rectangles over two columns, steps over one. */

import { svg } from "../../base/dom.js";
import { number, percent } from "../../model/numbers.js";
import { predictRow } from "../../model/predict.js";
import { axisBelow, axisLeft, cut, scaled } from "./axes.js";

const SHADES = 6;
const CURVES = 8;
const DASHES = ["none", "9 3", "3 3", "12 3 3 3", "6 6", "1 3", "15 4", "9 3 1 3"];
const SHARE_AXIS = { coded: false, low: 0, high: 1 };

/** { svg, across, down, key } of a surface of `model/surface.js` in a picture of this size. */
export function drawSurface(tree, found, row, width, height) {
  return found.axes.length === 2 ? drawPlane(tree, found, width, height) : drawSteps(tree, found, row, width, height);
}

function leftMargin(words, width) {
  const longest = words.reduce((most, one) => Math.max(most, Array.from(one).length), 0);
  return Math.min(Math.max(longest * 7.2 + 16, 44), width * 0.3);
}

function frameOf(axis, column, width, height) {
  const words = axis.coded ? column.levels.map((level) => level.text) : [column.time === null ? "-0.0000" : "2020-01-01 00:00"];
  return { left: leftMargin(words, width), right: width - 14, top: 30, bottom: height - 50 };
}

function drawPlane(tree, { axes, rects, exact }, width, height) {
  const { columns } = tree.doc;
  const [xColumn, yColumn] = axes.map((axis) => columns[axis.column]);
  const box = frameOf(axes[1], yColumn, width, height);
  const across = scaled(axes[0], box.left, box.right);
  const down = scaled(axes[1], box.bottom, box.top);
  const paint = tree.nClasses ? classPaint(tree) : shadePaint(rects);
  const shapes = joined(rects, paint).map((rect) => cell(rect, across, down, paint));
  const labels = rects.length > 400 ? [] : rects.map((rect) => label(tree, rect, across, down));
  const outline = svg("rect", { class: "axis", x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top });
  const picture = [svg("g", { class: exact ? "exact" : null }, shapes), labels, outline, axisBelow(axes[0], xColumn, across, box), axisLeft(axes[1], yColumn, down, box)];
  return { parts: picture, across, down, box, key: paint.key(rects) };
}

/** Cells side by side that look the same are one. */
function joined(rects, paint) {
  const found = [];
  for (const rect of rects) {
    const last = found[found.length - 1];
    const same = last && last.y0 === rect.y0 && last.y1 === rect.y1 && last.x1 === rect.x0 && last.node === rect.node && paint.look(last) === paint.look(rect);
    if (same) last.x1 = rect.x1;
    else found.push({ ...rect });
  }
  return found;
}

function cell(rect, across, down, paint) {
  const [x0, x1, y0, y1] = [across.toPixel(rect.x0), across.toPixel(rect.x1), down.toPixel(rect.y1), down.toPixel(rect.y0)];
  return svg("rect", { class: `cell fill-${paint.colour(rect)}`, "fill-opacity": paint.strength(rect), x: x0, y: y0, width: Math.max(0, x1 - x0), height: Math.max(0, y1 - y0) });
}

/** The prediction inside a rectangle that has room for it. */
function label(tree, rect, across, down) {
  const [x0, x1, y0, y1] = [across.toPixel(rect.x0), across.toPixel(rect.x1), down.toPixel(rect.y1), down.toPixel(rect.y0)];
  if (x1 - x0 < 46 || y1 - y0 < 20) return null;
  const words = tree.nClasses ? tree.doc.classes[rect.code].text : number(rect.value, 4);
  return svg("text", { class: "cell-name", x: (x0 + x1) / 2, y: (y0 + y1) / 2 + 4, "text-anchor": "middle", "aria-hidden": "true" }, cut(words, x1 - x0 - 8));
}

/** A class has its colour, strong where its probability is high. */
function classPaint(tree) {
  const { classes } = tree.doc;
  const strength = ({ value }) => (value === null ? 0.7 : Math.round(20 * (0.3 + 0.65 * value)) / 20);
  return {
    colour: ({ code }) => classes[code].colour,
    strength,
    look: (rect) => `${rect.code} ${strength(rect)}`,
    key: (rects) => [...new Set(rects.map((rect) => rect.code))].sort((one, other) => one - other).map((code) => [classes[code].colour, classes[code].text]),
  };
}

/** Numbers have one of six shades between the lowest and the highest that is drawn. */
function shadePaint(rects) {
  const values = rects.map((rect) => rect.value);
  const [low, high] = [values.reduce((one, other) => Math.min(one, other)), values.reduce((one, other) => Math.max(one, other))];
  const step = (value) => (high > low ? Math.min(SHADES - 1, Math.max(0, Math.floor(((value / 2 - low / 2) / (high / 2 - low / 2)) * SHADES))) : 2);
  const edge = (at) => number(low + (at * (high - low)) / SHADES, 4);
  const steps = high > low ? [0, 1, 2, 3, 4, 5].map((at) => [`shade${at}`, `${edge(at)} to ${edge(at + 1)}`]) : [["shade2", number(low, 4)]];
  return { colour: ({ value }) => `shade${step(value)}`, strength: () => 1, look: ({ value }) => step(value), key: () => steps };
}

function drawSteps(tree, { axes, rects, exact }, row, width, height) {
  const [axis] = axes;
  const column = tree.doc.columns[axis.column];
  const ordered = [...rects].sort((one, other) => one.x0 - other.x0);
  const lines = tree.nClasses ? classLines(tree, ordered, axis, row) : [{ colour: "target", dash: "none", values: ordered.map((rect) => rect.value) }];
  const up = tree.nClasses ? SHARE_AXIS : valueAxis(lines[0].values);
  const name = tree.nClasses ? "probability" : (tree.doc.model.target ?? "prediction");
  const box = { left: leftMargin(["-0.0000"], width), right: width - 14, top: 30, bottom: height - 50 };
  const [across, down] = [scaled(axis, box.left, box.right), scaled(up, box.bottom, box.top)];
  const curves = lines.map((line) => svg("path", { class: "curve", stroke: `var(--${line.colour})`, "stroke-dasharray": line.dash, d: steps(ordered, line.values, across, down, axis.coded ? "apart" : exact ? "joined" : "line") }));
  const outline = svg("path", { class: "axis", d: `M${box.left} ${box.top}V${box.bottom}H${box.right}` });
  const parts = [outline, axisBelow(axis, column, across, box), axisLeft(up, { name, time: null, words: tree.nClasses ? percent : null }, down, box), curves];
  return { parts, across, down: null, box, key: tree.nClasses ? lines.map((line) => [line.colour, line.text, line.dash]) : [] };
}

function valueAxis(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = 0.06 * (high - low) || Math.max(1, Math.abs(high) * 0.1);
  return { coded: false, low: low - room, high: high + room };
}

/** The probability of each class that occurs, those with a colour of their own first. */
function classLines(tree, ordered, axis, row) {
  const moved = Float64Array.from(row);
  const shares = ordered.map(({ x0, x1 }) => {
    moved[axis.column] = axis.coded ? Math.ceil(x0) : x0 / 2 + x1 / 2;
    return predictRow(tree, moved).shares;
  });
  const lines = tree.doc.classes.map((one, code) => ({ colour: one.colour, text: one.text, dash: DASHES[code % DASHES.length], values: shares.map((share) => share?.[code] ?? 0) }));
  return lines.filter((line) => line.values.some((value) => value > 0) && line.colour !== "others").slice(0, CURVES);
}

/** Level stretches, apart or joined; or a line through the middles where the prediction is no step. */
function steps(ordered, values, across, down, form) {
  const at = (x, value) => `${across.toPixel(x).toFixed(1)} ${down.toPixel(value).toFixed(1)}`;
  if (form === "line") return ordered.map((rect, place) => `${place ? "L" : "M"}${at(rect.x0 / 2 + rect.x1 / 2, values[place])}`).join("");
  return ordered.map((rect, place) => `${place && form === "joined" ? "L" : "M"}${at(rect.x0, values[place])}L${at(rect.x1, values[place])}`).join("");
}
