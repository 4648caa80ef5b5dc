import { button, h, name, replace, select, svg } from "../base/dom.js";
import { counted, number, percent } from "../model/numbers.js";
import { predictRow } from "../model/predict.js";
import { surface } from "../model/surface.js";
import { scale } from "./charts/scale.js";
import { drawSurface } from "./surface/picture.js";
import { predictedWords, whichTree } from "./tools/outcome.js";
import { lineUp } from "./tools/parts.js";
import { cellWords, middleOf, rowNow, setValues, usedColumns, valueWords } from "./tools/row.js";

const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const STEPS = 40;
const MOST_FIXED = 8;
const CANDIDATES = 5;
const FEW_CELLS = 12;

/** What the tree predicts over one or two columns, all others fixed. */
export const view = { id: "surface", title: "Surface", available: () => true, mount };

function mount(element, app) {
  element.classList.add("tool");
  const [about, tools, fixed, stage, key, said] = [h("div"), h("div", { class: "surface-tools" }), h("p", { class: "quiet" }), h("div"), h("ul", { class: "colour-key", "aria-label": "Colours" }), h("div", { class: "surface-said" })];
  let width = 0;
  const show = () => {
    if (element.hidden) return;
    width = stage.clientWidth;
    replace(about, whichTree(app));
    draw(app, { tools, fixed, stage, key, said });
  };
  app.store.subscribe(["surface", "row", "tree", "view"], show);
  element.append(about, h("div", { class: "sheet" }, tools, fixed, h("div", { class: "surface" }, stage, h("div", null, key, said))));
  new ResizeObserver(() => stage.clientWidth === width || show()).observe(stage);
  show();
}

function draw(app, { tools, fixed, stage, key, said }) {
  const tree = app.tree();
  const { row, refused } = rowNow(app);
  const columns = chosenColumns(app, row);
  const problem = !columns.length ? "The tree is one leaf: its prediction is the same everywhere." : row === null ? ["The model refuses the row of the other columns (", name(refused), "): change it in What if."] : null;
  replace(tools, columns.length ? choices(app, columns) : null);
  for (const one of [key, stage, said]) replace(one);
  if (problem) return void replace(fixed, problem);
  const others = usedColumns(tree).filter((column) => !columns.includes(column));
  replace(fixed, others.length ? ["All other columns are as in What if: ", valueWords(app.doc, others, row, MOST_FIXED), "."] : "The tree uses no other columns.");
  const width = Math.max(280, stage.clientWidth);
  const height = Math.round(Math.max(300, Math.min(width * 0.75, window.innerHeight - 300)));
  const found = surface(tree, row, columns);
  const drawn = drawSurface(tree, found, width, height);
  replace(stage, interactive({ app, row, axes: found.axes, said, ...drawn }, width, height));
  const remarks = [tree.nClasses && columns[1] !== undefined ? "A stronger colour means a higher probability." : "", found.exact ? "" : "Drawn on a grid: borders are exact to one cell."];
  replace(key, drawn.key, remarks.filter(Boolean).map((text) => h("li", { class: "quiet", text })));
}

/** The columns of the state that the tree uses, else its most important ones. */
function chosenColumns(app, row) {
  const offered = usedColumns(app.tree());
  const linked = app.store.get("surface");
  const kept = Array.isArray(linked) ? [...new Set(linked)].filter((one) => offered.includes(one)).slice(0, 2) : [];
  return kept.length ? kept : liveliest(app.tree(), offered.slice(0, CANDIDATES), row);
}

/** Of the most important columns the two that show the most predictions; the first of equals. */
function liveliest(tree, offered, row) {
  if (offered.length < 3 || row === null) return offered.slice(0, 2);
  const pairs = offered.flatMap((one, at) => offered.slice(at + 1).map((other) => [one, other]));
  const scores = pairs.map((pair) => new Set(surface(tree, row, pair, FEW_CELLS).rects.map(({ code, value }) => code ?? value)).size);
  return pairs[scores.indexOf(Math.max(...scores))];
}

