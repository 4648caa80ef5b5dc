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
  const cells = new Cells(tree, visible, step);
  const middles = tidy(cells.parent.subarray(0, cells.count), cells.room, GAP);
  const levels = levelsOf(cells, middles);
  const boxes = [];
  const edges = [];
  let right = 0;
  let bottom = 0;
  for (let at = 0; at < cells.count; at++) {
    const box = cells.box(at, middles[at] + MARGIN, levels.top[cells.depth[at]]);
    boxes.push(box);
    if (at > 0) edges.push(edgeOf(tree, boxes[cells.parent[at]], box, levels.band[cells.depth[at]]));
    right = Math.max(right, middles[at] + cells.room[at] / 2);
    bottom = Math.max(bottom, box.y + box.h);
  }
  return { boxes, edges, width: right + 2 * MARGIN, height: bottom + MARGIN };
}

/** What is drawn, in pre-order, as columns: objects for each would keep the garbage collector busy. */
class Cells {
  constructor(tree, visible, step) {
    const most = 2 * visible.length;
    for (const name of ["node", "parent", "depth", "lines"]) this[name] = new Int32Array(most);
    for (const name of ["w", "h", "room"]) this[name] = new Float64Array(most);
    this.stubs = new Map();
    this.count = 0;
    const place = new Int32Array(tree.n);
    for (let at = 0; at < visible.length; at++) {
      const node = visible[at];
      place[node] = this.count;
      this.addCard(tree, node, node === 0 ? -1 : place[tree.parent[node]]);
      const isOpen = at + 1 < visible.length && tree.parent[visible[at + 1]] === node;
      if (!isOpen && !isLeafAt(tree, node, step)) this.addStub(tree, node, place[node], step);
    }
  }

  addCard(tree, node, parent) {
    const card = tree.card(node) ?? PLAIN_CARD;
    this.add(node, parent, tree.depth[node], card.w, card.h);
    this.lines[this.count - 1] = card.label.length;
    this.room[this.count - 1] = Math.max(card.w, labelWidth(card.label));
  }

  addStub(tree, node, parent, step) {
    const share = shareOf(tree, node);
    const text = `+${thousands(countBelow(tree, node, step))} more${share === null ? "" : ` (${percent(share)} of rows)`}`;
    this.stubs.set(this.count, text);
    this.add(node, parent, tree.depth[node] + 1, textWidth(text, SMALL) + STUB.pad, STUB.height);
  }

  add(node, parent, depth, w, h) {
    const at = this.count++;
    this.node[at] = node;
    this.parent[at] = parent;
    this.depth[at] = depth;
    this.w[at] = w;
    this.h[at] = h;
    this.room[at] = w;
  }

  box(at, middle, top) {
    const text = this.stubs.get(at) ?? "";
    return { node: this.node[at], stub: text !== "", text, x: rounded(middle - this.w[at] / 2), y: rounded(top), w: this.w[at], h: this.h[at] };
  }
}

function shareOf(tree, node) {
  return tree.json.nodes.share[node];
}

/** By depth: the top of the boxes, below labels and curves, which are higher where nodes are far apart; and the height of the labels. */
function levelsOf({ count, depth, h, lines, parent }, middles) {
  const deepest = depth.reduce((most, one) => Math.max(most, one), 0);
  const [height, many, span] = [0, 1, 2].map(() => new Float64Array(deepest + 1));
  for (let at = 0; at < count; at++) {
    const level = depth[at];
    height[level] = Math.max(height[level], h[at]);
    many[level] = Math.max(many[level], lines[at]);
    if (at > 0) span[level] = Math.max(span[level], Math.abs(middles[at] - middles[parent[at]]));
  }
  const band = many.map((one) => one * LABEL_LINE + 8);
  const top = [MARGIN];
  for (let level = 1; level <= deepest; level++) {
    const curve = Math.min(MOST_CURVE, CURVE + SLOPE * span[level]);
    top.push(top[level - 1] + height[level - 1] + curve + band[level]);
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
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at);
    sum += characterWidth(code);
    if (code > 0xffff) at++;
  }
  return (sum * size) / 100;
}

function characterWidth(code) {
  if (code >= 32 && code < 32 + ASCII.length) return ASCII[code - 32];
  if (code > 0x1f020) return 135;
  return (code >= 0x1100 && code < 0x1200) || (code >= 0x2e80 && code < 0xd7b0) || (code >= 0xf900 && code < 0xfb00) || (code >= 0xff00 && code < 0xff61) ? 105 : 68;
}

function labelWidth(lines) {
  let most = 0;
  for (const line of lines) most = Math.max(most, textWidth(line, SMALL));
  return most;
}

/** All nodes as bars, one row a depth, as wide as their share of the training rows: { x, w (Float64Array by node), h (of a row), rows }.
 *  Node v is at x[v], tree.depth[v] * h. Children without a known count share as one row each. */
export function icicle(tree, width, height) {
  const [x, w] = [new Float64Array(tree.n), new Float64Array(tree.n)];
  w[0] = width;
  let deepest = 0;
  for (let node = 0; node < tree.n; node++) {
    deepest = Math.max(deepest, tree.depth[node]);
    divide(tree, node, x, w);
  }
  return { x, w, h: height / (deepest + 1), rows: deepest + 1 };
}

function divide(tree, node, x, w) {
  const last = tree.end[node];
  let sum = 0;
  for (let child = node + 1; child < last; child = tree.end[child]) sum += tree.rows[child] ?? 1;
  let left = x[node];
  for (let child = node + 1; child < last; child = tree.end[child]) {
    x[child] = left;
    w[child] = sum > 0 ? (w[node] * (tree.rows[child] ?? 1)) / sum : 0;
    left += w[child];
  }
}
