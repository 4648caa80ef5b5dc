import { isLeafAt } from "../../model/pruned.js";
import { colourOf } from "../tree/minimap.js";
import { isolated } from "../parts.js";
import { asked, counted, prediction } from "../tree/words.js";

const SMALLEST = 0.5;
const LABELLED = 34;

/** Draws the nodes below `frame.top` that are at least half a pixel wide; neighbours that are smaller are one grey strip. */
export function paint(canvas, frame, tints, marks) {
  const pen = canvas.getContext("2d");
  const ratio = canvas.width / frame.width;
  const colours = palette();
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, frame.width, canvas.height);
  const drawn = wide(frame, (x, width, level) => {
    pen.fillStyle = colours("edge");
    pen.fillRect(x, level * frame.rowHeight, width, frame.rowHeight - 1);
  });
  for (const place of drawn) bar(pen, frame, place, tints, colours);
  for (const place of drawn) outline(pen, frame, place, marks, colours);
}

function palette() {
  const known = new Map();
  return (name) => known.get(name) ?? known.set(name, colourOf(name)).get(name);
}

/** The places { node, x, width, level } of the nodes that are wide enough; calls `strip(x, width, level)` for what is not. */
export function wide(frame, strip) {
  const { tree, top, step, levels } = frame;
  const found = [];
  const left = new Float64Array(levels).fill(-1);
  for (let node = top; node < tree.end[top]; ) {
    const place = placeOf(frame, node);
    const isDrawn = place.level < levels && place.width >= SMALLEST;
    if (isDrawn) found.push(place);
    else if (place.level < levels && place.x >= left[place.level]) {
      const width = Math.max(0.6, place.width);
      strip(place.x, width, place.level);
      left[place.level] = place.x + width / 2;
    }
    node = isDrawn && !isLeafAt(tree, node, step) ? node + 1 : tree.end[node];
  }
  return found;
}

function placeOf({ tree, top, width, fractions }, node) {
  const whole = fractions.w[top] || 1;
  return { node, x: ((fractions.x[node] - fractions.x[top]) / whole) * width, width: (fractions.w[node] / whole) * width, level: tree.depth[node] - tree.depth[top] };
}

function bar(pen, frame, { node, x, width, level }, tints, colours) {
  const [top, height] = [level * frame.rowHeight, frame.rowHeight - 1];
  const gap = width > 3 ? 1 : 0;
  pen.fillStyle = colours("leaf");
  pen.fillRect(x, top, width - gap, height);
  pen.globalAlpha = tints.strength(node);
  pen.fillStyle = colours(tints.name(node));
  pen.fillRect(x, top, width - gap, height);
  pen.globalAlpha = 1;
  if (width >= LABELLED && frame.rowHeight >= 15) label(pen, frame, { node, x, width, top }, colours);
}

/** Texts stand on a strip of paper, so that they can be read on every colour. */
function label(pen, frame, { node, x, width, top }, colours) {
  const { tree, step, rowHeight } = frame;
  const isLeaf = isLeafAt(tree, node, step);
  const rows = tree.rows[node];
  const lines = [isLeaf ? prediction(tree, node) : `${asked(tree, node).join(", ")}?`, rowHeight >= 34 && rows !== null ? counted(rows, "row") : ""].filter(Boolean);
  pen.font = "12px system-ui, sans-serif";
  const texts = lines.map((line) => cut(pen, line, width - 12)).filter(Boolean);
  if (!texts.length) return;
  const room = Math.max(...texts.map((text) => pen.measureText(text).width));
  pen.globalAlpha = 0.86;
  pen.fillStyle = colours("paper");
  pen.fillRect(x + 3, top + 2, room + 6, Math.min(rowHeight - 5, texts.length * 15 + 1));
  pen.globalAlpha = 1;
  pen.fillStyle = colours("ink");
  texts.forEach((text, at) => pen.fillText(isolated(text), x + 6, top + 13 + at * 15));
}

function cut(pen, text, room) {
  let shown = text.slice(0, 80);
  if (shown === text && pen.measureText(shown).width <= room) return shown;
  while (shown.length > 1 && pen.measureText(`${shown}…`).width > room) shown = shown.slice(0, -1);
  return shown.length > 1 ? `${shown}…` : "";
}

function outline(pen, frame, { node, x, width, level }, { node: selected, found, path }, colours) {
  const name = node === selected ? "focus" : found?.has(node) ? "found" : path?.includes(node) ? "path" : "";
  if (!name) return;
  pen.strokeStyle = colours(name);
  pen.lineWidth = node === selected ? 3 : 2;
  pen.strokeRect(x + 1, level * frame.rowHeight + 1, Math.max(1, width - 3), frame.rowHeight - 3);
}

/** The node whose bar is at a point of the canvas, or null. */
export function nodeAt(frame, x, y) {
  const { tree, top, step } = frame;
  const level = Math.floor(y / frame.rowHeight);
  let node = top;
  for (let at = 0; at < level; at++) {
    if (isLeafAt(tree, node, step)) return null;
    const child = tree.children(node).find((one) => x < placeOf(frame, one).x + placeOf(frame, one).width);
    if (child === undefined) return null;
    node = child;
  }
  return level < 0 || level >= frame.levels ? null : node;
}
