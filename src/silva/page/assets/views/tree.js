import { button, h, replace, svg } from "../base/dom.js";
import { arrange } from "../model/layout.js";
import { counted, thousands } from "../model/numbers.js";
import { countBelow, firstOpen, isLeafAt, visibleNodes } from "../model/pruned.js";
import { mountPrune } from "./prune.js";
import { Camera, FIRST_ZOOM } from "./tree/camera.js";
import { cardOf } from "./tree/cards.js";
import { colourChoice, legend, tints } from "./tree/colours.js";
import { Drawing, READABLE } from "./tree/drawing.js";
import { createTyping, goal, siblings, typed } from "./tree/keys.js";
import { Minimap } from "./tree/minimap.js";
import { mountPointers } from "./tree/pointers.js";
import { asked, prediction } from "./tree/words.js";

const MOST_DRAWN = 2000;
/** About so many nodes are in the first view, of wide windows and of telephones. */
const [FIRST_WIDE, FIRST_NARROW, NARROW] = [60, 15, 600];
/** Trees that are wider than this zoom shows are a line when all of them is in the window. */
const FLAT = 0.05;
/** The keys that move the window, with Shift. */
const PANS = { ArrowLeft: [80, 0], ArrowRight: [-80, 0], ArrowUp: [0, 80], ArrowDown: [0, -80] };

/** The tree as boxes and edges, with what folds, zooms and finds; the pruning strip is below it. */
export const view = { id: "tree", title: "Tree", available: () => true, mount };

/** A page has one tree view; its parts and its state are here. */
let app;
const group = svg("g", { class: "camera" });
const camera = new Camera(group, plan);
const drawing = new Drawing(group);
const minimap = new Minimap(camera);
const picture = svg("svg", { id: "tree-picture", class: "tree-picture", role: "tree", direction: "ltr", on: { click: onNode(clicked), dblclick: onNode(doubleClicked), focusin: onNode(focused), keydown: pressed } }, group);
const pointers = mountPointers(picture, camera);
const typing = createTyping();
const zooms = [["+", "in"], ["−", "out"]].map(([sign, way]) => button(sign, () => camera.zoom(sign), { "aria-label": `Zoom ${way}` }));
const stage = h("div", { class: "tree-stage" }, picture, minimap.canvas, h("div", { class: "zoom", role: "group", "aria-label": "Zoom" }, zooms));
const count = h("span", { class: "count quiet" });
const openAll = button("", openMany);
const below = h("div", { class: "below" });
/** The node that is the tab stop, the one that the first view shows, and the drawn ones, in pre-order. */
let [focus, shownFirst, drawn] = [0, 0, []];
/** Where the boxes are, whether the camera had its first look at them, and the frame in which they will be filled. */
let [arranged, isPlaced, planned] = [null, false, 0];

function mount(element, page) {
  app = page;
  const { store } = app;
  const strip = h("div", { class: "prune" });
  element.append(toolbar(), stage, below, strip);
  mountPrune(strip, app);
  store.subscribe(["tree", "open", "step", "target", "theme", "scheme"], (state, changed) => (changed.includes("tree") ? begin() : redraw()));
  store.subscribe(["node", "revealed"], (state, changed) => changed.includes("tree") || selected(changed.includes("revealed")));
  store.subscribe(["found", "pathNodes"], mark);
  new ResizeObserver(resized).observe(stage);
  begin();
  app.treePicture = filled;
  if (store.get("revealed")) selected(true);
}

function toolbar() {
  return h(
    "div",
    { class: "toolbar", role: "group", "aria-label": "Tree view" },
    button("Fit", () => camera.go(camera.fit(arranged), true), { title: "Show all that is drawn" }),
    button("First view", firstView, { title: `Open about ${atFirst()} nodes, those with the most rows` }),
    openAll,
    button("Fold all", () => setOpen(new Set(), 0)),
    colourChoice(app),
    count,
  );
}

