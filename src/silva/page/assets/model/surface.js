import { childOf, isCoded, placeOfValue } from "./router.js";
import { predictRow, predictionAt } from "./predict.js";

const MARGIN = 0.04;
const FEWEST_FLOATS = 1000;
const CELLS = { 1: 400, 2: 96 };

/** What the tree predicts over one or two columns, the others as in `row`: { exact, axes, rects }.
 *  An axis is { column, coded, low, high }: numbers lie where they are, level i from i - 0.5 to i + 0.5; missing values are not shown.
 *  A rect is { x0, x1, y0, y1, node, code, shares, value }: `value` is the predicted number, or the probability of the class (null if withheld);
 *  with one column y0 is 0 and y1 is 1. Upper limits do not belong to a rect. Splits of several columns and linear leaves have no exact
 *  rectangles: rects are then the cells of a grid, and the prediction is that of their middle. */
export function surface(tree, row, columns, cells = CELLS[columns.length]) {
  const axes = columns.map((number) => axisOf(tree, number));
  const exact = tree.linear === null && tree.splits.every((split) => split === null || split.columns === undefined);
  return { exact, axes, rects: exact ? regions(tree, axes, row) : grid(tree, axes, row, cells) };
}

/** What an axis shows of a column: the range of the training rows with a margin, or else of the thresholds; all levels. */
export function axisOf(tree, number) {
  const column = tree.doc.columns[number];
  if (isCoded(column)) return { column: number, coded: true, low: -0.5, high: column.n_levels - 0.5 };
  return { column: number, coded: false, ...widened(...rangeOf(tree, number, column)) };
}

/** The ends of an axis that shows a range: with a margin, and never so short that floats lie apart. */
export function widened(low, high) {
  const middle = low / 2 + high / 2;
  const reach = high / 2 - low / 2;
  const wanted = reach > 0 ? reach * (1 + 2 * MARGIN) : Math.max(1, Math.abs(middle) * MARGIN);
  const half = Math.max(wanted, FEWEST_FLOATS * Math.abs(middle) * Number.EPSILON);
  return { low: middle - half, high: middle + half };
}

function rangeOf(tree, number, column) {
  if (column.facts && column.facts.low !== null) return [column.facts.low, column.facts.high];
  const own = tree.splits.filter((split) => split !== null && split.column === number && Number.isFinite(split.threshold));
  if (own.length === 0) return [0, 1];
  const limits = own.map((split) => split.threshold).sort((one, other) => one - other);
  const [least, most] = [limits[0], limits[limits.length - 1]];
  const reach = 0.5 * (most - least) || Math.max(1, 0.1 * Math.abs(least));
  return [least - reach, most + reach];
}

/** Exact rectangles: one walk of the tree, which narrows the values of the shown columns. */
function regions(tree, axes, row) {
  const found = [];
  const stack = [{ node: 0, spans: axes.map(wholeSpan) }];
  while (stack.length) {
    const { node, spans } = stack.pop();
    const ways = waysFrom(tree, node, spans, axes, row);
    for (const way of ways.reverse()) {
      if (way.node === node) found.push(...rectangles(tree, node, way.spans, axes, row));
      else stack.push(way);
    }
  }
  return found;
}

function wholeSpan(axis) {
  return axis.coded ? Array.from({ length: Math.round(axis.high + 0.5) }, (_, code) => code) : [axis.low, axis.high];
}

/** Where the values of a node's spans go: to children, or to the node itself where they end. */
function waysFrom(tree, node, spans, axes, row) {
  const split = tree.split(node);
  if (split === null) return [{ node, spans }];
  const place = axes.findIndex((axis) => axis.column === split.column);
  if (place < 0) {
    const child = childOf(tree, node, row);
    return [{ node: child < 0 ? node : child, spans }];
  }
  const parts = axes[place].coded ? codeParts(tree, split, spans[place]) : numberParts(split, spans[place]);
  return parts.map(([child, span]) => ({ node: child < 0 ? node : tree.child(node, child), spans: spans.map((own, at) => (at === place ? span : own)) }));
}

function numberParts(split, [low, high]) {
  const limit = split.threshold;
  const parts = [];
  if (low < limit) parts.push([0, [low, Math.min(high, limit)]]);
  if (limit < high) parts.push([1, [Math.max(low, limit), high]]);
  return parts;
}

function codeParts(tree, split, codes) {
  const column = tree.doc.columns[split.column];
  const parts = new Map();
  for (const code of codes) {
    const child = placeOfValue(split, column, code);
    if (!parts.has(child)) parts.set(child, []);
    parts.get(child).push(code);
  }
  return [...parts];
}

function rectangles(tree, node, spans, axes, row) {
  const told = toldAt(predictionAt(tree, node, row));
  const [across, down] = [stretches(axes[0], spans[0]), axes.length > 1 ? stretches(axes[1], spans[1]) : [[0, 1]]];
  return across.flatMap(([x0, x1]) => down.map(([y0, y1]) => ({ x0, x1, y0, y1, node, ...told })));
}

function toldAt({ code, shares, value }) {
  return { code, shares, value: code === null ? value : shares === null ? null : shares[code] };
}

/** Levels side by side are one stretch. */
function stretches(axis, span) {
  if (!axis.coded) return [span];
  const found = [];
  for (const code of span) {
    const last = found[found.length - 1];
    if (last && last[1] === code - 0.5) last[1] = code + 0.5;
    else found.push([code - 0.5, code + 0.5]);
  }
  return found;
}

function grid(tree, axes, row, cells) {
  const [across, down] = [cellsOf(axes[0], cells), axes.length > 1 ? cellsOf(axes[1], cells) : [{ low: 0, high: 1, value: null }]];
  const moved = Float64Array.from(row);
  const found = [];
  for (const y of down) {
    if (axes.length > 1) moved[axes[1].column] = y.value;
    for (const x of across) {
      moved[axes[0].column] = x.value;
      const told = predictRow(tree, moved);
      found.push({ x0: x.low, x1: x.high, y0: y.low, y1: y.high, node: told.node, ...toldAt(told) });
    }
  }
  return found;
}

function cellsOf(axis, count) {
  if (axis.coded) return wholeSpan(axis).map((code) => ({ low: code - 0.5, high: code + 0.5, value: code }));
  const edge = (at) => (at === count ? axis.high : axis.low + (at * (axis.high - axis.low)) / count);
  return Array.from({ length: count }, (_, at) => ({ low: edge(at), high: edge(at + 1), value: (edge(at) + edge(at + 1)) / 2 }));
}
