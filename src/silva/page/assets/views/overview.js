import { button, h, name, replace } from "../base/dom.js";
import { icicle } from "../model/layout.js";
import { collapseTo, isLeafAt } from "../model/pruned.js";
import { asTable } from "./charts/frame.js";
import { nodeButton, sentence } from "./parts.js";
import { nodeAt, paint } from "./overview/paint.js";
import { colourChoice, legend, tints } from "./tree/colours.js";
import { asked, counted, prediction, rowsOf, spoken } from "./tree/words.js";

const MOST_LISTED = 20;
const [TALLEST_ROW, LEAST_ROW] = [58, 7];

/** All nodes of the tree as bars below each other (an icicle): a bar is as wide as the node has rows. */
export const view = { id: "overview", title: "Overview", available: () => true, mount: (element, app) => new Overview(element, app) };

class Overview {
  constructor(element, app) {
    Object.assign(this, { app, top: 0, places: new WeakMap() });
    this.canvas = h("canvas", { class: "icicle", tabindex: 0, role: "application", "aria-roledescription": "icicle chart", "aria-describedby": "icicle-help" });
    this.tip = h("div", { class: "tip", "aria-hidden": "true", hidden: true });
    this.crumbs = h("nav", { class: "crumbs", "aria-label": "Zoomed into" });
    this.note = h("p", { class: "quiet", id: "icicle-help" });
    this.legend = h("div", { class: "below" });
    this.table = h("div", { class: "largest" });
    this.stage = h("div", { class: "icicle-stage" }, this.canvas, this.tip);
    const show = button("Show in the tree", () => app.reveal(app.store.get("node")));
    element.append(h("div", { class: "toolbar" }, this.crumbs, show, colourChoice(app)), this.stage, this.legend, this.note, this.table);
    this.listen();
    this.zoomTo(0);
  }