function step() {
  return app.store.get("step");
}

function isInner(node) {
  return !isLeafAt(app.tree(), node, step());
}

function atFirst() {
  return window.innerWidth < NARROW ? FIRST_NARROW : FIRST_WIDE;
}

/** The inner nodes whose children are drawn; until something is opened or folded, the first view, with more where pruning made room. */
function openNodes() {
  const first = (at) => firstOpen(app.tree(), atFirst(), at);
  return app.store.get("open") ?? opened([...first(0), ...first(step())], shownFirst);
}

/** The open nodes with all ancestors of a node among them. */
function opened(open, node) {
  return new Set([...open, ...app.tree().path(node).slice(0, -1)]);
}

/** Shows a tree as at first: its first view, with a node in it. */
function begin(node = app.store.get("node")) {
  focus = shownFirst = node;
  isPlaced = false;
  redraw();
}

/** Draws what is open; the focused node stays where it is in the window. */
function redraw() {
  const tree = app.tree();
  const before = drawing.parts.get(focus)?.box;
  drawn = visibleNodes(tree, openNodes(), step());
  const cards = new Map(drawn.map((node) => [node, cardOf(tree, node, !isInner(node))]));
  arranged = arrange(Object.create(tree, { card: { value: (node) => cards.get(node) } }), drawn, step());
  focus = tree.path(focus).findLast((node) => cards.has(node));
  const tint = tints(tree, app.store.get("target"));
  drawing.update(arranged, (node) => facts(tree, node, cards, tint(node)));
  minimap.show(arranged, tint);
  const after = drawing.parts.get(focus).box;
  if (before && isPlaced) camera.panBy((before.x + before.w / 2 - after.x - after.w / 2) * camera.k, (before.y - after.y) * camera.k);
  resized();
  mark();
  describe(tree);
}

function facts(tree, node, cards, tint) {
  const card = cards.get(node);
  const isLeaf = !isInner(node);
  const beside = siblings(tree, node);
  const aria = { "aria-label": card.name, "aria-level": tree.depth[node] + 1, "aria-expanded": isLeaf ? null : `${cards.has(node + 1)}`, "aria-setsize": beside.length, "aria-posinset": beside.indexOf(node) + 1 };
  const accent = app.store.get("target") === null ? card.accent : tint.name;
  return { card, isLeaf, aria, tint, edge: tree.edge(node), stripe: accent && !tree.nClasses ? tint.name : accent };
}

/** How much is drawn, what the colours mean, and how the tree is to be read. */
function describe(tree) {
  const total = 1 + countBelow(tree, 0, step());
  const all = counted(total, "node");
  const isMany = total > MOST_DRAWN;
  count.textContent = drawn.length === total ? `${all}, all drawn` : `${thousands(drawn.length)} of ${all} drawn`;
  openAll.textContent = isMany ? `Open ${thousands(MOST_DRAWN)}` : "Open all";
  openAll.title = isMany ? "Open the nodes with the most rows; the overview shows all" : "";
  picture.setAttribute("aria-label", `${tree.json.text_title}; ${count.textContent}`);
  replace(below, legend(tree, app.store.get("target")), tree.json.notes.map((text) => h("p", { class: "quiet", text })));
}

function resized() {
  const { clientWidth: width, clientHeight: height } = stage;
  if (!width) return;
  Object.assign(camera, { width, height });
  if (!isPlaced) look();
  plan();
}

function look() {
  isPlaced = true;
  const upper = arranged.boxes.filter(({ node, stub }) => !stub && app.tree().depth[node] < 2);
  camera.go(camera.first(arranged, upper, drawing.parts.get(focus).box));
}

/** Fills the boxes in the window before the next frame, once. */
function plan() {
  planned ||= requestAnimationFrame(() => {
    planned = 0;
    const isFar = camera.k < READABLE;
    picture.classList.toggle("far", isFar);
    drawing.fill((box) => !isFar && camera.sees(box));
    minimap.draw();
  });
}

