import { textWidth } from "../../model/layout.js";
import { percent } from "../../model/numbers.js";
import { meanPart } from "./colours.js";
import { asked, prediction, rounded, rowsOf, spoken } from "./words.js";

const ROOM = 212;
/** No text of so many letters fits in a box. */
const MOST_LETTERS = 80;
const FEW = 10;
/** By style: size, and how much wider it is than plain text. */
const STYLES = { question: [12.5, 1.16], answer: [15, 1.16], plain: [11, 1], quiet: [11, 1] };
const LINE = 1.32;
const [PAD_X, PAD_Y, BAR, NARROWEST] = [11, 8, 11, 96];

/** The box of a node at a step of pruning: as Python drew it, or made here for pruned nodes and beyond the limit of cards. */
export function cardOf(tree, node, isLeaf) {
  const isPruned = isLeaf && !tree.isLeaf(node);
  const own = tree.card(node);
  if (own && !isPruned) return own;
  const label = own ? own.label : [fitted(cutDecimals(tree.edge(node)), "plain", 160)].filter(Boolean);
  return { ...stacked(tree, node, isLeaf), name: spoken(tree, node, isPruned), label };
}

function leafLines(tree, node, few) {
  const own = tree.nClasses ? null : tree.deviation(node);
  const rows = rowsOf(tree, node);
  return [[prediction(tree, node), "answer"], [surety(tree, node), "plain"], [few ? `only ${rows}` : rows, "quiet"], [own === null ? "" : `deviation ${Number(own.toPrecision(4))}`, "quiet"]];
}

function splitLines(tree, node) {
  const isBinary = ["threshold", "subset"].includes(tree.split(node).kind);
  const question = isBinary ? tree.edge(node + 1) : asked(tree, node).join(", ");
  return [[`${question}?`, "question"], [rowsOf(tree, node), "quiet"], [(tree.nClasses ? "" : "mean ") + prediction(tree, node), "quiet"]];
}

function surety(tree, node) {
  const between = tree.json.weighted ? null : tree.interval(node);
  if (!tree.nClasses) return between ? `(${between.map((end) => rounded(tree, end)).join(" to ")})` : "";
  const share = tree.shares(node)?.[tree.code(node)];
  if (share === undefined) return "";
  return between ? `${percent(share)} (${between.map((end) => (100 * end).toFixed(0)).join("–")}%)` : percent(share);
}

/** Lines below each other, then a bar: of class shares, or of mean and deviation. */
function stacked(tree, node, isLeaf) {
  const rows = tree.rows[node];
  const few = isLeaf && rows < FEW;
  const left = PAD_X + (isLeaf ? 5 : 0);
  const texts = [];
  let [top, inner] = [PAD_Y, NARROWEST];
  for (const [full, style] of isLeaf ? leafLines(tree, node, few && rows !== null) : splitLines(tree, node)) {
    if (!full) continue;
    const text = fitted(cutDecimals(full), style, ROOM);
    const [size] = STYLES[style];
    texts.push([left, top + size, text, style, text === full ? "" : full]);
    inner = Math.max(inner, width(text, style));
    top += size * LINE;
  }
  const rects = (tree.nClasses ? bar : spread)(tree, node, left, top + 2, inner);
  const accent = tree.nClasses ? tree.doc.classes[tree.code(node)].colour : "target";
  return { w: left + inner + PAD_X, h: top + (rects.length ? BAR + 4 : 0) + PAD_Y - 2, few, accent: isLeaf && accent, texts, rects };
}

/** Mean and deviation on the scale from the lowest to the highest leaf. */
function spread(tree, node, left, top, inner) {
  const [mean, own] = [tree.mean(node), tree.deviation(node)];
  if (mean === null || own === null) return [];
  const [begin, middle, end] = [mean - own, mean, mean + own].map((value) => meanPart(tree, value));
  return [[left, top + 5, inner, 2, "track"], [left + begin * inner, top + 3, (end - begin) * inner, 6, "target", "mean ± deviation"], [left + middle * (inner - 2), top, 2, 12, "mark", "mean"]];
}

/** The classes from the largest share on. */
function bar(tree, node, left, top, inner) {
  const shares = tree.shares(node) ?? [];
  let begin = left;
  const codes = [...shares.keys()].filter((code) => shares[code]).sort((one, other) => shares[other] - shares[one]);
  return codes.slice(0, 9).map((code) => {
    const { colour, text } = tree.doc.classes[code];
    const own = shares[code] * inner;
    begin += own;
    return [begin - own, top, own, BAR, colour, `${text} ${percent(shares[code])}`];
  });
}

/** The ends of long decimals are left out: `0.0061888847138` becomes `0.0061888…`. */
function cutDecimals(text) {
  return text.replace(/(?<![\w.])(\d+\.0*\d{5})\d{2,}/g, "$1…");
}

/** The text, cut with dots where it is wider than the room. */
export function fitted(text, style, room) {
  if (width(text, style) <= room) return text;
  let shown = text.slice(0, MOST_LETTERS);
  while (shown && width(`${shown}…`, style) > room) shown = shown.slice(0, -1);
  return `${shown.replace(/[\ud800-\udbff]$/, "")}…`;
}

function width(text, style) {
  const [size, factor] = STYLES[style];
  return textWidth(text, size) * factor;
}
