import { button, h, name, replace, select, svg } from "../base/dom.js";
import { counted, number, percent } from "../model/numbers.js";
import { predictRow } from "../model/predict.js";
import { surface } from "../model/surface.js";
import { drawSurface } from "./surface/picture.js";
import { predictedWords, whichTree } from "./tools/outcome.js";
import { cellWords, rowNow, usedColumns, valuesNow } from "./tools/row.js";

const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const STEPS = 40;
const MOST_FIXED = 8;
const CANDIDATES = 5;
const FEW_CELLS = 12;
const CELLS = { 1: 400, 2: 96 };

/** What the tree predicts over one or two columns, all others fixed. */
export const view = { id: "surface", title: "Surface", available: () => true, mount };

function mount(element, app) {
  element.classList.add("tool");
  const tools = h("div", { class: "surface-tools" });
  const fixed = h("p", { class: "quiet" });
  const stage = h("div", { class: "surface-stage" });
  const key = h("ul", { class: "colour-key", "aria-label": "Colours" });
  const said = h("div", { class: "surface-said" });
  const about = h("div");
  const parts = { tools, fixed, stage, key, said, about };
  const show = () => draw(app, parts);
  app.store.subscribe(["surface", "row", "tree"], () => element.hidden || show());
  app.store.subscribe(["view"], () => app.store.get("view") === "surface" && show());
  element.append(about, h("div", { class: "sheet" }, tools, fixed, h("div", { class: "surface" }, stage, h("div", { class: "surface-side" }, key, said))));
  new ResizeObserver(() => element.hidden || stage.clientWidth === parts.width || show()).observe(stage);
  show();
}

/** The columns of the state that the tree uses, else its most important ones. */
function chosenColumns(app) {
  const offered = usedColumns(app.tree());
  const linked = app.store.get("surface");
  const kept = Array.isArray(linked) ? [...new Set(linked)].filter((one) => offered.includes(one)).slice(0, 2) : [];
  return kept.length ? kept : liveliest(app, offered);
}

/** Of the most important columns the two that show the most predictions; the first of equals. */
function liveliest(app, offered) {
  const { row } = rowNow(app);
  if (offered.length < 3 || row === null) return offered.slice(0, 2);
  const pairs = offered.slice(0, CANDIDATES).flatMap((one, at, all) => all.slice(at + 1).map((other) => [one, other]));
  const score = (pair) => {
    const { rects } = surface(app.tree(), row, pair, FEW_CELLS);
    return new Set(rects.map((rect) => rect.code ?? rect.value)).size + new Set(rects.map((rect) => rect.node)).size / 1e6;
  };
  return pairs.map((pair) => [score(pair), pair]).reduce((best, one) => (one[0] > best[0] ? one : best))[1];
}

function draw(app, parts) {
  const { tools, fixed, stage, key, said, about } = parts;
  const tree = app.tree();
  const columns = chosenColumns(app);
  replace(about, whichTree(app));
  replace(tools, columns.length ? choices(app, columns) : null);
  const { row, refused } = rowNow(app);
  parts.width = stage.clientWidth;
  replace(key);
  if (!columns.length) return void replace(fixed, "The tree is one leaf: its prediction is the same everywhere.");
  if (row === null) return void replace(fixed, "The model refuses the row of the other columns (", name(refused), "): change it in What if.");
  replace(fixed, fixedWords(app, columns, row));
  const width = Math.max(280, parts.width || 900);
  const height = Math.round(Math.max(300, Math.min(width * 0.75, window.innerHeight - 300)));
  const found = surface(tree, row, columns, CELLS[columns.length]);
  const drawn = drawSurface(tree, found, row, width, height);
  replace(stage, interactive(app, { tree, columns, row, axes: found.axes, said, ...drawn }, width, height));
  replace(key, drawn.key.map(keyEntry), tree.nClasses && columns.length === 2 ? h("li", { class: "quiet", text: "A stronger colour means a higher probability." }) : null, found.exact ? null : h("li", { class: "quiet", text: "Drawn on a grid: borders are exact to one cell." }));
}

function keyEntry([colour, text, dash]) {
  const sample = dash === undefined ? svg("rect", { class: `fill-${colour}`, width: "100%", height: "100%", rx: 3 }) : svg("line", { stroke: `var(--${colour})`, "stroke-width": 3, "stroke-dasharray": dash, x1: 0, x2: "100%", y1: 8, y2: 8 });
  return h("li", null, svg("svg", { class: dash === undefined ? null : "line", "aria-hidden": "true" }, sample), name(text));
}

function choices(app, columns) {
  const { doc, store } = app;
  const options = usedColumns(app.tree()).map((column) => [column, doc.columns[column].name]);
  const set = (place, value) => {
    const next = [...columns];
    if (value === "") next.splice(place, 1);
    else if (next[1 - place] === Number(value)) next.reverse();
    else next[place] = Number(value);
    store.set({ surface: next });
  };
  const across = select("Column across", options, columns[0], (value) => set(0, value));
  const up = select("Column upwards", [["", "(none: one column)"], ...options], columns[1] ?? "", (value) => set(1, value));
  return [h("label", null, "Across", across), h("label", null, "Upwards", up)];
}

