import { button, h, replace, svg } from "../base/dom.js";
import { arrange } from "../model/layout.js";
import { counted, thousands } from "../model/numbers.js";
import { countBelow, firstOpen, isLeafAt, visibleNodes } from "../model/pruned.js";
import { mountPrune } from "./prune.js";
import { Camera, FIRST_ZOOM } from "./tree/camera.js";
import { cardOf } from "./tree/cards.js";
import { colourChoice, legend, tints } from "./tree/colours.js";
import { Drawing, READABLE } from "./tree/drawing.js";
import { createTyping, keyAction, siblings } from "./tree/keys.js";
import { Minimap } from "./tree/minimap.js";
import { mountPointers } from "./tree/pointers.js";

const MOST_DRAWN = 2000;
/** About so many nodes are in the first view, of wide windows and of telephones. */
const [FIRST_WIDE, FIRST_NARROW, NARROW] = [60, 15, 600];
/** Trees that are wider than this zoom shows are a line when all of them is in the window. */
const FLAT = 0.05;

/** The tree as boxes and edges, with what folds, zooms and finds; the pruning strip is below it. */
export const view = { id: "tree", title: "Tree", available: () => true, mount: (element, app) => new TreeView(element, app) };

class TreeView {
  constructor(element, app) {
    Object.assign(this, { app, typing: createTyping() });
    this.makeStage();
    this.legend = h("div", { class: "below" });
    const strip = h("div", { class: "prune" });
    element.append(this.toolbar(), this.stage, this.legend, strip);
    mountPrune(strip, app);
    this.follow();
    this.begin();
    app.treePicture = () => this.filled();
    if (app.store.get("revealed")) this.selected(true);
  }

  makeStage() {
    const group = svg("g", { class: "camera" });
    const camera = (this.camera = new Camera(group, () => this.plan()));
    this.drawing = new Drawing(group);
    this.picture = svg("svg", { id: "tree-picture", class: "tree-picture", role: "tree", direction: "ltr", on: this.listeners() }, group);
    this.pointers = mountPointers(this.picture, camera);
    this.minimap = new Minimap(camera);
    const zooms = [["+", "in"], ["−", "out"]].map(([sign, way]) => button(sign, () => camera.zoom(sign), { "aria-label": `Zoom ${way}` }));
    this.stage = h("div", { class: "tree-stage" }, this.picture, this.minimap.canvas, h("div", { class: "zoom", role: "group", "aria-label": "Zoom" }, zooms));
  }

  toolbar() {
    this.count = h("span", { class: "count quiet" });
    this.openAll = button("", () => this.openMany());
    return h(
      "div",
      { class: "toolbar", role: "group", "aria-label": "Tree view" },
      button("Fit", () => this.camera.go(this.camera.fit(this.arranged), true), { title: "Show all that is drawn" }),
      button("First view", () => this.firstView(), { title: `Open about ${this.atFirst} nodes, those with the most rows` }),
      this.openAll,
      button("Fold all", () => this.setOpen(new Set(), 0)),
      colourChoice(this.app),
      this.count,
    );
  }

  /** What pointers and keys do; `act` gets the node and whether its mark to open or fold it was hit. */
  listeners() {
    const onNode = (act) => ({ target }) => {
      const found = target.closest("[data-node]");
      if (found) act(Number(found.dataset.node), target.closest(".toggle"));
    };
    const click = (node, isToggle) => {
      if (this.pointers.isDragged()) return;
      if (isToggle) this.toggle(node);
      else this.app.select(node);
      this.refocus(node);
    };
    return {
      click: onNode(click),
      dblclick: onNode((node, isToggle) => isToggle || this.toggle(node)),
      focusin: onNode((node) => node !== this.focus && this.setFocus(node)),
      keydown: (event) => this.pressed(event),
    };
  }

  follow() {
    const { store } = this.app;
    store.subscribe(["tree", "open", "step", "target", "theme", "scheme"], (state, changed) => (changed.includes("tree") ? this.begin() : this.redraw()));
    store.subscribe(["node", "revealed"], (state, changed) => changed.includes("tree") || this.selected(changed.includes("revealed")));
    store.subscribe(["found", "pathNodes"], () => this.mark());
    new ResizeObserver(() => this.resized()).observe(this.stage);
  }

  get tree() {
    return this.app.tree();
  }

  get step() {
    return this.app.store.get("step");
  }

  /** The inner nodes whose children are drawn; until something is opened or folded, the first view, with more where pruning made room. */
  get open() {
    const first = (step) => firstOpen(this.tree, this.atFirst, step);
    return this.app.store.get("open") ?? this.opened([...first(0), ...first(this.step)], this.shownFirst);
  }

  get atFirst() {
    return window.innerWidth < NARROW ? FIRST_NARROW : FIRST_WIDE;
  }

  /** Shows a tree as at first: its first view, with a node in it. */
  begin(node = this.app.store.get("node")) {
    this.focus = this.shownFirst = node;
    this.placed = false;
    this.redraw();
  }

  /** The open nodes with all ancestors of a node among them. */
  opened(open, node) {
    return new Set([...open, ...this.tree.path(node).slice(0, -1)]);
  }

