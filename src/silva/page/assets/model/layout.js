import { percent, thousands } from "./numbers.js";
import { countBelow, isLeafAt } from "./pruned.js";
import { tidy } from "./tidy.js";

export const MARGIN = 18;
export const GAP = 14;
export const SMALL = 11;
export const LABEL_LINE = SMALL * 1.32;
export const PLAIN_CARD = { w: 126, h: 46, label: [] };
const [CURVE, SLOPE, MOST_CURVE] = [26, 0.06, 90];
const [THINNEST, THICKEST] = [1.2, 9];
const STUB = { pad: 20, height: 24 };

/** Widths of the characters from the space on, in hundredths of the font size; 00 is 100. The same as in silva.inspect.drawing.lettering. */
const WIDTHS = "3240468464957827393950843236323464646464646464646464343484848453006869707763587775292966568675796079696361736899696169393439845050616355636235636328285828976361636341523963598259595264346484";
const ASCII = WIDTHS.match(/../g).map((pair) => Number(pair) || 100);

/** Boxes and edges of the nodes that are drawn (`visible` is in pre-order, as visibleNodes gives it), in pixels from the top left.
 *  Gives { boxes: [{ node, stub, text, x, y, w, h }], edges: [{ parent, child, stub, x1, y1, x2, y2, bend, width }], width, height }; parents and children are node numbers.
 *  Below a folded inner node hangs a stub, a box with the node's number that says how many nodes are hidden. */
export function arrange(tree, visible, step = 0) {
  const boxes = boxesOf(tree, visible, step);
  const middles = tidy(boxes.map((box) => box.above), boxes.map((box) => box.room), GAP);
  const { top, band } = levelsOf(boxes, middles);
  let [width, height] = [0, 0];
  boxes.forEach((box, at) => {
    box.x = rounded(middles[at] + MARGIN - box.w / 2);
    box.y = rounded(top[box.depth]);
    width = Math.max(width, middles[at] + box.room / 2 + 2 * MARGIN);
    height = Math.max(height, box.y + box.h + MARGIN);
  });
  const edges = boxes.slice(1).map((box) => edgeOf(tree, boxes[box.above], box, band[box.depth]));
  return { boxes, edges, width, height };
}

/** What is drawn, in pre-order, without its place: `above` is the place of the parent in the list, `room` the width with the label. */
function boxesOf(tree, visible, step) {
  const boxes = [];
  const place = new Int32Array(tree.n);
  visible.forEach((node, at) => {
    const { w, h, label } = tree.card(node) ?? PLAIN_CARD;
    const depth = tree.depth[node];
    place[node] = boxes.length;
    boxes.push({ node, stub: false, text: "", w, h, depth, above: node ? place[tree.parent[node]] : -1, lines: label.length, room: Math.max(w, ...label.map((line) => textWidth(line, SMALL))) });
    const isOpen = at + 1 < visible.length && tree.parent[visible[at + 1]] === node;
    if (!isOpen && !isLeafAt(tree, node, step)) boxes.push(stubOf(tree, node, place[node], step));
  });
  return boxes;
}

function stubOf(tree, node, above, step) {
  const share = shareOf(tree, node);
  const text = `+${thousands(countBelow(tree, node, step))} more${share === null ? "" : ` (${percent(share)} of rows)`}`;
  const w = textWidth(text, SMALL) + STUB.pad;
  return { node, stub: true, text, w, h: STUB.height, depth: tree.depth[node] + 1, above, lines: 0, room: w };
}

function shareOf(tree, node) {
  return tree.json.nodes.share[node];
}

/** By depth: the top of the boxes, below labels and curves, which are higher where nodes are far apart; and the height of the labels. */
function levelsOf(boxes, middles) {
  const levels = [];
  boxes.forEach(({ depth, h, lines, above }, at) => {
    const level = (levels[depth] ??= { height: 0, lines: 0, span: 0 });
    level.height = Math.max(level.height, h);
    level.lines = Math.max(level.lines, lines);
    if (at > 0) level.span = Math.max(level.span, Math.abs(middles[at] - middles[above]));
  });
  const band = levels.map((level) => level.lines * LABEL_LINE + 8);
  const top = [MARGIN];
  for (let at = 1; at < levels.length; at++) {
    const curve = Math.min(MOST_CURVE, CURVE + SLOPE * levels[at].span);
    top.push(top[at - 1] + levels[at - 1].height + curve + band[at]);
  }
  return { top, band };
}

function edgeOf(tree, above, below, band) {
  return {
    parent: above.node,
    child: below.node,
    stub: below.stub,
    x1: above.x + above.w / 2,
    y1: above.y + above.h,
    x2: below.x + below.w / 2,
    y2: below.y,
    bend: below.y - band,
    width: rounded(THINNEST + (THICKEST - THINNEST) * (shareOf(tree, below.node) ?? 0)),
  };
}

function rounded(value) {
  return Math.round(value * 100) / 100;
}

/** The width of a line of text in pixels, a little more than most fonts need. */
export function textWidth(text, size) {
  let sum = 0;
  for (const letter of text) sum += characterWidth(letter.codePointAt(0));
  return (sum * size) / 100;
}

const WIDE = [0x1100, 0x1200, 0x2e80, 0xd7b0, 0xf900, 0xfb00, 0xff00, 0xff61];

function characterWidth(code) {
  if (code > 0x1f020) return 135;
  return ASCII[code - 32] ?? (WIDE.filter((limit) => limit <= code).length % 2 ? 105 : 68);
}

/** All nodes as bars, one row a depth, as wide as their share of the training rows: { x, w (Float64Array by node), h (of a row), rows }.
 *  Node v is at x[v], tree.depth[v] * h. Children without a known count share as one row each. */
export function icicle(tree, width, height) {
  const [x, w] = [new Float64Array(tree.n), new Float64Array(tree.n)];
  w[0] = width;
  for (let node = 0; node < tree.n; node++) divide(tree, node, x, w);
  const rows = 1 + tree.depth.reduce((one, other) => Math.max(one, other));
  return { x, w, h: height / rows, rows };
}

function divide(tree, node, x, w) {
  const children = tree.children(node);
  const rows = children.map((child) => tree.rows[child] ?? 1);
  const sum = rows.reduce((one, other) => one + other, 0);
  let left = x[node];
  children.forEach((child, at) => {
    x[child] = left;
    w[child] = sum > 0 ? (w[node] * rows[at]) / sum : 0;
    left += w[child];
  });
}
