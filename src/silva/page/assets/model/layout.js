import { percentWords } from "./numerals.js";
import { countBelow, isLeafAt } from "./pruned.js";

export const MARGIN = 18;
export const GAP = 14;
export const SMALL = 11;
export const LABEL_LINE = SMALL * 1.32;
export const PLAIN_CARD = { w: 126, h: 46, label: [] };
const COUSINS = 1.6;
const [CURVE, SLOPE, MOST_CURVE] = [26, 0.06, 90];
const [THINNEST, THICKEST] = [1.2, 9];
const STUB = { pad: 20, height: 24 };

/** Widths of the characters from the space on, in hundredths of the font size; 00 is 100. The same as in silva.inspect.drawing.lettering. */
const WIDTHS = "3240468464957827393950843236323464646464646464646464343484848453006869707763587775292966568675796079696361736899696169393439845050616355636235636328285828976361636341523963598259595264346484";
const ASCII = WIDTHS.match(/../g).map((pair) => Number(pair) || 100);

/** The middle of each node of a tidy tree (Buchheim, Juenger and Leipert 2002), by number; the leftmost edge is at 0.
 *  `children` are lists of numbers in pre-order. The algorithm and the bits of silva.inspect.drawing.layout. */
export function tidy(children, widths, gap) {
  return new Tidy(children, widths, gap).places();
}

class Tidy {
  constructor(children, widths, gap) {
    const count = children.length;
    Object.assign(this, { children, widths, gap });
    for (const name of ["prelim", "mod", "middle", "change", "shift"]) this[name] = new Float64Array(count);
    this.parent = new Int32Array(count).fill(-1);
    this.number = new Int32Array(count);
    this.thread = new Int32Array(count).fill(-1);
    this.ancestor = Int32Array.from(children, (_, node) => node);
    children.forEach((below, node) => below.forEach((child) => (this.parent[child] = node)));
  }

  places() {
    for (let node = this.children.length - 1; node >= 0; node--) if (this.children[node].length) this.placeChildren(node);
    this.prelim[0] = this.middle[0];
    return this.absolute();
  }

  placeChildren(node) {
    const siblings = this.children[node];
    const first = siblings[0];
    let fallback = first;
    this.prelim[first] = this.middle[first];
    for (let number = 1; number < siblings.length; number++) {
      const [left, child] = [siblings[number - 1], siblings[number]];
      this.number[child] = number;
      this.prelim[child] = this.prelim[left] + this.distance(left, child);
      this.mod[child] = this.prelim[child] - this.middle[child];
      fallback = this.apportion(child, left, first, fallback);
    }
    this.executeShifts(siblings);
    this.middle[node] = (this.prelim[first] + this.prelim[siblings[siblings.length - 1]]) / 2;
  }

  /** Push the subtree of a node away from those on its left, level by level. */
  apportion(node, left, first, fallback) {
    const { mod, prelim } = this;
    let [innerRight, outerRight, innerLeft, outerLeft] = [node, node, left, first];
    let [sumIr, sumOr, sumIl, sumOl] = [mod[node], mod[node], mod[left], mod[first]];
    let [nextLeft, nextRight] = [this.nextRight(innerLeft), this.nextLeft(innerRight)];
    while (nextLeft >= 0 && nextRight >= 0) {
      innerLeft = nextLeft;
      innerRight = nextRight;
      outerLeft = this.nextLeft(outerLeft);
      outerRight = this.nextRight(outerRight);
      this.ancestor[outerRight] = node;
      const apart = prelim[innerRight] + sumIr - prelim[innerLeft] - sumIl;
      const push = this.distance(innerLeft, innerRight) - apart;
      if (push > 0) {
        this.move(this.pushedBy(innerLeft, node, fallback), node, push);
        sumIr += push;
        sumOr += push;
      }
      sumIl += mod[innerLeft];
      sumIr += mod[innerRight];
      sumOl += mod[outerLeft];
      sumOr += mod[outerRight];
      nextLeft = this.nextRight(innerLeft);
      nextRight = this.nextLeft(innerRight);
    }
    if (nextLeft >= 0 && this.nextRight(outerRight) < 0) {
      this.thread[outerRight] = nextLeft;
      mod[outerRight] += sumIl - sumOr;
    }
    if (nextRight < 0 || this.nextLeft(outerLeft) >= 0) return fallback;
    this.thread[outerLeft] = nextRight;
    mod[outerLeft] += sumIr - sumOl;
    return node;
  }

  distance(left, right) {
    const apart = this.parent[left] === this.parent[right] ? 1 : COUSINS;
    return (this.widths[left] + this.widths[right]) / 2 + apart * this.gap;
  }

  nextLeft(node) {
    return this.children[node].length ? this.children[node][0] : this.thread[node];
  }

  nextRight(node) {
    const below = this.children[node];
    return below.length ? below[below.length - 1] : this.thread[node];
  }

  pushedBy(innerLeft, node, fallback) {
    const found = this.ancestor[innerLeft];
    return this.parent[found] === this.parent[node] ? found : fallback;
  }

  move(left, right, push) {
    const share = push / (this.number[right] - this.number[left]);
    this.change[right] -= share;
    this.shift[right] += push;
    this.change[left] += share;
    this.prelim[right] += push;
    this.mod[right] += push;
  }

  executeShifts(siblings) {
    let [shift, change] = [0, 0];
    for (let at = siblings.length - 1; at >= 0; at--) {
      const child = siblings[at];
      this.prelim[child] += shift;
      this.mod[child] += shift;
      change += this.change[child];
      shift += this.shift[child] + change;
    }
  }