function fixedWords(app, columns, row) {
  const others = usedColumns(app.tree()).filter((column) => !columns.includes(column));
  if (!others.length) return "The tree uses no other columns.";
  const told = others.slice(0, MOST_FIXED).flatMap((column, at) => [at ? ", " : "", name(app.doc.columns[column].name), " ", name(cellWords(app.doc.columns[column], row[column]))]);
  const more = others.length > MOST_FIXED ? ` and ${others.length - MOST_FIXED} more` : "";
  return ["All other columns are as in What if: ", told, more, "."];
}

/** The picture with a cross that pointer and arrow keys move. */
function interactive(app, drawn, width, height) {
  const cross = svg("g", { "aria-hidden": "true" });
  const picture = svg("svg", { class: "surface-picture", viewBox: `0 0 ${width} ${height}`, width, height, tabindex: 0, role: "application", "aria-label": `Prediction over ${drawn.columns.map((one) => app.doc.columns[one].name).join(" and ")}. Arrow keys move a cross, Enter shows its leaf in the tree.` }, drawn.parts, cross);
  const start = drawn.axes.map((axis) => (Number.isFinite(drawn.row[axis.column]) ? Math.min(Math.max(drawn.row[axis.column], axis.coded ? 0 : axis.low), axis.high) : axis.low / 2 + axis.high / 2));
  const look = { at: start, app, drawn, cross };
  picture.addEventListener("pointermove", (event) => tell(look, pointed(event, picture, drawn, width)));
  picture.addEventListener("pointerleave", () => tell(look, look.at));
  picture.addEventListener("click", (event) => {
    look.at = pointed(event, picture, drawn, width) ?? look.at;
    app.select(place(look));
  });
  picture.addEventListener("keydown", (event) => pressed(event, look));
  place(look);
  return picture;
}

/** The values under the pointer; null outside the axes. */
function pointed(event, picture, { across, down, box }, width) {
  const shape = picture.getBoundingClientRect();
  const zoom = width / shape.width;
  const [x, y] = [(event.clientX - shape.left) * zoom, (event.clientY - shape.top) * zoom];
  if (x < box.left || x > box.right || y < box.top || y > box.bottom) return null;
  return down === null ? [across.toValue(x)] : [across.toValue(x), down.toValue(y)];
}

function pressed(event, look) {
  const { app, drawn } = look;
  if (event.key === "Enter") return app.reveal(place(look));
  const move = MOVES[event.key];
  if (move === undefined) return;
  event.preventDefault();
  look.at = look.at.map((value, at) => moved(drawn.axes[at], value, move[at]));
  const node = place(look);
  app.select(node);
  app.announce(look.words);
}

function moved(axis, value, way) {
  const step = axis.coded ? 1 : (axis.high - axis.low) / STEPS;
  const [low, high] = axis.coded ? [0, axis.high - 0.5] : [axis.low, axis.high];
  return Math.min(Math.max(value + way * step, low), high);
}

/** Draws the cross, says what is predicted there, and gives the node. */
function place(look) {
  const { across, down, box } = look.drawn;
  const x = across.toPixel(look.at[0]);
  const y = down === null ? null : down.toPixel(look.at[1]);
  const shape = y === null ? `M${x} ${box.top}V${box.bottom}` : `M${x - 11} ${y}H${x + 11}M${x} ${y - 11}V${y + 11}`;
  replace(look.cross, svg("path", { class: "halo", d: shape }), svg("path", { class: "cross", d: shape }));
  return tell(look, look.at);
}

/** Says what is predicted at values of the shown columns. */
function tell(look, values) {
  if (values === null) return null;
  const { app, drawn } = look;
  const { doc } = app;
  const row = Float64Array.from(drawn.row);
  drawn.axes.forEach((axis, at) => (row[axis.column] = values[at]));
  const told = predictRow(drawn.tree, row);
  const where = drawn.axes.map((axis) => `${doc.columns[axis.column].name} ${pointWords(doc.columns[axis.column], row[axis.column])}`).join(", ");
  const share = told.shares === null ? "" : ` (${percent(told.shares[told.code])})`;
  const rows = drawn.tree.rows[told.node];
  look.words = `${where}: ${predictedWords(doc, told.code ?? told.value)}${share}, node ${told.node}${rows === null ? "" : `, ${counted(rows, "training row")}`}`;
  const use = () => app.store.set({ row: { ...valuesNow(app), ...Object.fromEntries(drawn.axes.map((axis, at) => [axis.column, look.at[at]])) }, view: "whatif" });
  replace(drawn.said, h("p", null, name(look.words)), h("div", { class: "line-up" }, button("Show in the tree", () => app.reveal(told.node)), button("Use in What if", use)));
  return told.node;
}

function pointWords(column, value) {
  return column.kind === "continuous" && column.time === null ? number(value, 4) : cellWords(column, value);
}