  listen() {
    const { store } = this.app;
    const { canvas } = this;
    store.subscribe(["tree"], () => this.zoomTo(0));
    store.subscribe(["node", "step", "target", "theme", "found", "pathNodes", "view"], () => this.draw());
    store.subscribe(["step", "target"], () => this.describe());
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.stage);
    canvas.addEventListener("pointermove", (event) => this.hover(event));
    canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
    canvas.addEventListener("click", (event) => this.at(event, (node) => this.app.select(node)));
    canvas.addEventListener("dblclick", (event) => this.at(event, (node) => this.zoomTo(node)));
    canvas.addEventListener("keydown", (event) => this.pressed(event));
  }

  get tree() {
    return this.app.tree();
  }

  get step() {
    return this.app.store.get("step") || 0;
  }

  /** Shares of the width, by node; made once for each tree. */
  get fractions() {
    if (!this.places.has(this.tree)) this.places.set(this.tree, icicle(this.tree, 1, 1));
    return this.places.get(this.tree);
  }

  /** The node at the top of the picture; leaves show their parent. */
  zoomTo(node) {
    this.top = isLeafAt(this.tree, node, this.step) && node > 0 ? this.tree.parent[node] : node;
    this.draw();
    this.describe();
  }

  draw() {
    const width = this.stage.clientWidth;
    if (!width) return;
    const { tree, step } = this;
    if (!(this.top < tree.n)) this.top = 0;
    const levels = this.levels();
    const room = Math.max(280, window.innerHeight - 330);
    const rowHeight = Math.min(TALLEST_ROW, Math.max(LEAST_ROW, Math.floor(room / levels)));
    const most = Math.min(levels, Math.ceil(room / rowHeight));
    this.frame = { tree, top: this.top, width, rowHeight, levels: most, step, fractions: this.fractions, hidden: levels - most };
    this.resize(width, most * rowHeight);
    const { store } = this.app;
    paint(this.canvas, this.frame, tints(tree, store.get("target")), { node: store.get("node"), found: store.get("found"), path: store.get("pathNodes") });
    this.help();
  }

  levels() {
    const { tree, top, step } = this;
    let deepest = tree.depth[top];
    for (let at = top; at < tree.end[top]; at = isLeafAt(tree, at, step) ? tree.end[at] : at + 1) deepest = Math.max(deepest, tree.depth[at]);
    return deepest - tree.depth[top] + 1;
  }

  resize(width, height) {
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.height = `${height}px`;
  }

  help() {
    const { tree, frame } = this;
    const deeper = frame.hidden > 0 ? ` The ${counted(frame.hidden, "deepest level", "deepest levels")} appear after zooming in.` : "";
    this.canvas.setAttribute("aria-label", `Overview of ${counted(tree.n, "node")}: ${spoken(tree, this.app.store.get("node"))}`);
    const words = `A bar is as wide as its node has rows, and stands below its parent. Grey: nodes too small to draw.${deeper} Click selects, double click or Enter zooms in, Backspace zooms out, arrow keys move.`;
    if (this.note.textContent !== words) this.note.textContent = words;
  }

  at(event, act) {
    const box = this.canvas.getBoundingClientRect();
    const node = nodeAt(this.frame, event.clientX - box.left, event.clientY - box.top);
    if (node !== null) act(node);
    return node;
  }

  hover(event) {
    const node = this.at(event, () => null);
    this.tip.hidden = node === null;
    if (node === null) return;
    replace(this.tip, sentence(spoken(this.tree, node, !this.tree.isLeaf(node) && isLeafAt(this.tree, node, this.step))));
    const box = this.stage.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    this.tip.style.left = `${Math.max(0, Math.min(x + 12, box.width - this.tip.offsetWidth - 4))}px`;
    this.tip.style.top = `${y + 18}px`;
  }

  pressed(event) {
    const next = this.goal(event.key);
    if (event.key === "Enter") this.zoomTo(this.app.store.get("node"));
    else if (event.key === "Backspace") this.zoomTo(Math.max(0, this.tree.parent[this.top]));
    else if (next !== null) this.app.select(next);
    else return;
    event.preventDefault();
    this.app.announce(spoken(this.tree, this.app.store.get("node")));
  }

  /** Up and down along the tree, left and right among the nodes of one depth. */
  goal(key) {
    const { tree, top, step } = this;
    const node = this.app.store.get("node");
    const isInside = node >= top && node < tree.end[top];
    if (!isInside) return key.startsWith("Arrow") ? top : null;
    if (key === "ArrowUp") return node === top ? null : tree.parent[node];
    if (key === "ArrowDown") return isLeafAt(tree, node, step) ? null : node + 1;
    if (key === "ArrowRight" || key === "ArrowLeft") return this.beside(node, key === "ArrowRight" ? 1 : -1);
    return key === "Home" ? top : null;
  }

  beside(node, move) {
    const { tree, top, step } = this;
    for (let at = move > 0 ? tree.end[node] : node - 1; at > top && at < tree.end[top]; at += move) {
      if (tree.depth[at] !== tree.depth[node]) continue;
      if (tree.path(at).slice(0, -1).every((above) => !isLeafAt(tree, above, step))) return at;
    }
    return null;
  }

  describe() {
    const { tree } = this;
    const crumb = (node) => button(node === 0 ? "All rows" : tree.edge(node), () => this.zoomTo(node), { class: "crumb", dir: "auto", "aria-current": node === this.top ? "true" : null });
    replace(this.crumbs, tree.path(this.top).map(crumb));
    replace(this.legend, legend(tree, this.app.store.get("target")));
    this.list();
  }

  /** The nodes with the most rows, as words. */
  list() {
    const { tree, top, step } = this;
    const inner = collapseTo(tree, null, step);
    const inside = [];
    for (let at = top; at < tree.end[top]; at = inner.has(at) ? at + 1 : tree.end[at]) inside.push(at);
    inside.sort((one, other) => (tree.rows[other] ?? 0) - (tree.rows[one] ?? 0) || one - other);
    const heads = ["Node", "Condition", "#Rows", tree.nClasses ? "Predicts" : "Mean", "Asks about"];
    const rows = inside.slice(0, MOST_LISTED).map((node) => this.row(node, inner.has(node)));
    replace(this.table, asTable(`The ${rows.length} largest of ${counted(inside.length, "node")}`, heads, rows));
  }

  row(node, isInner) {
    const { tree } = this;
    return [nodeButton(this.app, node), sentence(tree.edge(node) || "all rows"), rowsOf(tree, node), name(prediction(tree, node)), name(isInner ? asked(tree, node).join(", ") : "leaf")];
  }
}