  absolute() {
    const moved = new Float64Array(this.children.length);
    this.children.forEach((below, node) => below.forEach((child) => (moved[child] = moved[node] + this.mod[node])));
    const places = this.prelim.map((own, node) => own + moved[node]);
    let edge = Infinity;
    places.forEach((place, node) => (edge = Math.min(edge, place - this.widths[node] / 2)));
    return places.map((place) => place - edge);
  }
}

/** Boxes and edges of the nodes that are drawn (`visible` is in pre-order, as visibleNodes gives it), in pixels from the top left.
 *  Gives { boxes: [{ node, stub, text, x, y, w, h }], edges: [{ parent, child, stub, x1, y1, x2, y2, bend, width }], width, height }; parents and children are node numbers.
 *  Below a folded inner node hangs a stub, a box with the node's number that says how many nodes are hidden. */
export function arrange(tree, visible, step = 0) {
  const cells = cellsOf(tree, visible, step);
  const children = cells.map(() => []);
  for (let at = 1; at < cells.length; at++) children[cells[at].parent].push(at);
  const widths = cells.map((cell) => Math.max(cell.w, labelWidth(cell.label)));
  const middles = tidy(children, widths, GAP);
  const levels = levelsOf(cells, middles);
  const boxes = cells.map((cell, at) => boxOf(cell, middles[at] + MARGIN, levels.top[cell.depth]));
  const edges = cells.slice(1).map((cell, at) => edgeOf(tree, cell, cells[cell.parent], boxes[cell.parent], boxes[at + 1], levels));
  let [right, bottom] = [0, 0];
  middles.forEach((middle, at) => (right = Math.max(right, middle + widths[at] / 2)));
  for (const box of boxes) bottom = Math.max(bottom, box.y + box.h);
  return { boxes, edges, width: right + 2 * MARGIN, height: bottom + MARGIN };
}

function cellsOf(tree, visible, step) {
  const cells = [];
  const place = new Map();
  visible.forEach((node, at) => {
    const card = tree.card(node) ?? PLAIN_CARD;
    const parent = node === 0 ? -1 : place.get(tree.parent[node]);
    place.set(node, cells.length);
    cells.push({ node, stub: false, text: "", parent, depth: tree.depth[node], w: card.w, h: card.h, label: card.label });
    const isFolded = tree.parent[visible[at + 1]] !== node && !isLeafAt(tree, node, step);
    if (isFolded) cells.push(stubOf(tree, node, cells.length - 1, step));
  });
  return cells;
}

function stubOf(tree, node, parent, step) {
  const share = shareOf(tree, node);
  const text = `+${countBelow(tree, node, step).toLocaleString("en-GB")} more${share === null ? "" : ` (${percentWords(share)} of rows)`}`;
  return { node, stub: true, text, parent, depth: tree.depth[node] + 1, w: textWidth(text, SMALL) + STUB.pad, h: STUB.height, label: [] };
}

function shareOf(tree, node) {
  return tree.json.nodes.share[node];
}

/** By depth: the top of the boxes, below labels and curves, which are higher where nodes are far apart; and the height of the labels. */
function levelsOf(cells, middles) {
  const count = cells.reduce((most, cell) => Math.max(most, cell.depth), 0) + 1;
  const [height, lines, span] = [0, 1, 2].map(() => new Float64Array(count));
  cells.forEach(({ depth, h, label, parent }, at) => {
    height[depth] = Math.max(height[depth], h);
    lines[depth] = Math.max(lines[depth], label.length);
    if (parent >= 0) span[depth] = Math.max(span[depth], Math.abs(middles[at] - middles[parent]));
  });
  const band = lines.map((many) => many * LABEL_LINE + 8);
  const top = [MARGIN];
  for (let depth = 1; depth < count; depth++) {
    const curve = Math.min(MOST_CURVE, CURVE + SLOPE * span[depth]);
    top.push(top[depth - 1] + height[depth - 1] + curve + band[depth]);
  }
  return { top, band };
}

function boxOf(cell, middle, top) {
  return { node: cell.node, stub: cell.stub, text: cell.text, x: rounded(middle - cell.w / 2), y: rounded(top), w: cell.w, h: cell.h };
}

function edgeOf(tree, cell, parent, above, below, levels) {
  return {
    parent: parent.node,
    child: cell.node,
    stub: cell.stub,
    x1: above.x + above.w / 2,
    y1: above.y + above.h,
    x2: below.x + below.w / 2,
    y2: below.y,
    bend: below.y - levels.band[cell.depth],
    width: rounded(THINNEST + (THICKEST - THINNEST) * (shareOf(tree, cell.node) ?? 0)),
  };
}

function rounded(value) {
  return Math.round(value * 100) / 100;
}

/** The width of a line of text in pixels, a little more than most fonts need. */
export function textWidth(text, size) {
  let sum = 0;
  for (const character of text) sum += characterWidth(character.codePointAt(0));
  return (sum * size) / 100;
}

function characterWidth(code) {
  if (code >= 32 && code < 32 + ASCII.length) return ASCII[code - 32];
  if (code > 0x1f020) return 135;
  return (code >= 0x1100 && code < 0x1200) || (code >= 0x2e80 && code < 0xd7b0) || (code >= 0xf900 && code < 0xfb00) || (code >= 0xff00 && code < 0xff61) ? 105 : 68;
}

function labelWidth(lines) {
  return lines.reduce((most, line) => Math.max(most, textWidth(line, SMALL)), 0);
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
