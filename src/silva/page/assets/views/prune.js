import { button, h, replace } from "../base/dom.js";
import { counted, number, percent, repr } from "../model/numbers.js";
import { decoded } from "../model/tree.js";
import { asTable, figure } from "./charts/frame.js";
import { lineChart } from "./charts/lines.js";
import { copyButton } from "./details.js";
import { capital, follow, quiet } from "./parts.js";

const NAMES = { train: "training", validation: "validation", cv: "cross-validated" };
const SHARE = "error";

/** The strip below the tree: a slider over the steps of pruning, with the errors of each. */
export function mountPrune(element, app) {
  const { alphas, note } = app.doc.pruning;
  element.classList.add("prune");
  if (!alphas) return element.append(quiet(`No pruning slider: ${note}`));
  const pruning = { ...app.doc.pruning, alphas: alphas.map(decoded) };
  const parts = { words: h("output", { class: "now-words" }), errors: h("p"), slider: slider(app, alphas.length - 1) };
  element.append(h("details", { open: window.innerWidth > 800 }, h("summary", null, "Prune: ", parts.words), strip(app, pruning, parts)));
  follow(app, ["step", "tree"], () => {
    const step = app.store.get("step");
    element.hidden = app.store.get("tree") !== 0;
    parts.slider.value = step;
    parts.slider.setAttribute("aria-valuetext", stepWords(pruning, step));
    replace(parts.words, stepWords(pruning, step));
    replace(parts.errors, errorWords(pruning, step));
  });
}

function slider(app, last) {
  const found = h("input", { type: "range", max: last, value: 0, "aria-label": "Pruning step", class: "steps", on: { input: () => app.store.set({ step: Number(found.value) }) } });
  return found;
}

function leaves({ leaves: counts }, step) {
  return counted(counts[step], "leaf", "leaves");
}

/** `19 leaves, depth 5, ccp_alpha 0.0021`. */
function stepWords(pruning, step) {
  return `${leaves(pruning, step)}, depth ${pruning.depths[step]}, ccp_alpha ${number(pruning.alphas[step], 4)}`;
}

function tellOf({ measure }) {
  return measure === SHARE ? percent : (value) => number(value, 4);
}

/** The errors of a step in words; the band of cross-validation is one standard error. */
function errorWords(pruning, step) {
  const tell = tellOf(pruning);
  const told = curvesOf(pruning).map(({ name, values, spread }) => `${name} ${tell(values[step])}${spread ? ` ± ${tell(spread[step])}` : ""}`);
  return told.length ? `${capital(pruning.measure)}: ${told.join(", ")}` : "";
}

function curvesOf(pruning) {
  const keys = Object.keys(NAMES).filter((key) => pruning[key]);
  return keys.map((key) => ({ name: NAMES[key], look: `look-${key}`, values: pruning[key], spread: key === "cv" ? pruning.cv_spread : null }));
}

function strip(app, pruning, { errors, slider }) {
  const controls = h(
    "div",
    { class: "prune-controls" },
    errors,
    h("div", { class: "ends", "aria-hidden": "true" }, h("span", null, "whole tree"), h("span", null, "root alone")),
    slider,
    h("div", { class: "buttons" }, jumps(app, pruning), copyButton(app, "Copy parameters", () => `ccp_alpha=${repr(pruning.alphas[app.store.get("step")])}`)),
    quiet(pruning.note),
  );
  return h("div", { class: "prune-strip" }, controls, curvesOf(pruning).length > 0 && chart(app, pruning));
}

function jumps(app, pruning) {
  const go = (label, step) =>
    step !== null &&
    button(`${label} (${leaves(pruning, step)})`, () => {
      app.store.set({ step });
      app.announce(stepWords(pruning, step));
    });
  return [go("Whole tree", 0), go("Least error", pruning.best), go("One standard error", pruning.one_se)];
}

function chart(app, pruning) {
  const found = curvesOf(pruning);
  const draw = (width) => {
    const drawn = lineChart(curves(pruning, found, app.store.get("step")), width, 190);
    drawn.addEventListener("click", (event) => app.store.set({ step: nearest(event.offsetX, drawn, pruning.leaves) }));
    return drawn;
  };
  const tell = tellOf(pruning);
  const rows = pruning.alphas.map((alpha, step) => [pruning.leaves[step], number(alpha, 4), ...found.map((one) => tell(one.values[step]))]);
  const made = figure(draw, asTable("Error by number of leaves", ["leaves", "#ccp_alpha", ...found.map((one) => `#${one.name}`)], rows));
  app.store.subscribe(["step"], made.redraw);
  return made;
}

function curves(pruning, series, step) {
  const { leaves: values, measure } = pruning;
  const ends = series.flatMap((one) => one.values.flatMap((value, at) => [-1, 1].map((sign) => value + sign * (one.spread?.[at] ?? 0))));
  const [least, top] = [Math.max(0, Math.min(...ends)), Math.max(...ends)];
  const log = measure !== SHARE && least > 0 && top > 15 * least;
  return {
    title: `${capital(measure)} by number of leaves`,
    description: `${series.map((one) => one.name).join(", ")} ${measure} of ${values.length} trees from ${values[0]} leaves to 1. The table below has the numbers.`,
    x: { values, label: "leaves", log: values[0] > 30, reversed: true, whole: true, tell: String },
    y: { low: log ? least / 1.2 : Math.max(0, least - (top - least) * 0.1), high: top || 1, label: `${measure}${log ? " (log scale)" : ""}`, tell: tellOf(pruning), log },
    series,
    marks: marks(pruning),
    now: step,
  };
}

function marks({ cv, validation, best, one_se: within }) {
  const by = cv ?? validation;
  if (!by) return [];
  const found = best === within ? [[best, "least error, 1 SE"]] : [[best, "least error"], [within, "1 SE"]];
  return found.filter(([at]) => at !== null).map(([at, text]) => ({ at, value: by[at], text }));
}

/** The step whose tree is nearest to where the chart was clicked. */
function nearest(place, { places }, leaves) {
  const far = leaves.map((one) => Math.abs(places(one) - place));
  return far.indexOf(Math.min(...far));
}
