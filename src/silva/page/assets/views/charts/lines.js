import { svg } from "../../base/dom.js";
import { line, picture, tick } from "./frame.js";
import { apart, logTicks, scale, ticks } from "./scale.js";

const TOP = 22;
const BOTTOM = 38;
const AXIS = 50;
const ROOM_OF_NAMES = 114;

/**
 * Curves; where x is reversed, with direct labels at their first points to the left.
 *
 * `x`: {values, label, low, high, log, reversed, whole, tell} (whole: only whole numbers are marked); `y`: {label, low, high, tell, log};
 * `series`: [{name, look, values, spread, sizes}] (spread: half the height of a band around the curve, or null; sizes: those of the dots);
 * `marks`: [{at, text, value}]; `now`: the place of a vertical line; `diagonal`: whether equal values have a line.
 * The picture's `places(value)` says where a value of x is.
 */
export function lineChart(chart, width, height) {
  const { x: across, y: up, series } = chart;
  const ends = across.reversed ? [width - AXIS, Math.min(width * 0.32, ROOM_OF_NAMES)] : [AXIS, width - 14];
  const { low = Math.min(...across.values), high = Math.max(...across.values) } = across;
  const x = scale(low, high, ...ends, across.log);
  const y = scale(up.low, up.high, height - BOTTOM, TOP, up.log);
  const found = [
    grid(up, y, across.reversed, ends),
    below(across, low, high, x, ends, height - BOTTOM),
    chart.diagonal && line(x(low), y(low), x(high), y(high), "equal"),
    series.map((one) => curve(chart, one, x, y)),
    across.reversed && labels(chart, x, y, height),
    (chart.marks ?? []).map((one, at, all) => mark(one, x(across.values[one.at]), y(one.value), Math.min(...ends), at + 1 < all.length)),
    chart.now >= 0 && line(x(across.values[chart.now]), TOP - 6, x(across.values[chart.now]), height - BOTTOM, "now"),
  ];
  return Object.assign(picture(width, height, chart.title, chart.description, found), { places: x });
}

/** Lines across the picture with their numbers, and what these are. */
function grid(up, y, isReversed, ends) {
  const look = isReversed ? "start" : "end";
  const numbers = (up.log ? logTicks : ticks)(up.low, up.high);
  return [numbers.map((one) => [line(ends[0], y(one), ends[1], y(one), "grid"), tick(ends[0] + (isReversed ? 6 : -6), y(one) + 4, look, up.tell(one))]), tick(isReversed ? ends[0] + 44 : 2, 12, `quiet ${isReversed ? "end" : "start"}`, up.label)];
}

/** The numbers below the picture whose words do not touch, and what they are. */
function below(across, low, high, x, ends, bottom) {
  const places = across.log ? [...logTicks(low, high / 1.4), high] : ticks(low, high, Math.abs(ends[1] - ends[0]) / 70);
  let last = Infinity;
  const shown = places.reverse().filter((one) => {
    const isFar = (!across.whole || Number.isInteger(one)) && Math.abs(x(one) - last) >= 34;
    if (isFar) last = x(one);
    return isFar;
  });
  return [shown.map((one) => tick(x(one), bottom + 16, "middle", across.tell(one))), tick((ends[0] + ends[1]) / 2, bottom + 33, "middle quiet", across.label)];
}

function curve({ x: across, y: up }, { name, look, values, spread, sizes }, x, y) {
  const path = (heights) => heights.map((height, at) => `${x(across.values[at]).toFixed(1)} ${y(Math.min(up.high, Math.max(up.low, height))).toFixed(1)}`);
  const side = (sign) => path(values.map((value, at) => value + sign * spread[at]));
  const dot = (value, at) => svg("circle", { cx: x(across.values[at]), cy: y(value), r: sizes?.[at] ?? 2.5, class: "dot" }, svg("title", { text: `${across.label} ${across.tell(across.values[at])}, ${name || up.label} ${up.tell(value)}` }));
  return svg("g", { class: `curve ${look}` }, spread && svg("path", { d: `M${[...side(1), ...side(-1).reverse()].join("L")}Z`, class: "band" }), svg("path", { d: `M${path(values).join("L")}`, class: "stroke" }), values.length <= 40 && values.map(dot));
}

function labels({ x: across, series }, x, y, height) {
  const places = apart(series.map((one) => y(one.values[0]) + 4), 15, height - BOTTOM);
  return series.map((one, at) => tick(x(across.values[0]) - 8, places[at], "strong end", one.name));
}

/** A diamond with words above it; those of the first of two are higher, so that they do not touch. */
function mark({ text }, at, height, left, isHigh) {
  return [svg("path", { d: `M${at} ${height - 6}l6 6l-6 6l-6 -6z`, class: "mark" }), tick(at, Math.max(12, height - (isHigh ? 27 : 12)), `halo ${at - left < 50 ? "start" : "middle"}`, text)];
}
