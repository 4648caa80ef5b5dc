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
export const view = { id: "overview", title: "Overview", available: () => true, mount: (element, app) => new Overview(element, app) };

class Overview {
  constructor(element, app) {
    this.app = app;
    this.canvas = h("canvas", { class: "icicle", tabindex: 0, role: "application", "aria-roledescription": "icicle chart", "aria-describedby": "icicle-help", on: this.listeners() });
    this.tip = h("div", { class: "tip", "aria-hidden": "true", hidden: true });
    this.crumbs = h("nav", { class: "crumbs", "aria-label": "Zoomed into" });
    this.note = h("p", { class: "quiet", id: "icicle-help" });
    this.legend = h("div", { class: "below" });
    this.table = h("div", { class: "largest" });
    this.stage = h("div", { class: "icicle-stage" }, this.canvas, this.tip);
    const show = button("Show in the tree", () => app.reveal(this.node));
    element.append(h("div", { class: "toolbar" }, this.crumbs, show, colourChoice(app)), this.stage, this.legend, this.note, this.table);
    this.follow();
    this.begin();
  }

  listeners() {
    const onNode = (act) => ({ offsetX, offsetY }) => act(nodeAt(this.frame, offsetX, offsetY), offsetX, offsetY);
    return {
      pointermove: onNode((node, x, y) => this.hover(node, x, y)),
      pointerleave: () => (this.tip.hidden = true),
      click: onNode((node) => node === null || this.app.select(node)),
      dblclick: onNode((node) => node === null || this.zoomTo(node)),
      keydown: (event) => this.pressed(event),
    };
  }

  follow() {
    const { store } = this.app;
    store.subscribe(["tree"], () => this.begin());
    store.subscribe(["node", "step", "target", "theme", "scheme", "found", "pathNodes", "view"], () => this.draw());
    store.subscribe(["step", "target"], () => this.describe());
    new ResizeObserver(() => this.draw()).observe(this.stage);
  }

  get tree() {
    return this.app.tree();
  }

  get node() {
    return this.app.store.get("node");
  }

  isLeaf(node) {
    return isLeafAt(this.tree, node, this.app.store.get("step"));
  }

  begin() {
    this.fractions = icicle(this.tree, 1, 1);
    this.zoomTo(0);
  }

  /** The node at the top of the picture; leaves show their parent. */
  zoomTo(node) {
    this.top = this.isLeaf(node) && node ? this.tree.parent[node] : node;
    this.draw();
    this.describe();
  }

  /** The nodes at this step of pruning from the top on, in pre-order. */
  inside() {
    const { end } = this.tree;
    const found = [];
    for (let at = this.top; at < end[this.top]; at = this.isLeaf(at) ? end[at] : at + 1) found.push(at);
    return found;
  }

  draw() {
    const { tree, top, canvas, fractions } = this;
    const width = this.stage.clientWidth;
    if (!width) return;
    const { step, target, node, found, pathNodes } = this.app.store.all();
    const all = this.inside().reduce((most, one) => Math.max(most, tree.depth[one] - tree.depth[top] + 1), 0);
    const room = Math.max(280, window.innerHeight - 330);
    const rowHeight = Math.min(TALLEST_ROW, Math.max(LEAST_ROW, Math.floor(room / all)));
    const levels = Math.min(all, Math.ceil(room / rowHeight));
    this.frame = { tree, top, width, rowHeight, levels, step, fractions };
    const ratio = Math.min(3, window.devicePixelRatio);
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(levels * rowHeight * ratio);
    canvas.style.height = `${levels * rowHeight}px`;
    paint(canvas, this.frame, tints(tree, target), { node, found, pathNodes });
    this.help(all - levels);
  }

  help(hidden) {
    const deeper = hidden ? ` The ${counted(hidden, "deepest level")} appear after zooming in.` : "";
    this.canvas.setAttribute("aria-label", `Overview of ${counted(this.tree.n, "node")}: ${spoken(this.tree, this.node)}`);
    this.note.textContent = `A bar is as wide as its node has rows, below its parent. Grey: too small to draw.${deeper} Click selects, double click or Enter zooms in, Backspace out, arrow keys move.`;
  }

  hover(node, x, y) {
    const { tip, tree } = this;
    tip.hidden = node === null;
    if (tip.hidden) return;
    replace(tip, sentence(spoken(tree, node, !tree.isLeaf(node) && this.isLeaf(node))));
    tip.style.left = `${Math.max(0, Math.min(x + 12, this.frame.width - tip.offsetWidth - 4))}px`;
    tip.style.top = `${y + 18}px`;
  }

  pressed(event) {
    const { key } = event;
    const next = this.goal(key);
    if (key === "Enter") this.zoomTo(this.node);
    else if (key === "Backspace") this.zoomTo(Math.max(0, this.tree.parent[this.top]));
    else if (next !== null) this.app.select(next);
    else return;
    event.preventDefault();
    this.app.announce(spoken(this.tree, this.node));
  }

  /** Up and down along the tree, left and right among the nodes of one depth; from elsewhere to the top. */
  goal(key) {
    const { tree, top, node } = this;
    const inside = this.inside();
    if (!inside.includes(node)) return key.startsWith("Arrow") ? top : null;
    const level = inside.filter((one) => tree.depth[one] === tree.depth[node]);
    const at = level.indexOf(node);
    const goals = { Home: top, ArrowUp: node === top ? null : tree.parent[node], ArrowDown: this.isLeaf(node) ? null : node + 1, ArrowLeft: level[at - 1], ArrowRight: level[at + 1] };
    return goals[key] ?? null;
  }

  /** The way to the top, what colours mean, and the nodes with the most rows as words. */
  describe() {
    const { tree } = this;
    const crumb = (node) => button(node ? tree.edge(node) : "All rows", () => this.zoomTo(node), { class: "crumb", dir: "auto", "aria-current": node === this.top ? "true" : null });
    replace(this.crumbs, tree.path(this.top).map(crumb));
    replace(this.legend, legend(tree, this.app.store.get("target")));
    const inside = this.inside().sort((one, other) => tree.rows[other] - tree.rows[one] || one - other);
    const heads = ["Node", "Condition", "#Rows", tree.nClasses ? "Predicts" : "Mean", "Asks about"];
    const rows = inside.slice(0, MOST_LISTED).map((node) => this.row(node));
    replace(this.table, asTable(`The ${rows.length} largest of ${counted(inside.length, "node")}`, heads, rows));
  }

  row(node) {
    const { tree } = this;
    return [nodeButton(this.app, node), sentence(tree.edge(node) || "all rows"), rowsOf(tree, node), name(prediction(tree, node)), name(this.isLeaf(node) ? "leaf" : asked(tree, node).join(", "))];
  }
}
