import { isLeafAt } from "../../model/pruned.js";
import { asked, prediction } from "./words.js";

const PAUSE_MS = 700;
const STEP = 80;
const PANS = { ArrowLeft: [STEP, 0], ArrowRight: [-STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] };

/** The node that a key goes to from `at` among the drawn nodes (in pre-order), or null. */
export function goal(tree, drawn, at, key) {
  const place = drawn.indexOf(at);
  if (key === "ArrowDown") return drawn[place + 1] ?? null;
  if (key === "ArrowUp") return drawn[place - 1] ?? null;
  if (key === "Home") return drawn[0];
  if (key === "End") return drawn[drawn.length - 1];
  if (key === "ArrowLeft") return at === 0 ? null : tree.parent[at];
  if (key === "ArrowRight") return tree.parent[drawn[place + 1]] === at ? drawn[place + 1] : null;
  return null;
}

/** The next drawn node, after `at` and around, one of whose names begins with the text; the same letter again goes on to the next. */
export function typed(drawn, at, text, namesOf) {
  const isOneLetter = [...text].every((letter) => letter === text[0]);
  const wanted = isOneLetter ? text[0] : text;
  const from = drawn.indexOf(at) + (isOneLetter ? 1 : 0);
  for (let step = 0; step < drawn.length; step++) {
    const node = drawn[(from + step) % drawn.length];
    if (namesOf(node).some((name) => name.toLowerCase().startsWith(wanted))) return node;
  }
  return null;
}

/** Collects letters that are typed quickly after each other. */
export function createTyping(now = () => performance.now()) {
  let [text, last] = ["", -Infinity];
  return (letter) => {
    text = now() - last > PAUSE_MS ? letter : text + letter;
    last = now();
    return text.toLowerCase();
  };
}

/** What a key does to the view of a tree; null for keys that are not the tree's. */
export function keyAction(view, { key, shiftKey }) {
  const { tree, focus, camera } = view;
  if (shiftKey && PANS[key]) return () => camera.panBy(...PANS[key]);
  if (key === "Enter" || key === " ") return () => view.app.select(focus);
  if (key === "+" || key === "-") return () => camera.zoom(key === "+" ? 1.3 : 1 / 1.3);
  if (key === "*") return () => view.setOpen(new Set([...view.open, ...siblings(view, focus)]));
  const isInner = !isLeafAt(tree, focus, view.step);
  if (isInner && key === (view.open.has(focus) ? "ArrowLeft" : "ArrowRight")) return () => view.toggle(focus);
  const next = goal(tree, view.drawn, focus, key);
  if (next !== null) return () => view.refocus(next);
  return key.length === 1 ? () => typeAhead(view, key) : null;
}

function siblings({ tree, step }, node) {
  return (node === 0 ? [0] : tree.children(tree.parent[node])).filter((one) => !isLeafAt(tree, one, step));
}

function typeAhead(view, letter) {
  const { tree, step } = view;
  const names = (node) => (isLeafAt(tree, node, step) ? [prediction(tree, node)] : asked(tree, node));
  const node = typed(view.drawn, view.focus, view.typing(letter), names);
  if (node !== null) view.refocus(node);
}
