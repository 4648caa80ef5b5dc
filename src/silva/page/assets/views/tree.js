import { button, h, replace, svg } from "../base/dom.js";
import { arrange } from "../model/layout.js";
import { thousands } from "../model/numbers.js";
import { collapseTo, countBelow, firstOpen, isLeafAt, visibleNodes } from "../model/pruned.js";
import { mountPrune } from "./prune.js";
import { Camera } from "./tree/camera.js";
import { cardOf } from "./tree/cards.js";
import { colourChoice, legend, tints } from "./tree/colours.js";
import { Drawing, READABLE } from "./tree/drawing.js";
import { createTyping, keyAction } from "./tree/keys.js";
import { Minimap } from "./tree/minimap.js";
import { mountPointers } from "./tree/pointers.js";
import { counted } from "./tree/words.js";

const MOST_DRAWN = 2000;
/** About so many nodes are in the first view, of wide windows and of telephones. */
const [FIRST_WIDE, FIRST_NARROW, NARROW] = [60, 15, 600];
/** The zoom of the first look is between these: the children of the root are in the window, and texts can be read. */
const [LEAST_ZOOM, FIRST_ZOOM] = [0.56, 0.9];
/** Trees that are wider than this zoom shows are a line when all of them is in the window. */
const FLAT = 0.05;

/** The tree as boxes and edges, with what folds, zooms and finds; the pruning strip is below it. */
export const view = { id: "tree", title: "Tree", available: () => true, mount: (element, app) => new TreeView(element, app) };

class TreeView {
  constructor(element, app) {
    Object.assign(this, { app, focus: app.store.get("node"), typing: createTyping() });
    this.makeStage();
    this.count = h("span", { class: "count quiet" });
    this.legend = h("div", { class: "below" });
    const strip = h("div", { class: "prune" });
    element.append(this.toolbar(), this.stage, this.legend, strip);
    mountPrune(strip, app);
    this.listen();
    this.begin();
    app.treePicture = () => this.filled();
    if (app.store.get("revealed")) this.selected(["revealed"]);
  }

  makeStage() {
    this.camera = new Camera(svg("g", { class: "camera" }), () => this.plan());
    const [edges, nodes, faces] = [svg("g", { "aria-hidden": "true" }), svg("g", null), svg("g", { "aria-hidden": "true" })];
    this.camera.group.append(edges, nodes, faces);
    this.picture = svg("svg", { id: "tree-picture", class: "tree-picture", role: "tree", direction: "ltr" }, this.camera.group);
    this.drawing = new Drawing(edges, nodes, faces);
    this.minimap = new Minimap(this.camera);
    const zoom = h("div", { class: "zoom", role: "group", "aria-label": "Zoom" }, button("+", () => this.camera.zoom(1.3), { "aria-label": "Zoom in" }), button("−", () => this.camera.zoom(1 / 1.3), { "aria-label": "Zoom out" }));
    this.stage = h("div", { class: "tree-stage" }, this.picture, this.minimap.canvas, zoom);
    this.pointers = mountPointers(this.picture, this.camera);
  }

  toolbar() {
    const tools = [
      button("Fit", () => this.camera.go(this.camera.fit(this.arranged), true), { title: "Show all that is drawn" }),
      button("First view", () => this.firstView(), { title: `Open about ${this.atFirst} nodes, those with the most rows` }),
      (this.openAll = button("Open all", () => this.openMany())),
      button("Fold all", () => this.setOpen(new Set(), 0)),
    ];
    return h("div", { class: "toolbar", role: "group", "aria-label": "Tree view" }, tools, colourChoice(this.app), this.count);
  }

  listen() {
    const { store } = this.app;
    const calls = { click: "clicked", dblclick: "doubleClicked", keydown: "pressed", focusin: "focused" };
    for (const [name, call] of Object.entries(calls)) this.picture.addEventListener(name, (event) => this[call](event));
    store.subscribe(["tree"], () => this.begin());
    store.subscribe(["open", "step"], (state, changed) => !changed.includes("tree") && this.redraw());
    store.subscribe(["node", "revealed"], (state, changed) => !changed.includes("tree") && this.selected(changed));
    store.subscribe(["found", "pathNodes"], () => this.mark());
    store.subscribe(["target", "theme"], () => this.redraw());
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
    new ResizeObserver(() => this.resized()).observe(this.stage);
  }

  get tree() {
    return this.app.tree();
  }

  get step() {
    return this.app.store.get("step") || 0;
  }

