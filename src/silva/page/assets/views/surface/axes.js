/** Axes of a picture: where values lie, ticks with round numbers, names of levels. */

import { svg } from "../../base/dom.js";
import { number } from "../../model/numbers.js";
import { quantity } from "../../model/words.js";
import { ticks } from "../charts/scale.js";

const LETTER = 7;

/** { toPixel(value), toValue(pixel) } of an axis that is drawn from `from` to `to`; codes are rounded. */
export function scaled(axis, from, to) {
  const size = axis.high - axis.low;
  const toPixel = (value) => from + ((value - axis.low) / size) * (to - from);
  const toValue = (pixel) => {
    const value = axis.low + ((pixel - from) / (to - from)) * size;
    const inside = Math.min(Math.max(value, axis.low), axis.high);
    return axis.coded ? Math.min(Math.max(Math.round(inside), 0), Math.round(axis.high - 0.5)) : inside;
  };
  return { toPixel, toValue };
}

/** The ticks of an axis as [value, words], no more than there is room for. */
export function ticksOf(axis, column, about) {
  const words = column.words ?? ((value) => (column.time === null ? number(value) : quantity(column, value)));
  if (!axis.coded) return ticks(axis.low, axis.high, about).map((value) => [value, words(value)]);
  const every = Math.ceil(column.levels.length / Math.max(1, about));
  return column.levels.map((level, code) => [code, level.text]).filter(([code]) => code % every === 0);
}

/** The text cut to a width in pixels. */
export function cut(text, width) {
  const letters = Array.from(text);
  const most = Math.max(2, Math.floor(width / LETTER));
  return letters.length <= most ? text : `${letters.slice(0, most - 1).join("")}…`;
}

/** Ticks below a picture; `box` is { left, right, top, bottom }. */
export function axisBelow(axis, column, place, box) {
  const room = axis.coded ? (box.right - box.left) / Math.max(1, column.levels.length) : 110;
  const marks = ticksOf(axis, column, axis.coded ? (box.right - box.left) / 60 : (box.right - box.left) / (column.time === null ? 70 : 110));
  const texts = marks.map(([value, words]) => tick(place.toPixel(value), box.bottom + 18, words, axis.coded ? Math.max(room - 6, 54) : 200, "middle"));
  const lines = axis.coded ? [] : marks.map(([value]) => svg("line", { class: "axis", x1: place.toPixel(value), x2: place.toPixel(value), y1: box.bottom, y2: box.bottom + 5 }));
  return [lines, texts, title(column.name, (box.left + box.right) / 2, box.bottom + 40, box.right - box.left)];
}

/** Ticks to the left of a picture, with the name above it. */
export function axisLeft(axis, column, place, box) {
  const marks = ticksOf(axis, column, axis.coded ? (box.bottom - box.top) / 18 : (box.bottom - box.top) / 50);
  const texts = marks.map(([value, words]) => tick(box.left - 9, place.toPixel(value) + 4, words, box.left - 10, "end"));
  const lines = axis.coded ? [] : marks.map(([value]) => svg("line", { class: "axis", x1: box.left - 5, x2: box.left, y1: place.toPixel(value), y2: place.toPixel(value) }));
  return [lines, texts, title(column.name, 4, box.top - 12, box.right - 4, "start")];
}

function tick(x, y, words, width, anchor) {
  const short = cut(words, width);
  return svg("text", { class: "tick", x, y, "text-anchor": anchor }, short, short === words ? null : svg("title", { text: words }));
}

function title(words, x, y, width, anchor = "middle") {
  const short = cut(words, width);
  return svg("text", { class: "axis-name", x, y, "text-anchor": anchor }, short, short === words ? null : svg("title", { text: words }));
}
