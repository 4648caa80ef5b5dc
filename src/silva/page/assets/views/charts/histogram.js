import { thousands } from "../../model/numbers.js";
import { asTable, block, figure, line, picture, tick } from "./frame.js";
import { scale, ticks } from "./scale.js";

const TOP = 34;
const BOTTOM = 128;
const HEIGHT = 150;

/**
 * Counts in bins, stacked by class, with the cut of a split or another mark, and the same as a table.
 *
 * `edges` has one number more than `bins`; each bin has one count (null: withheld) for each of `looks` ({colour, pattern, text}).
 * `cut` is {at, words, below, above} or null; `tell` writes a number of the axis. Only the ends are marked where `isTime`.
 */
export function histogram(chart) {
  const rows = chart.bins.map((counts, at) => [binWords(chart, at), ...counts.map(countWords)]);
  return figure((width) => drawn(chart, width), asTable(chart.title, ["values", ...chart.looks.map((one) => `#${one.text}`)], rows));
}

/** A count, a dash where it is withheld. */
export function countWords(count) {
  return count === null ? "–" : thousands(count);
}

/** The sum of the counts that are told. */
export function total(counts) {
  return counts.reduce((sum, one) => sum + (one ?? 0), 0);
}

function binWords({ edges, tell }, at) {
  return `${tell(edges[at])} to ${tell(edges[at + 1])}`;
}

function drawn(chart, width) {
  const { title, edges, bins, cut, tell, isTime } = chart;
  const [low, high] = [edges[0], edges.at(-1)];
  const most = Math.max(1, ...bins.map(total));
  const left = 10 + 7.2 * thousands(most).length;
  const x = scale(low, high, left, width - 6);
  const y = scale(0, most, BOTTOM, TOP);
  const places = isTime ? [low, high] : ticks(low, high, width / 65);
  const looks = isTime ? ["start", "end"] : [];
  return picture(
    width,
    HEIGHT,
    title,
    `${bins.length} bins from ${tell(low)} to ${tell(high)}, at most ${thousands(most)} rows in one.${cut ? ` Marked: ${cut.words}.` : ""}`,
    line(left, BOTTOM, width - 6, BOTTOM, "axis"),
    [0, most].map((one) => tick(left - 6, y(one) + 4, "end", thousands(one))),
    places.map((one, at) => tick(x(one), BOTTOM + 16, looks[at] ?? "middle", tell(one))),
    bins.map((_, at) => stack(chart, at, x, y)),
    cut && cutLine(cut, x(cut.at), width, left),
  );
}

function stack(chart, at, x, y) {
  let below = 0;
  const [from, to] = [x(chart.edges[at]), x(chart.edges[at + 1])];
  return chart.bins[at].map((count, place) => {
    if (!count) return null;
    const bottom = y(below);
    below += count;
    const look = chart.looks[place];
    return block({ x: from, width: Math.max(0.5, to - from - (to - from > 6)), y: y(below), height: bottom - y(below) }, look, `${binWords(chart, at)}: ${thousands(count)} ${look.text}`);
  });
}

/** The cut with the names of its sides, and its words above. */
function cutLine({ words, below, above }, at, width, left) {
  const place = at > width * 0.66 ? "end" : at < width * 0.34 ? "start" : "middle";
  return [line(at, 18, at, BOTTOM + 4, "cut"), tick(at, 13, `strong ${place}`, words), below && at - left > 52 && tick(at - 5, 29, "end", below), above && width - at > 52 && tick(at + 5, 29, "start", above)];
}
