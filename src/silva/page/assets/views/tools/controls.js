/** One control for each column: a slider with a box for numbers and times, a list for levels. */

import { h, name, replace, svg } from "../../base/dom.js";
import { isCoded } from "../../model/router.js";
import { readNumber } from "../../model/text.js";
import { readTime } from "../../model/time.js";
import { quantity } from "../../model/words.js";
import { lineUp, quiet } from "./parts.js";
import { limitsOf, scaleOf } from "./row.js";

/** { element, show(value) } of a column; `change` gets a number, a code, null or "unseen". */
export function makeControl(tree, number, change) {
  const column = tree.doc.columns[number];
  const { parts, show } = isCoded(column) ? levelControl(column, change) : numberControl(tree, number, column, change);
  const refused = ["missing", isCoded(column) ? "unseen" : ""].filter((one) => column[one] === "error").join(" or ");
  return { element: h("fieldset", { class: "control" }, h("legend", null, name(column.name || column.form)), parts, refused ? quiet(`The model refuses rows in which this is ${refused}.`) : null), show };
}

function levelControl(column, change) {
  const read = () => (box.value === "missing" ? null : box.value === "unseen" ? "unseen" : Number(box.value));
  const option = (value, text) => h("option", { value, disabled: column[value] === "error" }, text);
  const levels = column.levels.map((level, code) => option(code, level.text));
  const box = h("select", { "aria-label": column.name || column.form, on: { change: () => change(read()) } }, levels, option("missing", "(missing)"), option("unseen", "(another value, unseen in training)"));
  const show = (value) => {
    box.value = value ?? "missing";
    if (box.selectedIndex < 0) box.value = "unseen";
  };
  return { parts: lineUp(box), show };
}

function numberControl(tree, number, column, change) {
  const scale = scaleOf(tree, number);
  const written = (value) => (column.time === null ? value : quantity(column, value));
  const problem = h("p", { class: "problem", id: `problem-${number}`, role: "alert" });
  const box = h("input", { type: column.time === null ? "number" : "text", step: "any", autocomplete: "off", "aria-label": column.name || column.form, "aria-describedby": problem.id, on: { input: typed } });
  const slider = h("input", { type: "range", min: scale.low, max: scale.high, step: scale.step, "aria-label": `${column.name || column.form}, slider`, on: { input: slid } });
  const missing = h("input", { type: "checkbox", disabled: column.missing === "error", on: { change: () => (missing.checked ? change(null) : slid()) } });
  function slid() {
    change(Number(slider.value));
  }
  function typed() {
    const value = column.time === null ? readNumber(box.value) : readTime(box.value, column.time);
    const isRead = value !== null && !Number.isNaN(value);
    tell(isRead ? null : ["Type a ", column.time === null ? "number" : [column.time.sort, " such as ", quantity(column, scale.low)], "."]);
    if (isRead) change(value);
  }
  function tell(words) {
    box.setAttribute("aria-invalid", words !== null);
    replace(problem, words);
  }
  const show = (value) => {
    missing.checked = value === null;
    if (value === null) return;
    slider.value = value;
    if (document.activeElement === box) return;
    tell(null);
    box.value = written(value);
  };
  return { parts: [lineUp(box, h("div", { class: "slide" }, slider, marks(tree, number, column, scale)), h("label", null, missing, " missing")), problem], show };
}

/** Lines under the slider where the tree's thresholds lie; its ends keep half a thumb free. */
function marks(tree, number, column, { low, high }) {
  const inside = limitsOf(tree, number).filter((one) => one >= low && one <= high);
  const lines = inside.map((one) => {
    const x = `${(100 * (one - low)) / (high - low)}%`;
    return svg("line", { x1: x, x2: x, y2: 7 }, svg("title", { text: quantity(column, one) }));
  });
  return svg("svg", { "aria-hidden": "true" }, lines);
}
