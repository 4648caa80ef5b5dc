export const MISSING = -1;
export const UNSEEN = -2;

/** A row for `route` from what-if values by column: a number or code, null (missing) or "unseen".
 *  Gives { row, refused, column }: `refused` says which value the column's policy "error" forbids, and `row` is then null.
 *  Columns that no tree of the page uses are never refused: they change no prediction. */
export function bindRow(doc, values) {
  const row = new Float64Array(doc.columns.length);
  for (let number = 0; number < row.length; number++) {
    const column = doc.columns[number];
    row[number] = cell(column, values[number]);
    const lacks = absence(column, row[number]);
    if (lacks && column.used !== false && column[lacks] === "error") return { row: null, refused: `${lacks} ${column.name}`, column: number };
  }
  return { row, refused: null, column: null };
}

/** Whether the values of the column are codes of levels. */
export function isCoded(column) {
  return column.kind !== "continuous";
}

/** "missing" or "unseen" where the column's cell of a row has no known value, else "". */
export function absence(column, value) {
  if (!isCoded(column)) return Number.isNaN(value) ? "missing" : "";
  if (value === UNSEEN) return "unseen";
  return value >= 0 ? "" : "missing";
}

function cell(column, value) {
  if (!isCoded(column)) return typeof value === "number" ? value : NaN;
  if (value === "unseen") return UNSEEN;
  if (typeof value !== "number" || Number.isNaN(value) || value === MISSING) return MISSING;
  const count = column.n_levels;
  return Number.isInteger(value) && value >= 0 && value < count ? value : UNSEEN;
}

/** Where the row ends: { node, path }, the path from the root to that node. */
export function route(tree, row) {
  const path = [0];
  for (let node = childOf(tree, 0, row); node >= 0; node = childOf(tree, node, row)) path.push(node);
  return { node: path.at(-1), path };
}

/** The child that the row goes to from this node; -1 where it ends: at a leaf, or because the split stops it. */
export function childOf(tree, node, row) {
  const split = tree.split(node);
  if (split === null) return -1;
  const place = placeOf(tree.doc.columns, split, row);
  return place < 0 ? -1 : tree.child(node, place);
}

/** The place among the children of a split of one column that takes a value of it; -1 stops the row. */
export function placeOfValue(split, column, value) {
  const lacks = absence(column, value);
  if (lacks) return split[lacks];
  if (split.kind === "threshold") return value < split.threshold ? 0 : 1;
  if (split.kind === "multiway") {
    const place = split.codes.indexOf(value);
    return place < 0 ? split.unseen : place;
  }
  if (split.codes.includes(value)) return 1;
  return split.rest.length === 0 || split.rest.includes(value) ? 0 : split.unseen;
}

/** The place among the children of a split that takes the row; -1 stops it. */
export function placeOf(columns, split, row) {
  if (split.columns === undefined) return placeOfValue(split, columns[split.column], row[split.column]);
  const measured = measure(columns, split, row);
  if (!Number.isFinite(measured)) return split.missing;
  return measured < split.threshold ? 0 : 1;
}

/** What an oblique or distance split compares with its threshold, added up as the core does: the same bits. NaN if the row lacks a value. */
export function measure(columns, split, row) {
  const values = split.columns.map((number) => (absence(columns[number], row[number]) ? NaN : row[number]));
  if (values.some(Number.isNaN)) return NaN;
  if (split.kind === "oblique") return total(split.codes, (code, at) => split.weights[at] * (code < 0 ? values[at] : Number(values[at] === code)));
  return METRICS[split.metric](values.map((value, at) => (value - split.center[at]) * split.scale[at]), split, values);
}

function total(items, part) {
  return items.reduce((sum, item, at) => sum + part(item, at), 0);
}

const METRICS = {
  euclidean: (moved) => Math.sqrt(total(moved, (one) => one * one)),
  manhattan: (moved) => total(moved, Math.abs),
  cosine(_, { center, scale }, values) {
    const own = values.map((one, at) => one * scale[at]);
    const other = center.map((one, at) => one * scale[at]);
    const product = total(own, (one, at) => one * other[at]);
    const [length, width] = [own, other].map((side) => total(side, (one) => one * one));
    return length === 0 || width === 0 ? 1 : 1 - product / (Math.sqrt(length) * Math.sqrt(width));
  },
  mahalanobis(moved, { matrix }) {
    const size = moved.length;
    const sum = total(matrix, (one, at) => moved[Math.floor(at / size)] * one * moved[at % size]);
    return sum < 0 ? 0 : Math.sqrt(sum);
  },
};
