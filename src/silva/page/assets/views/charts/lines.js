import { svg } from "../../base/dom.js";
import { picture } from "./frame.js";
import { apart, logTicks, scale, ticks } from "./scale.js";

const TOP = 22;
const BOTTOM = 38;
const AXIS = 50;
const ROOM_OF_CHARACTER = 6.8;

/**
 * Curves with direct labels at their first points.
 *
 * `x`: {values, label, log, reversed, whole, tell} (whole: only whole numbers are marked); `y`: {label, low, high, tell, log}; `series`: [{name, look, values, spread, dots}]
 * (spread: half the height of a band around the curve, or null); `marks`: [{at, text}] on the first series;
 * `now`: the place of a vertical line, or null; `diagonal`: whether equal values have a line.
 * The picture's `places(value)` says where a value of x is.
 */
export function lineChart(chart, width, height) {
  const room = Math.min(width * 0.32, 12 + ROOM_OF_CHARACTER * Math.max(0, ...chart.series.map((one) => one.name.length)));
  const ends = chart.x.reversed ? [width - AXIS, room] : [AXIS, width - Math.max(14, room)];
  const [least, most] = [Math.min(...chart.x.values), Math.max(...chart.x.values)];
  const x = scale(chart.x.low ?? least, chart.x.high ?? most, ...ends, chart.x.log);
  const y = scale(chart.y.low, chart.y.high, height - BOTTOM, TOP, chart.y.log);
  const drawn = [grid(chart, x, y, ends), chart.diagonal ? diagonal(x, y, chart.y) : null, chart.series.map((one) => curve(chart, one, x, y)), labels(chart, x, y, height), marks(chart, x, y), now(chart, x, y)];
  return Object.assign(picture(width, height, chart.title, chart.description, drawn), { places: x });
}

function grid({ x: across, y: up }, x, y, ends) {
  const [low, high] = [across.low ?? Math.min(...across.values), across.high ?? Math.max(...across.values)];
  const places = across.log ? [...logTicks(low, high / 1.4), high] : ticks(low, high, Math.abs(ends[1] - ends[0]) / 70);
  const side = across.reversed ? [Math.max(...ends) + 6, "start"] : [Math.min(...ends) - 6, "end"];
  const lines = (up.log ? logTicks(up.low, up.high) : ticks(up.low, up.high, 5)).map((one) => [svg("line", { x1: ends[0], x2: ends[1], y1: y(one), y2: y(one), class: "grid" }), svg("text", { x: side[0], y: y(one) + 4, class: `tick ${side[1]}` }, up.tell(one))]);
  const below = spread(across.whole ? places.filter(Number.isInteger) : places, x).map((one) => svg("text", { x: x(one), y: y(up.low) + 16, class: "tick middle" }, across.tell(one)));
  const names = [svg("text", { x: (ends[0] + ends[1]) / 2, y: y(up.low) + 33, class: "tick middle quiet" }, across.label), svg("text", { x: across.reversed ? Math.max(...ends) + 44 : 2, y: 12, class: `tick quiet ${across.reversed ? "end" : "start"}` }, up.label)];
  return [lines, below, names];
}

/** The places whose labels do not touch. */
function spread(places, x) {
  const found = [];
  for (const one of [...places].reverse()) if (!found.length || Math.abs(x(one) - x(found.at(-1))) >= 34) found.push(one);
  return found;
}

function diagonal(x, y, { low, high }) {
  return svg("line", { x1: x(low), x2: x(high), y1: y(low), y2: y(high), class: "equal" });
}

function points(chart, series, x, y) {
  return series.values.map((value, at) => (value === null ? null : [x(chart.x.values[at]), y(value), at])).filter(Boolean);
}

function curve(chart, series, x, y) {
  const found = points(chart, series, x, y);
  const path = found.map(([across, up], at) => `${at ? "L" : "M"}${across.toFixed(1)} ${up.toFixed(1)}`).join("");
  const dots = series.dots ?? found.length <= 40;
  return svg("g", { class: `curve ${series.look}` }, series.spread ? band(chart, series, x, y) : null, svg("path", { d: path, class: "stroke" }), dots ? found.map((one) => dot(chart, series, one)) : null);
}

function dot(chart, series, [across, up, at]) {
  const words = series.words ? series.words[at] : `${chart.x.tell(chart.x.values[at])}: ${series.name} ${chart.y.tell(series.values[at])}`;
  return svg("circle", { cx: across, cy: up, r: series.sizes ? series.sizes[at] : 2.5, class: "dot" }, svg("title", { text: words }));
}

/** One standard error above and below the curve. */
function band(chart, series, x, y) {
  const side = (sign) => series.values.map((value, at) => `${x(chart.x.values[at]).toFixed(1)} ${y(clamped(chart.y, value + sign * series.spread[at])).toFixed(1)}`);
  return svg("path", { d: `M${[...side(1), ...side(-1).reverse()].join("L")}Z`, class: "band" });
}

function clamped({ low, high }, value) {
  return Math.min(high, Math.max(low, value));
}

function labels(chart, x, y, height) {
  const firsts = chart.series.map((one) => points(chart, one, x, y)[0]);
  const places = apart(firsts.map((one) => one[1] + 4), 15, height - BOTTOM);
  const end = chart.x.reversed ? "end" : "start";
  return chart.series.map((one, at) => one.name && svg("text", { x: firsts[at][0] + (chart.x.reversed ? -8 : 8), y: places[at], class: `tick strong ${end}` }, one.name));
}

function marks(chart, x, y) {
  const found = chart.marks ?? [];
  const isNear = found.length > 1 && Math.abs(x(chart.x.values[found[0].at]) - x(chart.x.values[found[1].at])) < 90;
  return found.map(({ at, text, value }, place) => {
    const [across, height] = [x(chart.x.values[at]), y(value)];
    const shape = place ? `M${across - 6} ${height + 5}h12l-6 -11z` : `M${across} ${height - 6}l6 6l-6 6l-6 -6z`;
    const above = place || !isNear ? 12 : 27;
    const start = x(chart.x.reversed ? Math.max(...chart.x.values) : Math.min(...chart.x.values));
    const anchor = across - start < 50 ? "start" : "middle";
    return [svg("path", { d: shape, class: "mark" }), svg("text", { x: across, y: Math.max(12, height - above), class: `tick ${anchor} halo` }, text)];
  });
}

function now(chart, x, y) {
  if (chart.now === null || chart.now === undefined) return null;
  const at = x(chart.x.values[chart.now]);
  return svg("line", { x1: at, x2: at, y1: TOP - 6, y2: y(chart.y.low), class: "now" });
}
