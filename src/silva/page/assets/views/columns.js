import { button, h, name, replace } from "../base/dom.js";
import { columnsOf } from "../model/conditions.js";
import { counted, number, percent, thousands } from "../model/numbers.js";
import { amount } from "./charts/bars.js";
import { table } from "./charts/frame.js";
import { POLICIES, follow, label, withheld } from "./parts.js";

const KINDS = { continuous: "number", ordinal: "ordered levels", categorical: "categories", binary: "yes or no", datetime: "date", duration: "duration", time: "time of day" };
const SHOWN_LEVELS = 5;

/** What each column holds, how much the model relies on it, what becomes of missing and unseen values. */
export const view = { id: "columns", title: "Columns", available: () => true, mount };

function mount(element, app) {
  const { importances, columns } = app.doc;
  const how = importances.method && ` Importance: ${importances.method}.`;
  const box = h("div");
  element.append(h("p", { class: "lead" }, `${counted(columns.length, "column")}, the most important first.${how} ${importances.note}`), box);
  follow(app, ["tree"], () => replace(box, columnTable(app)));
}

/** How often the splits of a tree ask about each column. */
function timesAsked(tree) {
  const found = tree.doc.columns.map(() => 0);
  for (const split of tree.splits) if (split) for (const column of columnsOf(split)) found[column]++;
  return found;
}

function columnTable(app) {
  const { columns, importances } = app.doc;
  const { values } = importances;
  const asked = timesAsked(app.tree());
  const rest = [...columns.keys()].filter((at) => !importances.columns.includes(at)).sort((one, other) => asked[other] - asked[one]);
  const rows = [...importances.columns, ...rest].map((at, place) => {
    const importance = place < values.length ? [amount(values[place], values[0]), number(values[place], 3)] : ["", "–"];
    const column = columns[at];
    return [columnName(app, column), ...(values.length ? importance : []), asked[at] ? thousands(asked[at]) : "never", KINDS[column.time?.sort ?? column.kind], holds(app.doc, column), missing(app.doc, column.facts), policies(column)];
  });
  const heads = ["column", ...(values.length ? ["importance", "#"] : []), "#asked", "kind", "values", "missing", "what becomes of other values"];
  return table("Columns of the model", heads, rows, "column-table stack");
}

function columnName(app, column) {
  const search = () => app.store.set({ query: column.name, view: "tree" });
  return column.used ? button(label(column.name), search, { class: "link", title: "Find it in the tree" }) : label(column.name);
}

function holds(doc, { n_levels: count, lone_levels: lone, levels, facts, range, time }) {
  if (!count) return rangeWords(facts, range, time) || (doc.min_cell ? "withheld" : "not known");
  const shown = levels?.slice(0, SHOWN_LEVELS).map((one, at) => [at ? ", " : ": ", name(one.text)]);
  return [`${thousands(count)} levels${lone ? `, ${thousands(lone)} of them in one row only` : ""}`, shown, shown && count > SHOWN_LEVELS && ", …"];
}

/** The lowest and highest value; six digits are enough for those that are not whole. */
function rangeWords(facts, range, time) {
  const ends = [facts?.low, facts?.high];
  const isLong = !time && ends.every(Number.isFinite) && !ends.every(Number.isInteger);
  return isLong ? [...new Set(ends.map((one) => number(one, 6)))].join(" to ") : range;
}

function missing(doc, facts) {
  if (!facts) return "not known";
  if (facts.missing === null) return withheld(doc);
  const all = doc.about.fitted_rows ?? doc.trees[0].rows[0];
  const share = all ? ` (${percent(Math.min(1, facts.missing / all))})` : "";
  return facts.missing ? counted(facts.missing, "row") + share : "none";
}

function policies(column) {
  return `missing: ${POLICIES[column.missing]}${column.n_levels ? `; unseen: ${POLICIES[column.unseen]}` : ""}`;
}