  /** Draws what is open; the focused node stays where it is in the window. */
  redraw() {
    const { tree, step, camera, drawing } = this;
    const before = drawing.parts.get(this.focus)?.box;
    this.drawn = visibleNodes(tree, this.open, step);
    const cards = new Map(this.drawn.map((node) => [node, cardOf(tree, node, isLeafAt(tree, node, step))]));
    this.arranged = arrange(Object.create(tree, { card: { value: (node) => cards.get(node) } }), this.drawn, step);
    this.focus = tree.path(this.focus).findLast((node) => cards.has(node));
    const tint = tints(tree, this.app.store.get("target"));
    drawing.update(this.arranged, (node) => this.facts(node, cards, tint(node)));
    this.minimap.show(this.arranged, tint);
    const after = drawing.parts.get(this.focus).box;
    if (before && this.placed) camera.panBy((before.x + before.w / 2 - after.x - after.w / 2) * camera.k, (before.y - after.y) * camera.k);
    this.resized();
    this.mark();
    this.describe();
  }

  facts(node, cards, tint) {
    const { tree, step } = this;
    const card = cards.get(node);
    const isLeaf = isLeafAt(tree, node, step);
    const beside = siblings(tree, node);
    const aria = { label: card.name, level: tree.depth[node] + 1, expanded: isLeaf ? null : `${cards.has(node + 1)}`, setsize: beside.length, posinset: beside.indexOf(node) + 1 };
    const accent = this.app.store.get("target") === null ? card.accent : tint.name;
    return { card, isLeaf, aria, tint, edge: tree.edge(node), stripe: accent && !tree.nClasses ? tint.name : accent };
  }

  /** How much is drawn, what the colours mean, and how the tree is to be read. */
  describe() {
    const { tree, drawn } = this;
    this.total = 1 + countBelow(tree, 0, this.step);
    const all = counted(this.total, "node");
    const isMany = this.total > MOST_DRAWN;
    this.count.textContent = drawn.length === this.total ? `${all}, all drawn` : `${thousands(drawn.length)} of ${all} drawn`;
    this.openAll.textContent = isMany ? `Open ${thousands(MOST_DRAWN)}` : "Open all";
    this.openAll.title = isMany ? "Open the nodes with the most rows; the overview shows all" : "";
    this.picture.setAttribute("aria-label", `${tree.json.text_title}; ${this.count.textContent}`);
    replace(this.legend, legend(tree, this.app.store.get("target")), tree.json.notes.map((text) => h("p", { class: "quiet", text })));
  }

  resized() {
    const { clientWidth: width, clientHeight: height } = this.stage;
    if (!width) return;
    Object.assign(this.camera, { width, height });
    if (!this.placed) this.look();
    this.plan();
  }

  look() {
    this.placed = true;
    const upper = this.arranged.boxes.filter(({ node, stub }) => !stub && this.tree.depth[node] < 2);
    this.camera.go(this.camera.first(this.arranged, upper, this.drawing.parts.get(this.focus).box));
  }

  /** Fills the boxes in the window before the next frame, once. */
  plan() {
    if (this.planned) return;
    this.planned = requestAnimationFrame(() => {
      this.planned = 0;
      const { camera } = this;
      const isFar = camera.k < READABLE;
      this.picture.classList.toggle("far", isFar);
      this.drawing.fill((box) => !isFar && camera.sees(box));
      this.minimap.draw();
    });
  }

  /** The picture with every box filled, for files and paper; the next frame goes back to what the window shows. */
  filled() {
    this.picture.classList.remove("far");
    this.drawing.fill(() => true);
    this.plan();
    return this.picture;
  }

  mark() {
    const { node, found, pathNodes } = this.app.store.all();
    this.drawing.mark(node, found, new Set(pathNodes), this.focus);
  }

  setFocus(node) {
    this.focus = node;
    this.mark();
  }

  /** A node was selected, here or elsewhere: what is above it opens, and the window moves to it. */
  selected(isRevealed) {
    const node = this.app.store.get("node");
    if (!this.drawing.parts.has(node)) this.bringBack(node);
    this.refocus(node, isRevealed, isRevealed && this.camera.k < READABLE);
  }

  /** Opens what is above a node; where pruning folded it, goes back to the last step that has it. */
  bringBack(node) {
    const folds = this.tree.path(node).slice(0, -1).map((above) => this.tree.fold?.[above] ?? Infinity);
    const step = Math.min(this.step, ...folds.map((fold) => fold - 1));
    if (step < this.step) this.app.announce(`Node ${node} is pruned at this step; the page went back to step ${step}`);
    this.focus = node;
    this.app.store.set({ open: this.opened(this.open, node), step });
  }

  setOpen(open, anchor = this.focus) {
    this.focus = anchor;
    this.app.store.set({ open });
  }

  toggle(node) {
    if (isLeafAt(this.tree, node, this.step)) return;
    const open = new Set(this.open);
    if (!open.delete(node)) open.add(node);
    this.setOpen(open, node);
  }

  openMany() {
    this.setOpen(firstOpen(this.tree, MOST_DRAWN, this.step), 0);
    const whole = this.camera.fit(this.arranged);
    if (whole.k > FLAT) this.camera.go(whole, true);
  }

  firstView() {
    this.app.store.set({ open: null });
    this.begin(0);
  }

  /** Makes a node the tab stop and moves the window to it; `isTaken`: the focus of the keyboard too; `isFar`: so near that it can be read. */
  refocus(node, isTaken = true, isFar = false) {
    const { camera } = this;
    this.setFocus(node);
    const { box, element } = this.drawing.parts.get(node);
    camera.go(isFar ? camera.centred(box, FIRST_ZOOM) : camera.including(box), true);
    if (isTaken) element.focus({ preventScroll: true });
  }

  pressed(event) {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const act = keyAction(this, event);
    if (!act) return;
    event.preventDefault();
    act();
  }
}
