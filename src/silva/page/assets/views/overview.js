import { button, h, name, replace } from "../base/dom.js";
import { icicle } from "../model/layout.js";
import { counted } from "../model/numbers.js";
import { isLeafAt } from "../model/pruned.js";
import { asTable } from "./charts/frame.js";
import { nodeButton, sentence } from "./parts.js";
import { nodeAt, paint } from "./overview/paint.js";
import { colourChoice, legend, tints } from "./tree/colours.js";
import { asked, prediction, rowsOf, spoken } from "./tree/words.js";

const MOST_LISTED = 20;
const [TALLEST_ROW, LEAST_ROW] = [58, 7];

/** All nodes of the tree as bars below each other (an icicle): a bar is as wide as the node has rows. */
export const view = { id: "overview", title: "Overview", available: () => true, mount };

/** A page has one overview; its parts and its state are here. */
let app;
const listeners = {
  pointermove: onNode(hover),
  pointerleave: () => (tip.hidden = true),
  click: onNode((node) => node === null || app.select(node)),
  dblclick: onNode((node) => node === null || zoomTo(node)),
  keydown: pressed,
};
const canvas = h("canvas", { class: "icicle", tabindex: 0, role: "application", "aria-roledescription": "icicle chart", "aria-describedby": "icicle-help", on: listeners });
const tip = h("div", { class: "tip", "aria-hidden": "true", hidden: true });
const crumbs = h("nav", { class: "crumbs", "aria-label": "Zoomed into" });
const note = h("p", { class: "quiet", id: "icicle-help" });
const below = h("div", { class: "below" });
const largest = h("div", { class: "largest" });
const stage = h("div", { class: "icicle-stage" }, canvas, tip);
/** The node at the top of the picture, the share of the width of each node, and what was painted last. */
let [top, fractions, frame] = [0, null, null];

function mount(element, page) {
  app = page;
  const { store } = app;
  const show = button("Show in the tree", () => app.reveal(store.get("node")));
  element.append(h("div", { class: "toolbar" }, crumbs, show, colourChoice(app)), stage, below, note, largest);
  store.subscribe(["tree"], begin);
  store.subscribe(["node", "step", "target", "theme", "scheme", "found", "pathNodes", "view"], draw);
  store.subscribe(["step", "target"], describe);
  new ResizeObserver(draw).observe(stage);
  begin();
}

function onNode(act) {
  return ({ offsetX, offsetY }) => act(nodeAt(frame, offsetX, offsetY), offsetX, offsetY);
}

function isLeaf(node) {
  return isLeafAt(app.tree(), node, app.store.get("step"));
}

function begin() {
  fractions = icicle(app.tree(), 1, 1);
  zoomTo(0);
}

/** Leaves show their parent. */
function zoomTo(node) {
  top = node && isLeaf(node) ? app.tree().parent[node] : node;
  draw();
  describe();
}

/** The nodes at this step of pruning from the top on, in pre-order. */
function inside() {
  const { end } = app.tree();
  const found = [];
  for (let at = top; at < end[top]; at = isLeaf(at) ? end[at] : at + 1) found.push(at);
  return found;
}

function draw() {
  const width = stage.clientWidth;
  if (!width) return;
  const tree = app.tree();
  const { step, target, ...marks } = app.store.all();
  const all = inside().reduce((most, one) => Math.max(most, tree.depth[one] - tree.depth[top] + 1), 0);
  const room = Math.max(280, window.innerHeight - 330);
  const rowHeight = Math.min(TALLEST_ROW, Math.max(LEAST_ROW, Math.floor(room / all)));
  const levels = Math.min(all, Math.ceil(room / rowHeight));
  const ratio = Math.min(3, window.devicePixelRatio);
  frame = { tree, top, width, rowHeight, levels, step, fractions };
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(levels * rowHeight * ratio);
  canvas.style.height = `${levels * rowHeight}px`;
  paint(canvas, frame, tints(tree, target), marks);
  help(tree, all - levels);
}

function help(tree, hidden) {
  const deeper = hidden ? ` The ${counted(hidden, "deepest level")} appear after zooming in.` : "";
  canvas.setAttribute("aria-label", `Overview of ${counted(tree.n, "node")}: ${spoken(tree, app.store.get("node"))}`);
  note.textContent = `A bar is as wide as its node has rows, below its parent. Grey: too small to draw.${deeper} Click selects, double click or Enter zooms in, Backspace out, arrow keys move.`;
}

function hover(node, x, y) {
  tip.hidden = node === null;
  if (node === null) return;
  const tree = app.tree();
  replace(tip, sentence(spoken(tree, node, !tree.isLeaf(node) && isLeaf(node))));
  tip.style.left = `${Math.max(0, Math.min(x + 12, frame.width - tip.offsetWidth - 4))}px`;
  tip.style.top = `${y + 18}px`;
}

function pressed(event) {
  const { key } = event;
  const { tree, store } = app;
  const next = goal(tree(), store.get("node"), key);
  if (key === "Enter") zoomTo(store.get("node"));
  else if (key === "Backspace") zoomTo(Math.max(0, tree().parent[top]));
  else if (next !== null) app.select(next);
  else return;
  event.preventDefault();
  app.announce(spoken(tree(), store.get("node")));
}

/** Up and down along the tree, left and right among the nodes of one depth; from elsewhere to the top. */
function goal(tree, node, key) {
  const found = inside();
  if (!found.includes(node)) return key.startsWith("Arrow") ? top : null;
  const level = found.filter((one) => tree.depth[one] === tree.depth[node]);
  const at = level.indexOf(node);
  const goals = { Home: top, ArrowUp: node === top ? null : tree.parent[node], ArrowDown: isLeaf(node) ? null : node + 1, ArrowLeft: level[at - 1], ArrowRight: level[at + 1] };
  return goals[key] ?? null;
}

/** The way to the top, what colours mean, and the nodes with the most rows as words. */
function describe() {
  const tree = app.tree();
  const crumb = (node) => button(node ? tree.edge(node) : "All rows", () => zoomTo(node), { class: "crumb", dir: "auto", "aria-current": node === top ? "true" : null });
  replace(crumbs, tree.path(top).map(crumb));
  replace(below, legend(tree, app.store.get("target")));
  const found = inside().sort((one, other) => tree.rows[other] - tree.rows[one] || one - other);
  const heads = ["Node", "Condition", "#Rows", tree.nClasses ? "Predicts" : "Mean", "Asks about"];
  const rows = found.slice(0, MOST_LISTED).map((node) => row(tree, node));
  replace(largest, asTable(`The ${rows.length} largest of ${counted(found.length, "node")}`, heads, rows));
}

function row(tree, node) {
  return [nodeButton(app, node), sentence(tree.edge(node) || "all rows"), rowsOf(tree, node), name(prediction(tree, node)), name(isLeaf(node) ? "leaf" : asked(tree, node).join(", "))];
}