  /** The inner nodes whose children are drawn; until something is opened or folded, the first view, with more where pruning made room. */
  get open() {
    const { tree, step } = this;
    const chosen = this.app.store.get("open");
    if (chosen) return chosen;
    if (this.first?.step !== step) this.first = { step, open: this.opened([...firstOpen(tree, this.atFirst), ...firstOpen(tree, this.atFirst, step)], this.shownFirst) };
    return this.first.open;
  }

  get atFirst() {
    return window.innerWidth < NARROW ? FIRST_NARROW : FIRST_WIDE;
  }

  /** A tree is shown for the first time: its first view, with the selected node in it. */
  begin() {
    this.focus = this.shownFirst = this.app.store.get("node");
    this.first = null;
    this.placed = false;
    this.redraw();
  }

  /** The open nodes with all ancestors of a node among them. */
  opened(open, node) {
    return new Set([...open, ...this.tree.path(node).slice(0, -1)]);
  }

  /** Draws what is open; the focused node stays where it is in the window. */
  redraw() {
    const { tree, step, camera } = this;
    const before = this.drawing.parts.get(this.focus)?.box;
    this.drawn = visibleNodes(tree, this.open, step);
    const cards = new Map(this.drawn.map((node) => [node, cardOf(tree, node, isLeafAt(tree, node, step))]));
    const shown = Object.create(tree, { card: { value: (node) => cards.get(node) } });
    this.arranged = arrange(shown, this.drawn, step);
    if (!cards.has(this.focus)) this.focus = this.tree.path(this.focus).findLast((node) => cards.has(node)) ?? 0;
    this.drawing.update(this.arranged, (node) => this.facts(node, cards.get(node)));
    this.minimap.show(this.arranged, this.tint());
    const after = this.drawing.parts.get(this.focus).box;
    if (before && this.placed) camera.go({ x: camera.x + (before.x + before.w / 2 - after.x - after.w / 2) * camera.k, y: camera.y + (before.y - after.y) * camera.k, k: camera.k });
    this.resized();
    this.mark();
    this.describe();
  }

  tint() {
    const found = tints(this.tree, this.app.store.get("target"));
    return (node) => ({ name: found.name(node), strength: found.strength(node) });
  }

  facts(node, card) {
    const { tree, step } = this;
    const isLeaf = isLeafAt(tree, node, step);
    const siblings = node === 0 ? [0] : tree.children(tree.parent[node]);
    const tint = this.tint()(node);
    const isPlain = this.app.store.get("target") === null;
    const aria = { "aria-label": card.name, "aria-level": tree.depth[node] + 1, "aria-expanded": isLeaf ? null : this.open.has(node), "aria-setsize": siblings.length, "aria-posinset": siblings.indexOf(node) + 1 };
    return { card, isLeaf, aria, tint, edge: tree.edge(node), stripe: isPlain ? card.accent && (tree.nClasses ? card.accent : tint.name) : tint.name };
  }

  /** How much is drawn, what the colours mean, and how the tree is to be read. */
  describe() {
    const { tree, step } = this;
    this.total = step > 0 ? 1 + countBelow(tree, 0, step) : tree.n;
    const all = this.drawn.length === this.total;
    this.count.textContent = all ? `${counted(this.total, "node")}, all drawn` : `${thousands(this.drawn.length)} of ${counted(this.total, "node")} drawn`;
    this.openAll.textContent = this.total > MOST_DRAWN ? `Open ${thousands(MOST_DRAWN)}` : "Open all";
    this.openAll.title = this.total > MOST_DRAWN ? "Open the nodes with the most rows; the overview shows all" : "";
    this.picture.setAttribute("aria-label", `${tree.json.text_title}; ${this.count.textContent}`);
    replace(this.legend, legend(tree, this.app.store.get("target")), (tree.json.notes ?? []).map((note) => h("p", { class: "quiet", text: note })));
  }

  resized() {
    const { clientWidth, clientHeight } = this.stage;
    if (!clientWidth) return;
    Object.assign(this.camera, { width: clientWidth, height: clientHeight });
    if (!this.placed) this.look();
    this.plan();
  }

  /** The first look: all of the tree where it can be read, else the selected node or the root. */
  look() {
    this.placed = true;
    const { camera, arranged } = this;
    const whole = camera.fit(arranged, 1);
    const upper = arranged.boxes.filter(({ node, stub }) => !stub && this.tree.depth[node] < 2);
    const span = Math.max(...upper.map(({ x, w }) => x + w)) - Math.min(...upper.map(({ x }) => x));
    const wide = (camera.width - 40) / span;
    const k = wide < LEAST_ZOOM ? (LEAST_ZOOM + FIRST_ZOOM) / 2 : Math.min(FIRST_ZOOM, wide);
    if (whole.k >= Math.min(k, 0.68)) return camera.go(whole);
    const box = this.drawing.parts.get(this.focus).box;
    camera.go(this.focus === 0 ? { ...camera.centred(box, k), y: 18 - box.y * k } : camera.centred(box, k));
  }