function choices({ doc, store, tree }, columns) {
  const options = usedColumns(tree()).map((column) => [column, doc.columns[column].name]);
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

/** The picture with a cross that pointer and arrow keys move. */
function interactive(look, width, height) {
  const { app, axes, parts, row } = look;
  const pointed = ({ clientX, clientY }) => {
    const shape = picture.getBoundingClientRect();
    const zoom = width / shape.width;
    return valuesAt(look, (clientX - shape.left) * zoom, (clientY - shape.top) * zoom);
  };
  const on = {
    pointermove: (event) => tell(look, pointed(event)),
    pointerleave: () => tell(look, look.at),
    click: (event) => app.select(place(look, pointed(event))),
    keydown: (event) => pressed(event, look),
  };
  look.cross = svg("g", { "aria-hidden": "true" });
  const picture = svg("svg", { class: "surface-picture", viewBox: `0 0 ${width} ${height}`, width, height, tabindex: 0, role: "application", "aria-label": `Prediction over ${axes.map((axis) => app.doc.columns[axis.column].name).join(" and ")}. Arrow keys move a cross, Enter shows its leaf in the tree.`, on }, parts, look.cross);
  place(look, axes.map((axis) => inside(axis, Number.isFinite(row[axis.column]) ? row[axis.column] : middleOf(axis))));
  return picture;
}

/** The values at a point of the picture; beside the axes those of the nearest point. */
function valuesAt({ axes, box }, x, y) {
  const [across, up] = axes;
  const values = [inside(across, scale(box.left, box.right, across.low, across.high)(x))];
  return up ? [...values, inside(up, scale(box.top, box.bottom, up.high, up.low)(y))] : values;
}

/** The nearest value that the axis shows. */
function inside({ coded, low, high }, value) {
  return coded ? Math.round(Math.min(Math.max(value, 0), high - 0.5)) : Math.min(Math.max(value, low), high);
}

function pressed(event, look) {
  const { app, axes } = look;
  if (event.key === "Enter") return app.reveal(look.node);
  const move = MOVES[event.key];
  if (move === undefined) return;
  event.preventDefault();
  app.select(place(look, look.at.map((value, at) => inside(axes[at], value + move[at] * (axes[at].coded ? 1 : (axes[at].high - axes[at].low) / STEPS)))));
  app.announce(look.words);
}

/** Moves the cross, says what is predicted there, and gives the node. */
function place(look, values) {
  const { across, down, box, axes } = look;
  look.at = values;
  const x = across(values[0]);
  const y = down(values[1]);
  const d = axes[1] ? `M${x - 11} ${y}h22M${x} ${y - 11}v22` : `M${x} ${box.top}V${box.bottom}`;
  replace(look.cross, ["halo", "cross"].map((one) => svg("path", { class: one, d })));
  tell(look, values);
  return look.node;
}

/** Says what is predicted at values of the shown columns. */
function tell(look, values) {
  const { app, axes, said } = look;
  const { doc } = app;
  const tree = app.tree();
  const row = Float64Array.from(look.row);
  axes.forEach((axis, at) => (row[axis.column] = values[at]));
  const { node, code, value, shares } = predictRow(tree, row);
  const where = axes.map((axis) => `${doc.columns[axis.column].name} ${pointWords(doc.columns[axis.column], row[axis.column])}`).join(", ");
  look.node = node;
  look.words = `${where}: ${predictedWords(doc, code ?? value)}${shares ? ` (${percent(shares[code])})` : ""}, node ${node}${tree.rows[node] === null ? "" : `, ${counted(tree.rows[node], "training row")}`}`;
  const use = () => setValues(app, Object.fromEntries(axes.map((axis, at) => [axis.column, look.at[at]])), { view: "whatif" });
  replace(said, h("p", null, name(look.words)), lineUp(button("Show in the tree", () => app.reveal(node)), button("Use in What if", use)));
}

function pointWords(column, value) {
  return column.kind === "continuous" && column.time === null ? number(value, 4) : cellWords(column, value);
}
