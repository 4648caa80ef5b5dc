import { isLeafAt } from "../../model/pruned.js";
import { asked, prediction } from "./words.js";

const PAUSE_MS = 700;
const STEP = 80;
const PANS = { ArrowLeft: [STEP, 0], ArrowRight: [-STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] };

/** The node that a key goes to from `at` among the drawn nodes (in pre-order), or null. */
export function goal(tree, drawn, at, key) {
  const place = drawn.indexOf(at);
  const next = drawn[place + 1];
  const goals = { ArrowDown: next, ArrowUp: drawn[place - 1], Home: drawn[0], End: drawn.at(-1), ArrowLeft: at ? tree.parent[at] : null, ArrowRight: tree.parent[next] === at ? next : null };
  return goals[key] ?? null;
}

/** The children of a node's parent. */
export function siblings(tree, node) {
  return node ? tree.children(tree.parent[node]) : [0];
}

/** The next drawn node, after `at` and around, one of whose names begins with the text; the same letter again goes on to the next. */
export function typed(drawn, at, text, namesOf) {
  const isOneLetter = [...text].every((letter) => letter === text[0]);
  const wanted = isOneLetter ? text[0] : text;
  const from = drawn.indexOf(at) + (isOneLetter ? 1 : 0);
  const around = [...drawn.slice(from), ...drawn.slice(0, from)];
  return around.find((node) => namesOf(node).some((name) => name.toLowerCase().startsWith(wanted))) ?? null;
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
  const { tree, focus, camera, step, open, drawn } = view;
  const isInner = (node) => !isLeafAt(tree, node, step);
  if (shiftKey && PANS[key]) return () => camera.panBy(...PANS[key]);
  if (key === "Enter" || key === " ") return () => view.app.select(focus);
  if (key === "+" || key === "-") return () => camera.zoom(key);
  if (key === "*") return () => view.setOpen(new Set([...open, ...siblings(tree, focus).filter(isInner)]));
  if (isInner(focus) && key === (open.has(focus) ? "ArrowLeft" : "ArrowRight")) return () => view.toggle(focus);
  const names = (node) => (isInner(node) ? asked(tree, node) : [prediction(tree, node)]);
  const next = goal(tree, drawn, focus, key) ?? (key.length === 1 ? typed(drawn, focus, view.typing(key), names) : null);
  return next === null ? null : () => view.refocus(next);
}
