import { button, h, replace, select } from "../base/dom.js";
import { percent, thousands } from "../model/numbers.js";
import { rulesOf } from "../model/rules.js";
import { cell, swatch } from "./charts/frame.js";
import { className, follow, patternOf, rowsWords, sentence, shareWords, short, shownEnd } from "./parts.js";

const PAGE = 100;
const told = new WeakMap();

/** The rules of the tree that is shown, one a leaf, sortable and linked to their nodes. */
export const view = { id: "rules", title: "Rules", available: () => true, mount };

/** Keys of rules and the heads over them: words first, then numbers. */
const WORDS = [["node", "node"], ["when", "if"], ["then", "then"]];
const NUMBERS = [["rows", "rows"], ["share", "precision"], ["lift", "lift"]];
const REGRESSION = [["rows", "rows"], ["mean", "mean"], ["deviation", "deviation"]];

function numbersOf(doc) {
  return doc.classes ? NUMBERS : REGRESSION;
}

function mount(element, app) {
  const state = { sort: "rows", order: "descending", code: "", text: "", rules: [] };
  const parts = { count: h("p", { class: "count", role: "status" }), body: h("tbody", { role: "rowgroup" }), more: h("div", { class: "buttons" }), heads: h("tr", { role: "row" }) };
  const draw = () => drawRules(app, state, parts);
  replace(element, h("div", { class: "rules-tools" }, filters(app, state, draw), parts.count), tableOf(parts), parts.more);
  follow(app, ["tree", "step", "view"], () => {
    const made = `${app.store.get("tree")} ${app.store.get("step")}`;
    if (state.made === made || app.store.get("view") !== "rules") return;
    Object.assign(state, { made, rules: rulesAt(app.tree(), app.store.get("step") ?? 0) });
    draw();
  });
  app.store.subscribe(["node"], () => mark(parts.body, app.store.get("node")));
}

function tableOf(parts) {
  return h("table", { class: "rules stack", role: "table" }, h("caption", { class: "spoken" }, "Rules of the tree"), h("thead", { role: "rowgroup" }, parts.heads), parts.body);
}

/** The rules of the tree at a step of pruning: folded nodes stand for the leaves below them. */
function rulesAt(tree, step) {
  const found = step > 0 && tree.index === 0 ? rulesOf(tree, (node) => shownEnd(tree, node, step)) : rulesOf(tree);
  if (!tree.json.stats && !tree.json.smoothing) for (const rule of found) fill(tree, rule);
  return found;
}

/** Figures that are told of a node although those of some leaves are withheld. */
function fill(tree, rule) {
  const { node } = rule;
  if (!tree.nClasses) return Object.assign(rule, { mean: tree.mean(node), deviation: tree.deviation(node) });
  const share = tree.shares(node)?.[tree.code(node)] ?? null;
  const base = tree.shares(0)?.[tree.code(node)] ?? null;
  return Object.assign(rule, { share, interval: tree.interval(node), lift: share === null || !base ? null : share / base });
}

function filters(app, state, draw) {
  const change = (patch) => {
    Object.assign(state, patch);
    draw();
  };
  const text = h("input", { type: "search", placeholder: "Filter by text", "aria-label": "Filter the rules by text", on: { input: () => change({ text: text.value.trim().toLowerCase() }) } });
  const { classes } = app.doc;
  const options = classes && [["", "every class"], ...classes.map((one, code) => [code, one.text])];
  return [text, options ? select("Filter by predicted class", options, "", (value) => change({ code: value })) : null];
}

function drawRules(app, state, parts) {
  const found = sorted(state.rules.filter((rule) => isWanted(app.tree(), rule, state)), state);
  replace(parts.heads, [...WORDS, ...numbersOf(app.doc)].map((column, at) => head(column, at >= WORDS.length, state, () => drawRules(app, state, parts))));
  replace(parts.body, found.slice(0, PAGE).map((rule) => row(app, rule)));
  const all = state.rules.length;
  replace(parts.count, found.length === all ? `${thousands(all)} ${all === 1 ? "rule" : "rules"}` : `${thousands(found.length)} of ${thousands(all)} rules`);
  drawMore(app, parts, found, PAGE);
}

