// Answers a batch of cases of tests/page/test_js_model.py: node model_batch.mjs FILE MODULE...
// A module that exports nothing is a joined script, which leaves its functions in globalThis.page.
import { readFileSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [file, ...paths] = process.argv.slice(2);
const modules = await Promise.all(paths.map((path) => import(pathToFileURL(path).href)));
const page = globalThis.page ?? Object.assign({}, ...modules);
const { decodeDocument, decoded, bindRow, measure, predictRow, flips, tidy, arrange, icicle, surface } = page;

const plain = (value) => {
  if (typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0))) return value === 0 ? "-0" : String(value);
  if (ArrayBuffer.isView(value) || value instanceof Set) return [...value].map(plain);
  if (Array.isArray(value)) return value.map(plain);
  if (value !== null && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]));
  return value;
};
const rowOf = (cells) => Float64Array.from(cells, decoded);

const leavesAt = (tree, step) => page.visibleNodes(tree, page.collapseTo(tree, null, step), step).filter((node) => page.isLeafAt(tree, node, step));

const ANSWERS = {
  rows: (tree, rows) => rows.map((cells) => predictRow(tree, rowOf(cells))),
  bound: (tree, rows) => rows.map((values) => bindRow(tree.doc, values.map((one) => (one === "unseen" ? one : decoded(one))))),
  flips: (tree, rows) => rows.map((cells) => flips(tree, rowOf(cells))),
  surfaces: (tree, asked) => asked.map(({ row, columns, cells }) => surface(tree, rowOf(row), columns, cells)),
  arranged: (tree, asked) => asked.map(({ open, step, fold }) => {
    tree.fold = fold;
    const visible = page.visibleNodes(tree, open === null ? page.collapseTo(tree, null, step) : new Set(open), step);
    return { visible, ...arrange(tree, visible, step) };
  }),
  pruned: (tree, { fold, steps, about }) => {
    tree.fold = fold;
    const at = (step) => ({ leaves: leavesAt(tree, step), inner: page.collapseTo(tree, null, step), below: page.countBelow(tree, 0, step), first: page.firstOpen(tree, about, step) });
    return steps.map(at);
  },
  icicle: (tree, [width, height]) => icicle(tree, width, height),
};
const FREE = {
  measures: (cases) => cases.map(({ columns, split, row }) => measure(columns, split, rowOf(row))),
  tidy: (cases) => cases.map(({ parent, widths, gap }) => tidy(parent, widths, gap)),
  numbers: (values) => values.map((value) => page.number(decoded(value))),
  percents: (values) => values.map((share) => page.percent(share)),
};

const batch = JSON.parse(readFileSync(file, "utf8"));
const found = batch.map((asked) => {
  if (asked.document === undefined) return Object.fromEntries(Object.keys(asked).map((name) => [name, FREE[name](asked[name])]));
  const tree = decodeDocument(asked.document).trees[0];
  return Object.fromEntries(Object.keys(asked).filter((name) => name !== "document").map((name) => [name, ANSWERS[name](tree, asked[name])]));
});
const text = JSON.stringify(plain(found));
for (let at = 0; at < text.length; ) at += writeSync(1, text.slice(at, at + 65536));
