import { button, h, name } from "../base/dom.js";
import { columnsOf } from "../model/conditions.js";
import { number, percent, thousands } from "../model/numbers.js";
import { barCell } from "./charts/bars.js";
import { table } from "./charts/frame.js";
import { follow, label, withheld } from "./parts.js";

const KINDS = { continuous: "number", ordinal: "ordered levels", categorical: "categories", binary: "yes or no" };
const TIMES = { datetime: "date", duration: "duration", time: "time of day" };
const POLICIES = {
  learn: "the branch that training found best",
  majority: "the larger branch",
  own_branch: "a branch of their own",
  stop: "stop at the question",
  error: "refused",
};

/** What each column holds, how much the model relies on it, what becomes of missing and unseen values. */
export const view = { id: "columns", title: "Columns", available: () => true, mount };

function mount(element, app) {
  const box = h("div");
  element.append(h("p", { class: "lead" }, lead(app.doc)), box);
  follow(app, ["tree"], () => box.replaceChildren(columnTable(app)));
}

function lead({ importances, columns }) {
  const how = importances?.method ? ` Importance: ${importances.method}.` : "";
  const note = importances?.note ? ` ${importances.note}` : "";
  return `${thousands(columns.length)} ${columns.length === 1 ? "column" : "columns"}, the most important first.${how}${note}`;
}

/** How often the splits of a tree ask about each column. */
export function timesAsked(tree) {
  const found = new Array(tree.doc.columns.length).fill(0);
  for (const split of tree.splits) if (split) for (const column of columnsOf(split)) found[column]++;
  return found;
}

/** The importance of each column by its number; null where the document has none. */
export function importanceOf(doc) {
  const found = doc.importances;
  if (!found?.values?.length) return null;
  const values = new Array(doc.columns.length).fill(null);
  found.columns.forEach((column, at) => (values[column] = found.values[at]));
  return values;
}

function columnTable(app) {
  const { doc } = app;
  const asked = timesAsked(app.tree());
  const values = importanceOf(doc);
  const order = doc.columns.map((_, at) => at).sort((one, other) => (values ? (values[other] ?? 0) - (values[one] ?? 0) : 0) || asked[other] - asked[one]);
  const most = Math.max(0, ...(values ?? []).map((one) => one ?? 0));
  const importance = (at) => (values ? [barCell([{ share: Math.max(0, values[at] ?? 0), colour: "target" }], most), values[at] === null ? "–" : number(values[at], 3)] : []);
  const rows = order.map((at) => [columnName(app, at), ...importance(at), asked[at] ? thousands(asked[at]) : "never", kind(doc.columns[at]), holds(doc, doc.columns[at]), missing(doc, doc.columns[at]), policies(doc.columns[at])]);
  const heads = ["column", ...(values ? ["importance", "#"] : []), "#asked", "kind", "values", "missing", "what becomes of other values"];
  return table("Columns of the model", heads, rows, { class: "column-table stack" });
}

function columnName(app, at) {
  const column = app.doc.columns[at];
  const search = () => app.store.set({ query: column.name, view: "tree" });
  return column.used ? button(label(column.name), search, { class: "link", title: "Find it in the tree" }) : label(column.name);
}

function kind(column) {
  return column.time ? TIMES[column.time.sort] ?? "time" : KINDS[column.kind];
}

function holds(doc, column) {
  if (!column.n_levels) return rangeWords(column) || (doc.min_cell ? "withheld" : "not known");
  const lone = column.lone_levels ? `, ${thousands(column.lone_levels)} of them in one row only` : "";
  const shown = column.levels?.slice(0, 5).map((one, at) => [at ? ", " : "", name(one.text)]);
  const rest = column.n_levels > 5 && shown ? ", …" : "";
  return [`${thousands(column.n_levels)} levels${lone}`, shown ? [": ", shown, rest] : null];
}

/** The lowest and highest value; six digits are enough for those that are not whole. */
function rangeWords({ facts, range, time }) {
  const ends = [facts?.low ?? null, facts?.high ?? null];
  const isLong = !time && ends.every((one) => one !== null) && !ends.every(Number.isInteger);
  return isLong ? [...new Set(ends.map((one) => number(one, 6)))].join(" to ") : range;
}

function missing(doc, column) {
  if (!column.facts) return "not known";
  if (column.facts.missing === null) return withheld(doc);
  const all = doc.about?.fitted_rows ?? doc.trees[0].rows[0];
  const share = all && column.facts.missing ? ` (${percent(Math.min(1, column.facts.missing / all))})` : "";
  return column.facts.missing ? `${thousands(column.facts.missing)} rows${share}`.replace(/^1 rows/, "1 row") : "none";
}

function policies(column) {
  const unseen = column.n_levels ? `; unseen: ${POLICIES[column.unseen]}` : "";
  return `missing: ${POLICIES[column.missing]}${unseen}`;
}