/** The picture with every box filled, for files and paper; the next frame goes back to what the window shows. */
function filled() {
  picture.classList.remove("far");
  drawing.fill(() => true);
  plan();
  return picture;
}

function mark() {
  const { node, found, pathNodes } = app.store.all();
  drawing.mark(node, found, new Set(pathNodes), focus);
}

/** A node was selected, here or elsewhere: what is above it opens, and the window moves to it. */
function selected(isRevealed) {
  const node = app.store.get("node");
  if (!drawing.parts.has(node)) bringBack(node);
  refocus(node, isRevealed, isRevealed && camera.k < READABLE);
}

/** Opens what is above a node; where pruning folded it, goes back to the last step that has it. */
function bringBack(node) {
  const tree = app.tree();
  const last = Math.min(step(), ...tree.path(node).slice(0, -1).map((above) => (tree.fold?.[above] ?? Infinity) - 1));
  if (last < step()) app.announce(`Node ${node} is pruned at this step; the page went back to step ${last}`);
  focus = node;
  app.store.set({ open: opened(openNodes(), node), step: last });
}

function setOpen(open, anchor = focus) {
  focus = anchor;
  app.store.set({ open });
}

function toggle(node) {
  if (!isInner(node)) return;
  const open = new Set(openNodes());
  if (!open.delete(node)) open.add(node);
  setOpen(open, node);
}

function openMany() {
  setOpen(firstOpen(app.tree(), MOST_DRAWN, step()), 0);
  const whole = camera.fit(arranged);
  if (whole.k > FLAT) camera.go(whole, true);
}

function firstView() {
  app.store.set({ open: null });
  begin(0);
}

/** A listener that calls `act` with the node, and with the mark that opens or folds it if that was hit. */
function onNode(act) {
  return ({ target }) => {
    const found = target.closest("[data-node]");
    if (found) act(Number(found.dataset.node), target.closest(".toggle"));
  };
}

function clicked(node, toggler) {
  if (pointers.isDragged()) return;
  if (toggler) toggle(node);
  else app.select(node);
  refocus(node);
}

function doubleClicked(node, toggler) {
  if (!toggler) toggle(node);
}

function focused(node) {
  if (node === focus) return;
  focus = node;
  mark();
}

/** Makes a node the tab stop and moves the window to it; `isTaken`: the focus of the keyboard too; `isFar`: so near that it can be read. */
function refocus(node, isTaken = true, isFar = false) {
  focus = node;
  mark();
  const { box, element } = drawing.parts.get(node);
  camera.go(isFar ? camera.centred(box, FIRST_ZOOM) : camera.including(box), true);
  if (isTaken) element.focus({ preventScroll: true });
}

function pressed(event) {
  if (event.altKey || event.metaKey || event.ctrlKey) return;
  const act = keyAction(app.tree(), event);
  if (!act) return;
  event.preventDefault();
  act();
}

/** What a key does; null for keys that are not the tree's. */
function keyAction(tree, { key, shiftKey }) {
  const open = openNodes();
  if (shiftKey && PANS[key]) return () => camera.panBy(...PANS[key]);
  if (key === "Enter" || key === " ") return () => app.select(focus);
  if (key === "+" || key === "-") return () => camera.zoom(key);
  if (key === "*") return () => setOpen(new Set([...open, ...siblings(tree, focus).filter(isInner)]));
  if (isInner(focus) && key === (open.has(focus) ? "ArrowLeft" : "ArrowRight")) return () => toggle(focus);
  const names = (node) => (isInner(node) ? asked(tree, node) : [prediction(tree, node)]);
  const next = goal(tree, drawn, focus, key) ?? (key.length === 1 ? typed(drawn, focus, typing(key), names) : null);
  return next === null ? null : () => refocus(next);
}
