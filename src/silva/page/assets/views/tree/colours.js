import { h, name, select } from "../../base/dom.js";
import { rounded } from "./words.js";

const SHADES = ["shade0", "shade1", "shade2", "shade3", "shade4", "shade5"];
const kept = new WeakMap();
const ranges = new WeakMap();

/** The colour of each node: `name(node)` of the palette and `strength(node)` from 0 to 1. By predicted class (stronger where purer),
 *  by the share of one class (`target`), or by the mean. */
export function tints(tree, target) {
  const known = kept.get(tree) ?? kept.set(tree, new Map()).get(tree);
  if (!known.has(target)) known.set(target, makeTints(tree, target));
  return known.get(target);
}

function makeTints(tree, target) {
  const names = new Array(tree.n);
  const strengths = new Float32Array(tree.n).fill(1);
  const one = tree.nClasses === 0 ? byMean(tree) : target === null ? byClass(tree, strengths) : byShare(tree, target);
  for (let node = 0; node < tree.n; node++) names[node] = one(node);
  return { name: (node) => names[node], strength: (node) => strengths[node] };
}

function byClass(tree, strengths) {
  return (node) => {
    const share = shareOf(tree, node, tree.code(node)) ?? 0.5;
    const least = 1 / Math.max(2, tree.nClasses);
    strengths[node] = 0.3 + 0.7 * Math.min(1, Math.max(0, (share - least) / (1 - least)));
    return tree.doc.classes[tree.code(node)].colour;
  };
}

function byShare(tree, target) {
  return (node) => {
    const share = shareOf(tree, node, target);
    return share === null ? "others" : step(share);
  };
}

function byMean(tree) {
  const [low, high] = meanRange(tree);
  return (node) => {
    const mean = tree.mean(node);
    return mean === null ? "others" : step(high > low ? (mean / 2 - low / 2) / (high / 2 - low / 2) : 0.5);
  };
}

function step(part) {
  return SHADES[Math.min(5, Math.max(0, Math.floor(part * 6)))];
}

/** The share of one class among the node's rows; null where the page withholds it. */
export function shareOf(tree, node, code) {
  const pairs = tree.json.nodes.shares[node];
  if (pairs === null) return null;
  for (let at = 0; at < pairs.length; at += 2) if (pairs[at] === code) return pairs[at + 1];
  return 0;
}

/** The lowest and the highest mean of the leaves. */
export function meanRange(tree) {
  if (!ranges.has(tree)) ranges.set(tree, findRange(tree));
  return ranges.get(tree);
}

function findRange(tree) {
  let [low, high] = [Infinity, -Infinity];
  for (let node = 0; node < tree.n; node++) {
    if (!tree.isLeaf(node)) continue;
    low = Math.min(low, tree.mean(node));
    high = Math.max(high, tree.mean(node));
  }
  return [low, high];
}

/** A choice of what colours mean; null for regression, which has one meaning. */
export function colourChoice({ doc, store }) {
  if (doc.classes === null || doc.classes.length < 2) return null;
  const options = [["", "predicted class"], ...doc.classes.map(({ text }, code) => [code, `share of ${text.slice(0, 60)}`])];
  const choose = (value) => store.set({ target: value === "" ? null : Number(value) });
  const box = select("Colour by", options, store.get("target") ?? "", choose);
  store.subscribe(["target"], () => (box.value = String(store.get("target") ?? "")));
  return h("label", { class: "choice" }, h("span", { "aria-hidden": "true", text: "Colour by" }), box);
}

/** What the colours stand for: classes, or a scale of shades. */
export function legend(tree, target) {
  const list = (items) => h("ul", { class: "legend", "aria-label": "Colours" }, items);
  if (tree.nClasses && target === null) return list(classKeys(tree.doc.classes));
  const [low, high] = tree.nClasses ? ["0%", "100%"] : meanRange(tree).map((mean) => rounded(tree, mean));
  const what = tree.nClasses ? ["share of ", name(tree.doc.classes[target].text)] : ["mean"];
  return list([h("li", null, what, ": ", low), h("li", { class: "scale", "aria-hidden": "true" }, SHADES.map((one) => h("span", { class: `back-${one}` }))), h("li", { text: high })]);
}

function classKeys(classes) {
  const own = classes.filter(({ colour }) => colour !== "others");
  const keys = own.map(({ colour, text }) => key(colour, text));
  const others = classes.length - own.length;
  return others ? [...keys, key("others", `${others} other classes`)] : keys;
}

function key(colour, text) {
  return h("li", { title: text.length > 40 ? text : null }, h("span", { class: `key back-${colour}`, "aria-hidden": "true" }), name(text));
}
