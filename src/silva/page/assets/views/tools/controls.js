/** One control for each column: a slider with a box for numbers and times, a list for levels. */

import { h, name, replace, svg } from "../../base/dom.js";
import { isCoded } from "../../model/router.js";
import { readNumber } from "../../model/text.js";
import { readTime } from "../../model/time.js";
import { quantity } from "../../model/words.js";
import { limitsOf, scaleOf } from "./row.js";

/** { element, show(value) } of a column; `change` gets a number, a code, null or "unseen". */
export function makeControl(tree, number, change) {
  const column = tree.doc.columns[number];
  return isCoded(column) ? levelControl(column, change) : numberControl(tree, number, column, change);
}

function frame(column, ...parts) {
  return h("fieldset", { class: "control" }, h("legend", null, name(column.name)), parts);
}

function refusalWords(column) {
  const refused = ["missing", isCoded(column) ? "unseen" : null].filter((one) => one && column[one] === "error");
  return refused.length ? h("p", { class: "quiet", text: `The model refuses rows in which this is ${refused.join(" or ")}.` }) : null;
}

function levelControl(column, change) {
  const read = () => (box.value === "missing" ? null : box.value === "unseen" ? "unseen" : Number(box.value));
  const levels = column.levels.map((level, code) => h("option", { value: code }, level.text));
  const missing = h("option", { value: "missing", disabled: column.missing === "error" }, "(missing)");
  const unseen = h("option", { value: "unseen", disabled: column.unseen === "error" }, "(another value, unseen in training)");
  const box = h("select", { "aria-label": column.name, on: { change: () => change(read()) } }, levels, missing, unseen);
  const show = (value) => (box.value = value === null ? "missing" : Number.isInteger(value) && value >= 0 && value < column.levels.length ? String(value) : "unseen");
  return { element: frame(column, h("div", { class: "line-up" }, box), refusalWords(column)), show };
}

function numberControl(tree, number, column, change) {
  const scale = scaleOf(tree, number);
  const problem = h("p", { class: "problem", id: `problem-${number}`, role: "alert" });
  const box = h("input", { type: column.time === null ? "number" : "text", step: "any", autocomplete: "off", "aria-label": column.name, "aria-describedby": problem.id, on: { input: typed } });
  const slider = h("input", { type: "range", min: scale.low, max: scale.high, step: scale.step, "aria-label": `${column.name}, slider`, on: { input: slid } });
  const missing = h("input", { type: "checkbox", disabled: column.missing === "error", on: { change: () => (missing.checked ? change(null) : slid()) } });
  function slid() {
    const value = Number(slider.value);
    box.value = written(column, value);
    told(value);
  }
  function typed() {
    const value = column.time === null ? readNumber(box.value) : readTime(box.value, column.time);
    if (value === null || Number.isNaN(value)) refuse();
    else told(value, true);
  }
  function refuse() {
    box.setAttribute("aria-invalid", "true");
    replace(problem, column.time === null ? "Type a number." : ["Type a ", column.time.sort, " such as ", quantity(column, scale.low), "."]);
  }
  function told(value, fromBox) {
    replace(problem);
    box.removeAttribute("aria-invalid");
    if (fromBox) slider.value = value;
    missing.checked = false;
    change(value);
  }
  const show = (value) => {
    missing.checked = value === null;
    if (value === null || document.activeElement === box) return;
    replace(problem);
    box.value = written(column, value);
    slider.value = value;
  };
  const element = frame(column, h("div", { class: "line-up" }, box, h("div", { class: "slide" }, slider, marks(tree, number, scale)), h("label", null, missing, " missing")), problem, refusalWords(column));
  return { element, show };
}

function written(column, value) {
  return column.time === null ? String(value) : quantity(column, value);
}

/** Lines under the slider where the tree's thresholds lie; its ends keep half a thumb free. */
function marks(tree, number, { low, high }) {
  const inside = limitsOf(tree, number).filter((one) => one >= low && one <= high);
  const lines = inside.map((one) => {
    const x = `${(100 * (one - low)) / (high - low)}%`;
    return svg("line", { x1: x, x2: x, y1: 0, y2: 7 }, svg("title", { text: quantity(tree.doc.columns[number], one) }));
  });
  return svg("svg", { class: "marks", "aria-hidden": "true" }, lines);
}
