import { h, name, select } from "../../base/dom.js";
import { rounded } from "./words.js";

const SHADES = [0, 1, 2, 3, 4, 5].map((at) => `shade${at}`);
const ranges = new WeakMap();

/** A function that gives the colour of a node: its `name` in the palette and `strength` from 0 to 1. By predicted class (stronger where
 *  purer), by the share of one class (`target`), or by the mean. */
export function tints(tree, target) {
  if (!tree.nClasses) return (node) => shade(meanPart(tree, tree.mean(node)));
  if (target !== null) return (node) => shade(shareOf(tree, node, target));
  const least = 1 / Math.max(2, tree.nClasses);
  return (node) => {
    const code = tree.code(node);
    const share = shareOf(tree, node, code) ?? 0.5;
    return { name: tree.doc.classes[code].colour, strength: 0.3 + 0.7 * Math.max(0, (share - least) / (1 - least)) };
  };
}

function shade(part) {
  return { name: part === null ? "others" : SHADES[Math.min(5, Math.floor(part * 6))], strength: 1 };
}

function shareOf(tree, node, code) {
  return tree.shares(node)?.[code] ?? null;
}

/** Where a mean is between the lowest (0) and the highest (1) of the leaves; null where the page withholds it. */
export function meanPart(tree, mean) {
  const [low, high] = meanRange(tree);
  if (mean === null) return null;
  if (!(high > low)) return 0.5;
  return Math.min(1, Math.max(0, (mean / 2 - low / 2) / (high / 2 - low / 2)));
}

function meanRange(tree) {
  if (!ranges.has(tree)) ranges.set(tree, findRange(tree));
  return ranges.get(tree);
}

function findRange(tree) {
  let [low, high] = [null, null];
  for (let node = 0; node < tree.n; node++) {
    const mean = tree.isLeaf(node) ? tree.mean(node) : null;
    if (mean === null) continue;
    low = Math.min(low ?? mean, mean);
    high = Math.max(high ?? mean, mean);
  }
  return [low, high];
}

/** A function that gives the colours of the palette in the theme that is shown. */
export function palette() {
  const style = getComputedStyle(document.documentElement);
  const known = {};
  return (name) => (known[name] ??= style.getPropertyValue(`--${name}`).trim());
}

/** A choice of what colours mean; null for regression, which has one meaning. */
export function colourChoice({ doc, store }) {
  if (!(doc.classes?.length > 1)) return null;
  const options = [["", "predicted class"], ...doc.classes.map(({ text }, code) => [code, `share of ${text.slice(0, 60)}`])];
  const target = () => store.get("target") ?? "";
  const box = select("Colour by", options, target(), (value) => store.set({ target: value === "" ? null : Number(value) }));
  store.subscribe(["target"], () => (box.value = target()));
  return h("label", { class: "choice" }, h("span", { "aria-hidden": "true", text: "Colour by" }), box);
}

/** What the colours stand for: classes, or a scale of shades. */
export function legend(tree, target) {
  return h("ul", { class: "legend", "aria-label": "Colours" }, tree.nClasses && target === null ? classKeys(tree.doc.classes) : scale(tree, target));
}

function scale(tree, target) {
  const [low, high] = tree.nClasses ? ["0%", "100%"] : meanRange(tree).map((mean) => rounded(tree, mean));
  const what = tree.nClasses ? ["share of ", name(tree.doc.classes[target].text)] : "mean";
  const shades = SHADES.map((one) => h("span", { class: `back-${one}` }));
  return [h("li", null, what, ": ", low), h("li", { class: "scale", "aria-hidden": "true" }, shades), h("li", { text: high })];
}

function classKeys(classes) {
  const own = classes.filter(({ colour }) => colour !== "others");
  const others = classes.length - own.length;
  return [...own, others && { colour: "others", text: `${others} other classes` }].filter(Boolean).map(key);
}

function key({ colour, text }) {
  return h("li", { title: text.length > 40 && text }, h("span", { class: `key back-${colour}`, "aria-hidden": "true" }), name(text));
}
