import { textWidth } from "../../model/layout.js";
import { percent } from "../../model/numbers.js";
import { meanRange } from "./colours.js";
import { asked, prediction, rounded, rowsOf, spoken } from "./words.js";

const ROOM = 212;
const FEW = 10;
const SIZES = { question: 12.5, answer: 15, plain: 11, quiet: 11 };
const LINE = 1.32;
const [PAD_X, PAD_Y, BAR, NARROWEST] = [11, 8, 11, 96];

/** The box of a node at a step of pruning: as Python drew it, or made here for pruned nodes and beyond the limit of cards. */
export function cardOf(tree, node, isLeaf) {
  const isPruned = isLeaf && !tree.isLeaf(node);
  const own = tree.card(node);
  if (own && !isPruned) return own;
  const made = isLeaf ? leafCard(tree, node) : splitCard(tree, node);
  const label = own ? own.label : [fitted(cutDecimals(tree.edge(node)), "plain", 160)].filter(Boolean);
  return { ...made, name: spoken(tree, node, isPruned), label };
}

function leafCard(tree, node) {
  const few = tree.rows[node] === null || tree.rows[node] < FEW;
  const lines = [[prediction(tree, node), "answer"], [surety(tree, node), "plain"], [few && tree.rows[node] !== null ? `only ${rowsOf(tree, node)}` : rowsOf(tree, node), "quiet"], [deviation(tree, node), "quiet"]];
  return stacked(tree, node, lines, { few, isLeaf: true, question: "" });
}

function splitCard(tree, node) {
  const kind = tree.split(node).kind;
  const question = kind === "threshold" || kind === "subset" ? `${tree.edge(node + 1)}?` : `${asked(tree, node).join(", ")}?`;
  const fact = tree.nClasses ? prediction(tree, node) : `mean ${prediction(tree, node)}`;
  return stacked(tree, node, [[question, "question"], [rowsOf(tree, node), "quiet"], [fact, "quiet"]], { few: false, isLeaf: false, question });
}

function deviation(tree, node) {
  const own = tree.nClasses ? null : tree.deviation(node);
  return own === null ? "" : `deviation ${Number(own.toPrecision(4))}`;
}

function surety(tree, node) {
  const between = tree.json.weighted ? null : tree.interval(node);
  if (!tree.nClasses) return between ? `(${rounded(tree, between[0])} to ${rounded(tree, between[1])})` : "";
  const shares = tree.shares(node);
  if (shares === null) return "";
  const share = percent(shares[tree.code(node)]);
  return between ? `${share} (${between.map((end) => (100 * end).toFixed(0)).join("–")}%)` : share;
}

/** Lines below each other, then the bar of class shares. */
function stacked(tree, node, lines, { few, isLeaf, question }) {
  const left = PAD_X + (isLeaf ? 5 : 0);
  const texts = [];
  let [top, inner] = [PAD_Y, NARROWEST];
  for (const [full, style] of lines.filter(([text]) => text)) {
    const text = fitted(cutDecimals(full), style, ROOM);
    texts.push([left, top + SIZES[style], text, style, text === full ? "" : full]);
    inner = Math.max(inner, width(text, style));
    top += SIZES[style] * LINE;
  }
  const rects = tree.nClasses ? bar(tree, node, left, top + 2, inner) : spread(tree, node, left, top + 2, inner);
  const h = top + (rects.length ? BAR + 4 : 0) + PAD_Y - 2;
  const accent = isLeaf ? leafColour(tree, node) : "";
  return { w: left + inner + PAD_X, h, few, accent, texts, rects, question };
}

function leafColour(tree, node) {
  return tree.nClasses ? tree.doc.classes[tree.code(node)].colour : "target";
}

/** Mean and deviation on the scale from the lowest to the highest leaf. */
function spread(tree, node, left, top, inner) {
  const [mean, own, [low, high]] = [tree.mean(node), tree.deviation(node), meanRange(tree)];
  if (mean === null || own === null) return [];
  const part = (value) => (high > low ? Math.min(1, Math.max(0, (value / 2 - low / 2) / (high / 2 - low / 2))) : 0.5);
  const [begin, end] = [left + part(mean - own) * inner, left + part(mean + own) * inner];
  return [[left, top + 5, inner, 2, "track", ""], [begin, top + 3, Math.max(0, end - begin), 6, "target", "mean ± deviation"], [left + part(mean) * (inner - 2), top, 2, 12, "mark", "mean"]];
}

/** The classes from the largest share on. */
function bar(tree, node, left, top, inner) {
  const shares = tree.shares(node);
  if (shares === null) return [];
  const found = [];
  let begin = left;
  for (const code of [...shares.keys()].sort((one, other) => shares[other] - shares[one] || one - other)) {
    if (!shares[code]) break;
    const { colour, text } = tree.doc.classes[code];
    found.push([begin, top, shares[code] * inner, BAR, colour, `${text} ${percent(shares[code])}`]);
    begin += shares[code] * inner;
  }
  return found.slice(0, 9);
}

/** The ends of long decimals are left out: `0.0061888847138` becomes `0.0061888…`. */
function cutDecimals(text) {
  return text.replace(/(?<![\w.])(\d+\.0*\d{5})\d{2,}/g, "$1…");
}

/** The text, cut with dots where it is wider than the room. */
export function fitted(text, style, room) {
  if (width(text, style) <= room) return text;
  let [low, high] = [0, Math.min(text.length, 400)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (width(`${text.slice(0, middle)}…`, style) <= room) low = middle;
    else high = middle - 1;
  }
  return `${text.slice(0, low).replace(/[\ud800-\udbff]$/, "")}…`;
}

function width(text, style) {
  return textWidth(text, SIZES[style]) * (style === "question" || style === "answer" ? 1.16 : 1);
}
