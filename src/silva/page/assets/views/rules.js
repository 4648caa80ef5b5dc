import { button, h, replace, select } from "../base/dom.js";
import { counted, percent, thousands } from "../model/numbers.js";
import { rulesOf } from "../model/rules.js";
import { classMark, table } from "./charts/frame.js";
import { follow, rowsWords, sentence, shareWords, short, shownEnd } from "./parts.js";

const PAGE = 100;

/** The rules of the tree that is shown, one a leaf, sortable and linked to their nodes. */
export const view = { id: "rules", title: "Rules", available: () => true, mount };

/** Keys of rules and the heads over them. */
const CLASSES = { node: "node", when: "if", then: "then", rows: "#rows", share: "#precision", lift: "#lift" };
const NUMBERS = { node: "node", when: "if", then: "then", rows: "#rows", mean: "#mean", deviation: "#deviation" };

function mount(element, app) {
  const state = { sort: "rows", order: "descending", code: "", text: "", heads: app.doc.classes ? CLASSES : NUMBERS };
  const parts = { count: h("p", { class: "count", role: "status" }), table: h("div"), more: h("div", { class: "buttons" }) };
  const change = (patch) => draw(app, Object.assign(state, patch), parts, change);
  replace(element, h("div", { class: "rules-tools" }, filters(app, change), parts.count), parts.table, parts.more);
  parts.table.addEventListener("click", ({ target }) => {
    const chosen = target.closest("[data-node]");
    if (chosen && !target.closest("button")) app.select(Number(chosen.dataset.node));
  });
  follow(app, ["tree", "step", "view"], () => {
    const made = `${app.store.get("tree")} ${app.store.get("step")}`;
    if (state.made !== made && app.store.get("view") === "rules") change({ made, rules: rulesAt(app.tree(), app.store.get("step")) });
  });
  app.store.subscribe(["node"], () => mark(parts.table, app.store.get("node")));
}

/** The rules of the tree at a step of pruning: folded nodes stand for the leaves below them. */
function rulesAt(tree, step) {
  const found = rulesOf(tree, step > 0 ? (node) => shownEnd(tree, node, step) : undefined);
  if (!tree.json.stats && !tree.json.smoothing) for (const rule of found) fill(tree, rule);
  return found;
}

/** Figures that are told of a node although those of some leaves are withheld. */
function fill(tree, rule) {
  const { node } = rule;
  if (!tree.nClasses) return Object.assign(rule, { mean: tree.mean(node), deviation: tree.deviation(node) });
  const [share, base] = [node, 0].map((one) => tree.shares(one)?.[tree.code(node)] ?? null);
  return Object.assign(rule, { share, interval: tree.interval(node), lift: share === null || !base ? null : share / base });
}

function filters({ doc: { classes } }, change) {
  const text = h("input", { type: "search", placeholder: "Filter by text", "aria-label": "Filter the rules by text", on: { input: () => change({ text: text.value.trim().toLowerCase() }) } });
  return [text, classes && select("Filter by predicted class", [["", "every class"], ...classes.map((one, code) => [code, one.text])], "", (code) => change({ code }))];
}

function draw(app, state, parts, change) {
  const { rules } = state;
  const found = sorted(rules.filter((rule) => isWanted(app.tree(), rule, state)), state);
  replace(parts.count, `${found.length < rules.length ? `${thousands(found.length)} of ` : ""}${counted(rules.length, "rule")}`);
  const show = (most) => {
    const made = table("Rules of the tree", Object.values(state.heads), found.slice(0, most).map((rule) => row(app, rule)), "rules stack");
    Object.keys(state.heads).forEach((key, at) => sortable(made.tHead.rows[0].cells[at], key, state, change));
    [...made.tBodies[0].rows].forEach((one, at) => (one.dataset.node = found[at].node));
    const rest = found.length - most;
    replace(parts.table, made);
    replace(parts.more, rest > 0 && button(`Show ${Math.min(PAGE, rest)} more of ${thousands(rest)}`, () => show(most + PAGE)));
    mark(parts.table, app.store.get("node"));
  };
  show(PAGE);
}

function isWanted(tree, rule, { code, text }) {
  if (code !== "" && tree.code(rule.node) !== Number(code)) return false;
  return !text || `${rule.when} ${rule.then}`.toLowerCase().includes(text);
}

/** By a key of the rules; what is not known comes last. */
function sorted(rules, { sort, order }) {
  const sign = order === "ascending" ? 1 : -1;
  const keyed = rules.map((rule) => [rule[sort], rule]);
  keyed.sort(([one], [other]) => (one === null) - (other === null) || sign * ((one > other) - (one < other)));
  return keyed.map(([, rule]) => rule);
}

/** Makes the head of a column a button: the first click sorts numbers from the largest on. */
function sortable(cell, key, { sort, order, heads }, change) {
  const [usual, other] = heads[key][0] === "#" ? ["descending", "ascending"] : ["ascending", "descending"];
  const isSorted = sort === key;
  const turn = () => {
    change({ sort: key, order: isSorted && order === usual ? other : usual });
    document.getElementById(`sort-${key}`).focus();
  };
  cell.setAttribute("aria-sort", isSorted ? order : "none");
  replace(cell, button([cell.dataset.label, isSorted && h("span", { "aria-hidden": "true" }, order === "ascending" ? " ▲" : " ▼")], turn, { class: "sort", id: `sort-${key}` }));
}

function row(app, rule) {
  const { node, rows, share, interval, lift, mean, deviation } = rule;
  const { doc } = app;
  const link = (words, name, act) => button(words, act, { class: "link", "aria-label": name });
  const places = h("span", { class: "places" }, link(node, `Rule of node ${node}`, () => pickRule(app, node)), " ", link("Tree", `Show node ${node} in the tree`, () => app.reveal(node)));
  const when = h("span", { class: "when" }, sentence(rule.when), rule.stops && h("span", { class: "quiet" }, " (rows that stop at this question)"));
  const precision = share === null ? "–" : h("span", { title: shareWords(share, interval) }, percent(share));
  const then = doc.classes ? classMark(doc, app.tree().code(node)) : sentence(app.tree().linear ? rule.then : short(mean, 6));
  return [places, when, then, rowsWords(doc, rows), ...(doc.classes ? [precision, short(lift, 3)] : [short(mean, 6), short(deviation)])];
}

/** On narrow screens the details are below all rules: they come into view. */
function pickRule(app, node) {
  app.select(node);
  document.querySelector(".node-panel").scrollIntoView({ block: "nearest" });
}

function mark(box, node) {
  for (const one of box.querySelectorAll("[data-node]")) one.classList.toggle("chosen", Number(one.dataset.node) === node);
}
