import { textWidth } from "../../model/layout.js";
import { isLeafAt } from "../../model/pruned.js";
import { isolated } from "../parts.js";
import { fitted } from "../tree/cards.js";
import { palette } from "../tree/colours.js";
import { asked, prediction, rowsOf } from "../tree/words.js";

const SMALLEST = 0.5;
const LABELLED = 34;
const FONT = 12;

/** Draws the nodes below `frame.top` that are at least half a pixel wide; those that are smaller are grey, and what is below them is left out. */
export function paint(canvas, frame, tint, marks) {
  const pen = canvas.getContext("2d");
  const ratio = canvas.width / frame.width;
  const colours = palette();
  pen.scale(ratio, ratio);
  const drawn = places(frame);
  for (const place of drawn) bar(pen, frame, place, tint, colours);
  for (const place of drawn) outline(pen, place, marks, colours);
}

function places(frame) {
  const { tree, top, step, levels } = frame;
  const found = [];
  for (let node = top; node < tree.end[top]; ) {
    const place = placeOf(frame, node);
    const isDrawn = place.level < levels;
    if (isDrawn) found.push(place);
    node = isDrawn && place.width >= SMALLEST && !isLeafAt(tree, node, step) ? node + 1 : tree.end[node];
  }
  return found;
}

function placeOf({ tree, top, width, fractions, rowHeight }, node) {
  const scale = width / (fractions.w[top] || 1);
  const level = tree.depth[node] - tree.depth[top];
  return { node, level, x: (fractions.x[node] - fractions.x[top]) * scale, width: fractions.w[node] * scale, y: level * rowHeight, height: rowHeight - 1 };
}

function bar(pen, frame, place, tint, colours) {
  const { node, x, y, width, height } = place;
  const box = [x, y, Math.max(0.6, width - (width > 3 ? 1 : 0)), height];
  const { name, strength } = width < SMALLEST ? { name: "edge", strength: 1 } : tint(node);
  block(pen, colours("leaf"), 1, box);
  block(pen, colours(name), strength, box);
  if (width >= LABELLED && height >= 14) label(pen, frame, place, colours);
}

function block(pen, colour, strength, box) {
  pen.globalAlpha = strength;
  pen.fillStyle = colour;
  pen.fillRect(...box);
}

/** Texts stand on a strip of paper, so that they can be read on every colour. */
function label(pen, { tree, step }, { node, x, y, width, height }, colours) {
  const lines = [isLeafAt(tree, node, step) ? prediction(tree, node) : `${asked(tree, node).join(", ")}?`];
  if (height >= 33 && tree.rows[node] !== null) lines.push(rowsOf(tree, node));
  const texts = lines.map((line) => fitted(line, "plain", ((width - 12) * 11) / FONT)).filter((text) => !/^.?…$/u.test(text));
  if (!texts.length) return;
  const room = Math.max(...texts.map((text) => textWidth(text, FONT)));
  block(pen, colours("paper"), 0.86, [x + 3, y + 2, room + 6, Math.min(height - 4, texts.length * 15 + 1)]);
  pen.globalAlpha = 1;
  pen.fillStyle = colours("ink");
  pen.font = `${FONT}px system-ui, sans-serif`;
  texts.forEach((text, at) => pen.fillText(isolated(text), x + 6, y + 13 + at * 15));
}

function outline(pen, { node, x, y, width, height }, marks, colours) {
  const isSelected = node === marks.node;
  const name = isSelected ? "focus" : marks.found?.has(node) ? "found" : marks.pathNodes?.includes(node) ? "path" : "";
  if (!name || width < SMALLEST) return;
  pen.globalAlpha = 1;
  pen.strokeStyle = colours(name);
  pen.lineWidth = isSelected ? 3 : 2;
  pen.strokeRect(x + 1, y + 1, Math.max(1, width - 3), height - 2);
}

/** The node whose bar is at a point of the canvas, or null. */
export function nodeAt(frame, x, y) {
  const { tree, top, step, rowHeight, levels } = frame;
  const level = Math.floor(y / rowHeight);
  let node = top;
  for (let at = 0; at < level; at++) {
    const children = isLeafAt(tree, node, step) ? [] : tree.children(node);
    node = children.find((one) => x < placeOf(frame, one).x + placeOf(frame, one).width);
    if (node === undefined) return null;
  }
  return level < 0 || level >= levels ? null : node;
}
