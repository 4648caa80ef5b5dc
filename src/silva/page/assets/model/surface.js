import { endsOfRow, interval, isJoint, thresholdsOf } from "./conditions.js";
import { knownPart, anyValue } from "./known.js";
import { predictRow, predictionAt } from "./predict.js";
import { isCoded } from "./router.js";

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
  const exact = tree.linear === null && !tree.splits.some(isJoint);
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
  const limits = thresholdsOf(tree, number).filter(Number.isFinite);
  if (!limits.length) return [0, 1];
  const [least, most] = [limits[0], limits.at(-1)];
  const reach = 0.5 * (most - least) || Math.max(1, 0.1 * Math.abs(least));
  return [least - reach, most + reach];
}

/** Exact rectangles: one walk of the tree, which narrows the values of the shown columns. */
function regions(tree, axes, row) {
  const whole = new Map(axes.map((axis) => [axis.column, valuesOf(tree, axis)]));
  return endsOfRow(tree, row, whole).flatMap(([node, region]) => rectangles(tree, node, axes.map((axis) => region.get(axis.column)), row));
}

function valuesOf(tree, { column, coded, low, high }) {
  return coded ? knownPart(anyValue(tree, column)) : interval(column, low, high, true, false);
}

function rectangles(tree, node, [x, y], row) {
  const told = toldAt(predictionAt(tree, node, row));
  const down = y ? stretches(y) : [[0, 1]];
  return stretches(x).flatMap(([x0, x1]) => down.map(([y0, y1]) => ({ x0, x1, y0, y1, node, ...told })));
}

function toldAt({ code, shares, value }) {
  return { code, shares, value: code === null ? value : shares === null ? null : shares[code] };
}

/** Levels side by side are one stretch. */
function stretches({ codes, low, high }) {
  if (!codes) return [[low, high]];
  const found = [];
  for (const code of codes) {
    const last = found.at(-1);
    if (last && last[1] === code - 0.5) last[1] = code + 0.5;
    else found.push([code - 0.5, code + 0.5]);
  }
  return found;
}

function grid(tree, axes, row, cells) {
  const [across, down] = [0, 1].map((at) => (axes[at] ? cellsOf(axes[at], cells) : [[0, 1]]));
  const moved = Float64Array.from(row);
  return down.flatMap(([y0, y1, y]) => {
    if (axes[1]) moved[axes[1].column] = y;
    return across.map(([x0, x1, x]) => {
      moved[axes[0].column] = x;
      const told = predictRow(tree, moved);
      return { x0, x1, y0, y1, node: told.node, ...toldAt(told) };
    });
  });
}

/** The lower and the upper end and the middle of each cell. */
function cellsOf({ coded, low, high }, wanted) {
  const count = coded ? high - low : wanted;
  const edge = (at) => (at === count ? high : low + (at * (high - low)) / count);
  return Array.from({ length: count }, (_, at) => [edge(at), edge(at + 1), (edge(at) + edge(at + 1)) / 2]);
}