  /** Fills the boxes in the window before the next frame, once. */
  plan() {
    if (this.planned) return;
    this.planned = true;
    requestAnimationFrame(() => {
      this.planned = false;
      const isReadable = this.camera.k >= READABLE;
      this.picture.classList.toggle("far", !isReadable);
      this.drawing.fill(this.camera.shown(), isReadable);
      this.minimap.draw();
    });
  }

  /** The picture with every box filled, for files and paper; the next frame goes back to what the window shows. */
  filled() {
    this.picture.classList.remove("far");
    this.drawing.fill({ x: -1e9, y: -1e9, w: 2e9, h: 2e9 }, true);
    this.plan();
    return this.picture;
  }

  mark() {
    const { store } = this.app;
    const found = store.get("found") ?? new Set();
    const path = new Set(store.get("pathNodes") ?? []);
    this.drawing.mark("selected", (node) => node === store.get("node"));
    this.drawing.mark("found", (node) => found.has(node));
    this.drawing.mark("on-path", (node) => path.has(node), true);
    for (const [node, { element }] of this.drawing.parts) {
      element.setAttribute("aria-selected", String(node === store.get("node")));
      element.setAttribute("tabindex", node === this.focus ? 0 : -1);
    }
  }

  /** A node was selected, here or elsewhere: what is above it opens, and the window moves to it. */
  selected(changed) {
    const { store } = this.app;
    const node = store.get("node");
    this.focus = node;
    if (!this.drawing.parts.has(node)) this.bringBack(node);
    this.mark();
    const part = this.drawing.parts.get(node);
    if (!part || !this.camera.width) return;
    const isFar = changed.includes("revealed") && this.camera.k < READABLE;
    this.camera.go(isFar ? this.camera.centred(part.box, FIRST_ZOOM) : this.camera.including(part.box), true);
    if (changed.includes("revealed")) part.element.focus({ preventScroll: true });
  }

  /** Opens what is above a node; where pruning folded it, goes back to the last step that has it. */
  bringBack(node) {
    const above = this.tree.path(node).slice(0, -1);
    const folds = above.map((one) => this.tree.fold?.[one] ?? Infinity);
    const last = Math.min(this.step, Math.min(...folds) - 1);
    if (last < this.step) this.app.announce(`Node ${node} is pruned at this step; the page went back to step ${last}`);
    this.app.store.set({ open: this.opened(this.open, node), step: last });
  }

  setOpen(open, anchor) {
    this.focus = anchor ?? this.focus;
    this.app.store.set({ open });
  }

  toggle(node) {
    if (isLeafAt(this.tree, node, this.step)) return;
    const open = new Set(this.open);
    if (!open.delete(node)) open.add(node);
    this.setOpen(open, node);
  }

  firstView() {
    this.placed = false;
    this.focus = 0;
    this.app.store.set({ open: firstOpen(this.tree, this.atFirst, this.step) });
    this.resized();
  }

  openMany() {
    this.setOpen(this.total > MOST_DRAWN ? firstOpen(this.tree, MOST_DRAWN, this.step) : collapseTo(this.tree, null, this.step), 0);
    const whole = this.camera.fit(this.arranged);
    if (whole.k > FLAT) this.camera.go(whole, true);
  }

  nodeAt(event) {
    const element = event.target.closest?.("[data-node]");
    return element ? Number(element.dataset.node) : null;
  }

  clicked(event) {
    const node = this.nodeAt(event);
    if (node === null || this.pointers.isDragged()) return;
    if (event.target.closest(".toggle")) this.toggle(node);
    else this.app.select(node);
    this.refocus(node);
  }

  doubleClicked(event) {
    const node = this.nodeAt(event);
    if (node !== null && !event.target.closest(".toggle")) this.toggle(node);
  }

  focused(event) {
    const node = this.nodeAt(event);
    if (node === null || node === this.focus) return;
    this.focus = node;
    this.mark();
  }

  refocus(node) {
    this.focus = node;
    this.mark();
    const part = this.drawing.parts.get(node);
    this.camera.go(this.camera.including(part.box), true);
    part.element.focus({ preventScroll: true });
  }

  pressed(event) {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const act = keyAction(this, event);
    if (!act) return;
    event.preventDefault();
    act();
  }
}