/** Draws the next rules below those that are there. */
function drawMore(app, parts, found, from) {
  const rest = found.length - from;
  const more = () => {
    parts.body.append(...found.slice(from, from + PAGE).map((rule) => row(app, rule)));
    drawMore(app, parts, found, from + PAGE);
  };
  replace(parts.more, rest > 0 ? button(`Show ${Math.min(PAGE, rest)} more of ${thousands(rest)}`, more) : null);
  mark(parts.body, app.store.get("node"));
}

/** The conditions of a rule in words, made once. */
function whenOf(rule) {
  if (!told.has(rule)) told.set(rule, rule.when);
  return told.get(rule);
}

function isWanted(tree, rule, { code, text }) {
  if (code !== "" && tree.code(rule.node) !== Number(code)) return false;
  return !text || `${whenOf(rule)} ${rule.then}`.toLowerCase().includes(text);
}

function sorted(rules, { sort, order }) {
  const sign = order === "ascending" ? 1 : -1;
  const keyed = rules.map((rule) => [sort === "when" ? whenOf(rule) : rule[sort], rule]);
  const compare = (one, other) => (typeof one === "string" ? Number(one > other) - Number(one < other) : one - other);
  keyed.sort(([one], [other]) => (one === null ? (other === null ? 0 : 1) : other === null ? -1 : sign * compare(one, other)));
  return keyed.map(([, rule]) => rule);
}

function head([key, title], isNumber, state, draw) {
  const isSorted = state.sort === key;
  const turn = () => {
    state.order = isSorted ? (state.order === "ascending" ? "descending" : "ascending") : isNumber ? "descending" : "ascending";
    state.sort = key;
    draw();
    document.getElementById(`sort-${key}`)?.focus();
  };
  const sign = isSorted ? (state.order === "ascending" ? " ▲" : " ▼") : "";
  return h("th", { scope: "col", role: "columnheader", class: isNumber ? "number" : null, "aria-sort": isSorted ? state.order : "none" }, button([title, h("span", { "aria-hidden": "true" }, sign)], turn, { class: "sort", id: `sort-${key}` }));
}

function row(app, rule) {
  const { doc } = app;
  const pick = button(String(rule.node), () => pickRule(app, rule.node), { class: "link", "aria-label": `Rule of node ${rule.node}` });
  const show = button("Tree", () => app.reveal(rule.node), { class: "link", "aria-label": `Show node ${rule.node} in the tree` });
  const figures = doc.classes ? classFigures(rule) : [short(rule.mean, 6), short(rule.deviation, 4)];
  const heads = numbersOf(doc);
  const cells = [rowsWords(doc, rule.rows), ...figures].map((one, at) => cell(one, `#${heads[at][1]}`));
  const stops = rule.stops ? h("span", { class: "quiet" }, " (rows that stop at this question)") : null;
  const found = h("tr", { role: "row", "data-node": rule.node }, cell([pick, " ", show], "node", false, "places"), cell([h("span", { class: "clamp" }, sentence(whenOf(rule))), stops], "if", false, "when"), cell(prediction(app, rule), "then"), cells);
  found.addEventListener("click", (event) => event.target.closest("button") || app.select(rule.node));
  return found;
}

/** On narrow screens the details are below all rules: they come into view. */
function pickRule(app, node) {
  app.select(node);
  document.querySelector(".node-panel").scrollIntoView({ block: "nearest" });
}

function prediction(app, rule) {
  const { doc } = app;
  if (!doc.classes) return sentence(app.tree().linear ? rule.then : short(rule.mean, 6));
  const code = app.tree().code(rule.node);
  return h("span", { class: "class-name" }, swatch(doc.classes[code].colour, patternOf(doc, code)), className(doc, code));
}

function classFigures(rule) {
  const precision = rule.share === null ? "–" : h("span", { title: shareWords(rule.share, rule.interval) }, percent(rule.share));
  return [precision, short(rule.lift, 3)];
}

function mark(body, node) {
  for (const one of body.children) one.classList.toggle("chosen", Number(one.dataset.node) === node);
}
