import { button, h, replace } from "../base/dom.js";
import { counted, number, percent, repr } from "../model/numbers.js";
import { decoded } from "../model/tree.js";
import { asTable, figure } from "./charts/frame.js";
import { lineChart } from "./charts/lines.js";
import { copyButton } from "./details.js";
import { capital, follow } from "./parts.js";

const CURVES = [
  ["train", "training", "look-train"],
  ["validation", "validation", "look-validation"],
  ["cv", "cross-validated", "look-cv"],
];

/** The strip below the tree: a slider over the steps of pruning, with the errors of each. */
export function mountPrune(element, app) {
  const pruning = read(app.doc.pruning);
  element.classList.add("prune");
  if (!pruning?.alphas?.length) {
    if (pruning?.note) element.append(h("p", { class: "quiet" }, `No pruning slider: ${pruning.note}`));
    return;
  }
  const box = h("details", { open: window.innerWidth > 800 }, h("summary", null, "Prune: ", h("output", { class: "now-words" })), strip(app, pruning));
  element.append(box);
  follow(app, ["step", "tree"], () => show(element, app, pruning));
}

/** The section with its numbers decoded; errors beyond float64 have no curve. */
function read(section) {
  if (!section?.alphas) return section;
  const found = { ...section, alphas: section.alphas.map(decoded) };
  for (const [key] of CURVES) if (section[key]?.some((one) => !Number.isFinite(one))) found[key] = null;
  return found;
}

/** `19 leaves, depth 5, ccp_alpha 0.0021`. */
function stepWords(pruning, step) {
  const depth = pruning.depths ? `, depth ${pruning.depths[step]}` : "";
  return `${counted(pruning.leaves[step], "leaf").replace("leafs", "leaves")}${depth}, ccp_alpha ${number(pruning.alphas[step], 4)}`;
}

function show(element, app, pruning) {
  const step = app.store.get("step") ?? 0;
  const slider = element.querySelector("input[type=range]");
  element.hidden = app.store.get("tree") !== 0;
  slider.value = String(step);
  slider.setAttribute("aria-valuetext", stepWords(pruning, step));
  replace(element.querySelector(".now-words"), stepWords(pruning, step));
  replace(element.querySelector(".errors"), errorWords(pruning, step));
}

function isError(pruning) {
  return !pruning.measure.includes("squared");
}

function tellOf(pruning) {
  return isError(pruning) ? percent : (value) => number(value, 4);
}

/** The errors of a step in words; the band of cross-validation is one standard error. */
function errorWords(pruning, step) {
  const tell = tellOf(pruning);
  const told = curvesOf(pruning).map(([key, label]) => `${label} ${tell(pruning[key][step])}${key === "cv" && pruning.cv_spread ? ` ± ${tell(pruning.cv_spread[step])}` : ""}`);
  return told.length ? `${capital(pruning.measure)}: ${told.join(", ")}` : "";
}

function curvesOf(pruning) {
  return CURVES.filter(([key]) => pruning[key]);
}

function strip(app, pruning) {
  const last = pruning.alphas.length - 1;
  const slider = h("input", { type: "range", min: 0, max: last, step: 1, value: 0, "aria-label": "Pruning step", class: "steps", on: { input: () => app.store.set({ step: Number(slider.value) }) } });
  const controls = h(
    "div",
    { class: "prune-controls" },
    h("p", { class: "errors" }),
    h("div", { class: "ends", "aria-hidden": "true" }, h("span", null, "whole tree"), h("span", null, "root alone")),
    slider,
    h("div", { class: "buttons" }, jumps(app, pruning), copyButton(app, "Copy parameters", () => `ccp_alpha=${repr(pruning.alphas[app.store.get("step") ?? 0])}`)),
    pruning.note ? h("p", { class: "quiet" }, pruning.note) : null,
  );
  return h("div", { class: "prune-strip" }, controls, curvesOf(pruning).length ? chart(app, pruning) : null);
}

function jumps(app, pruning) {
  const jump = (step) => {
    app.store.set({ step });
    app.announce(stepWords(pruning, step));
  };
  const go = (label, step) => (step === null || step === undefined ? null : button(`${label} (${pruning.leaves[step]} leaves)`.replace("(1 leaves)", "(1 leaf)"), () => jump(step)));
  return [button("Whole tree", () => jump(0)), go("Least error", pruning.best), go("One standard error", pruning.one_se)];
}

function chart(app, pruning) {
  const box = h("div", { class: "prune-chart" });
  const draw = (width) => {
    const found = lineChart(curves(pruning, app.store.get("step") ?? 0), width, 190);
    found.addEventListener("click", (event) => pick(event, found, app, pruning));
    return found;
  };
  const drawn = figure(draw, asTable("Error by number of leaves", ["leaves", "#ccp_alpha", ...curvesOf(pruning).map((one) => `#${one[1]}`)], tableRows(pruning)));
  const room = drawn.querySelector(".chart-room");
  app.store.subscribe(["step"], () => room.clientWidth && replace(room, draw(Math.floor(room.clientWidth))));
  box.append(drawn);
  return box;
}

function tableRows(pruning) {
  const tell = tellOf(pruning);
  return pruning.alphas.map((alpha, step) => [String(pruning.leaves[step]), number(alpha, 4), ...curvesOf(pruning).map(([key]) => tell(pruning[key][step]))]);
}

function curves(pruning, step) {
  const found = curvesOf(pruning);
  const spread = pruning.cv_spread;
  const tops = found.flatMap(([key]) => pruning[key].map((value, at) => value + (key === "cv" && spread ? spread[at] : 0)));
  const lows = found.flatMap(([key]) => pruning[key].map((value, at) => value - (key === "cv" && spread ? spread[at] : 0)));
  const [least, top] = [Math.max(0, Math.min(...lows)), Math.max(...tops)];
  const tell = tellOf(pruning);
  const most = Math.max(...pruning.leaves);
  const log = !isError(pruning) && least > 0 && top > 15 * least;
  return {
    title: `${capital(pruning.measure)} by number of leaves`,
    description: `${found.map((one) => one[1]).join(", ")} ${pruning.measure} of ${pruning.leaves.length} trees from ${most} leaves to 1. The table below has the numbers.`,
    x: { values: pruning.leaves, label: "leaves", log: most > 30, reversed: true, whole: true, tell: String },
    y: { low: log ? least / 1.2 : Math.max(0, least - (top - least) * 0.1), high: top || 1, label: `${pruning.measure}${log ? " (log scale)" : ""}`, tell, log },
    series: found.map(([key, name, look]) => ({ name, look, values: pruning[key], spread: key === "cv" ? spread : null })),
    marks: marks(pruning),
    now: step,
  };
}

function marks(pruning) {
  const by = pruning.cv ?? pruning.validation;
  const { best, one_se: within } = pruning;
  if (!by || best === null) return [];
  const found = [{ at: best, value: by[best], text: best === within ? "least error, 1 SE" : "least error" }];
  if (within !== null && within !== best) found.push({ at: within, value: by[within], text: "1 SE" });
  return found;
}

/** The step whose tree is nearest to where the chart was clicked. */
function pick(event, found, app, pruning) {
  const place = found.getBoundingClientRect();
  const at = ((event.clientX - place.left) / place.width) * found.viewBox.baseVal.width;
  const across = found.places;
  let best = 0;
  for (let step = 1; step < pruning.leaves.length; step++) if (Math.abs(across(pruning.leaves[step]) - at) < Math.abs(across(pruning.leaves[best]) - at)) best = step;
  app.store.set({ step: best });
}
