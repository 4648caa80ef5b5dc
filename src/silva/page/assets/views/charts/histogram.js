import { svg } from "../../base/dom.js";
import { thousands } from "../../model/numbers.js";
import { block, picture } from "./frame.js";
import { scale, ticks } from "./scale.js";

const TOP = 34;
const BOTTOM = 22;

/**
 * Counts in bins, stacked by class, with the cut of a split.
 *
 * `edges` has one number more than `bins`; each bin has one count for each of `looks` ({colour, pattern, text}).
 * `cut` is {at, words, below, above} or null; `tell` writes a number of the axis. Only edges are marked where `isTime`.
 */
export function histogram({ title, edges, bins, looks, cut, tell, isTime }, width, height = 150) {
  const [low, high] = [edges[0], edges.at(-1)];
  const most = Math.max(1, ...bins.map(sum));
  const left = 10 + 7.2 * thousands(most).length;
  const x = scale(low, high, left, width - 6);
  const y = scale(0, most, height - BOTTOM, TOP);
  const bars = bins.map((counts, at) => stack(counts, looks, x(edges[at]), x(edges[at + 1]), y, `${tell(edges[at])} to ${tell(edges[at + 1])}`));
  const said = cut ? ` The cut is at ${cut.words}.` : "";
  return picture(width, height, title, `${bins.length} bins from ${tell(low)} to ${tell(high)}, at most ${thousands(most)} rows in one.${said}`, axes(x, y, low, high, most), isTime ? ends(edges, x, y, tell) : numbers(x, y, low, high, width, tell), bars, cut ? cutLine(cut, x, width, left, height) : null);
}

function sum(counts) {
  return counts.reduce((total, one) => total + (one ?? 0), 0);
}

function stack(counts, looks, from, to, y, where) {
  let below = 0;
  const gap = to - from > 6 ? 1 : 0;
  return counts.map((count, at) => {
    if (!count) return null;
    const [bottom, top] = [y(below), y(below + count)];
    below += count;
    const place = { x: from, width: Math.max(0.5, to - from - gap), y: top, height: bottom - top };
    return block(place, looks[at].colour, looks[at].pattern, `${where}: ${thousands(count)} ${looks[at].text}`);
  });
}

function numbers(x, y, low, high, width, tell) {
  return ticks(low, high, Math.max(2, Math.floor(width / 60))).map((one) => svg("text", { x: x(one), y: y(0) + 16, class: "tick middle" }, tell(one)));
}

/** The first and the last edge: times take much room. */
function ends(edges, x, y, tell) {
  return [[edges[0], "start"], [edges.at(-1), "end"]].map(([one, anchor]) => svg("text", { x: x(one), y: y(0) + 16, class: `tick ${anchor}` }, tell(one)));
}

function axes(x, y, low, high, most) {
  const line = svg("line", { x1: x(low), x2: x(high), y1: y(0), y2: y(0), class: "axis" });
  return [line, [0, most].map((one) => svg("text", { x: x(low) - 6, y: y(one) + 4, class: "tick end" }, thousands(one)))];
}

/** The cut with the names of its sides, and the words of the threshold above. */
function cutLine(cut, x, width, left, height) {
  const at = x(cut.at);
  const place = at > width * 0.66 ? "end" : at < width * 0.34 ? "start" : "middle";
  return [
    svg("line", { x1: at, x2: at, y1: 18, y2: height - BOTTOM + 4, class: "cut" }),
    svg("text", { x: at, y: 13, class: `tick strong ${place}` }, cut.words),
    at - left > 52 ? svg("text", { x: at - 5, y: 29, class: "tick end" }, cut.below) : null,
    width - at > 52 ? svg("text", { x: at + 5, y: 29, class: "tick start" }, cut.above) : null,
  ];
}
