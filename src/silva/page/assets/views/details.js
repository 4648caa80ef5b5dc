import { button, h, replace } from "../base/dom.js";
import { copy } from "../base/download.js";
import { number } from "../model/numbers.js";
import { isLeafAt } from "../model/pruned.js";
import { pathWords, thenWords, whenWords } from "../model/rules.js";
import { distribution, headline } from "./node_rows.js";
import { splitPart } from "./node_split.js";
import { follow, nodeButton, quiet, section, sentence, shownEnd } from "./parts.js";

const LONG_PATH = 8;
const COPIED_MS = 1500;

/** The panel of the selected node; it follows `node`, `tree` and `step`. */
export function mountDetails(element, app) {
  element.classList.add("node-panel");
  follow(app, ["node", "tree", "step"], () => {
    const tree = app.tree();
    const node = Math.min(app.store.get("node"), tree.n - 1);
    replace(element, panel(app, tree, node));
  });
}

function panel(app, tree, node) {
  const step = app.store.get("step");
  const isEnd = isLeafAt(tree, node, step);
  return [
    h("h2", null, `Node ${node} of ${tree.n}, ${[node === 0 && "root", isEnd ? "leaf" : node > 0 && "question"].filter(Boolean).join(", ")}`),
    quiet(tree.title),
    pruned(app, tree, node, step),
    headline(tree, node),
    neighbours(app, tree, node, isEnd),
    section("Rule", rule(tree, node)),
    section("Path", path(tree, node)),
    distribution(tree, node),
    tree.isLeaf(node) ? null : splitPart(app, tree, node, isEnd),
    unknown(tree.doc),
  ];
}

function pruned(app, tree, node, step) {
  const end = shownEnd(tree, node, step);
  if (end !== node) return h("p", { class: "node-note" }, "Not in the pruned tree: its rows end at ", nodeButton(app, end), ".");
  return isLeafAt(tree, node, step) && !tree.isLeaf(node) && h("p", { class: "node-note" }, "Pruned at this step: what is below counts as one leaf.");
}

function neighbours(app, tree, node, isEnd) {
  const go = (kind, to) => button(`${kind}: node ${to}`, () => app.select(to));
  return h(
    "div",
    { class: "buttons" },
    button("Show in the tree", () => app.reveal(node)),
    copyButton(app, "Copy rule", () => `if ${whenWords(tree, node)} then ${thenWords(tree, node)}`),
    node > 0 && go("Parent", tree.parent[node]),
    !isEnd && tree.children(node).slice(0, 6).map((child) => go("Child", child)),
  );
}

/** A button that copies a text and says so. */
export function copyButton(app, label, text) {
  const found = button(label, async () => {
    if (!(await copy(text()))) return;
    app.announce("Copied.");
    replace(found, "Copied");
    setTimeout(() => replace(found, label), COPIED_MS);
  });
  return found;
}

function rule(tree, node) {
  const then = tree.nClasses || tree.linear !== null ? thenWords(tree, node) : number(tree.mean(node), 6);
  return h("p", { class: "node-rule" }, h("strong", null, "if "), sentence(whenWords(tree, node)), h("strong", null, " then "), sentence(then, "strong"));
}

function path(tree, node) {
  if (node === 0) return h("p", null, "This is the root: all rows pass it.");
  const words = pathWords(tree, node);
  const whole = h("p", null, "From the root: ", words.map((one, at) => [at ? ", then " : "", sentence(one)]), ".");
  return words.length > LONG_PATH ? h("details", null, h("summary", null, `${words.length} questions from the root`), whole) : whole;
}

function unknown({ about }) {
  const told = about.unknown;
  return told.length > 0 && h("details", { class: "quiet" }, h("summary", null, `Not known here (${told.length})`), h("ul", { class: "others" }, told.map((one) => h("li", null, one))));
}
