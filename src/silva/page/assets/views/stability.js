import { h, name } from "../base/dom.js";
import { counted, number, percent, thousands } from "../model/numbers.js";
import { barCell } from "./charts/bars.js";
import { table } from "./charts/frame.js";

const MOST_LEVELS = 3;

/** The record of silva.stability: sizes, how far two trees are apart, cuts of the first levels, rows by disagreement. */
export function stabilityPart({ stability, model }) {
  const isClass = model.task === "classification";
  return [h("p", null, sentence(stability, isClass)), levels(stability), h("h4", null, "Rows by disagreement"), disagreement(stability, isClass)];
}

function sentence(found, isClass) {
  const apart = isClass ? `predict different classes for ${percent(found.answers_apart)} of the rows` : `have predictions ${number(found.answers_apart, 4)} apart (root mean square)`;
  return `${counted(found.samples, "tree")} were grown, each on ${counted(found.rows_kept, "row")} (${percent(found.share)} of all). They have ${range(found.leaves)} leaves and depth ${range(found.depths)}. Two of them ${apart}; their structure is ${number(found.structure_apart, 3)} apart (0: the same columns everywhere, 1: other roots).`;
}

function range(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return low === high ? thousands(low) : `${thousands(low)} to ${thousands(high)}`;
}

/** Which columns the trees ask about at the first levels, and their most frequent cut. */
function levels({ levels: found, samples }) {
  const rows = found.slice(0, MOST_LEVELS).flatMap((level, at) =>
    level.columns.slice(0, 4).map(([column, share], place) => [place ? "" : `Level ${at}`, name(column), barCell([{ share, colour: "target" }]), percent(Number(share.toFixed(6))), place || !level.cuts.length ? "" : [name(level.cuts[0][0]), ` (${percent(level.cuts[0][1] / samples)} of the trees)`]]),
  );
  return h("div", { class: "wide" }, table("Columns at the first levels", ["level", "column", "asked by", "#", "most frequent cut"], rows, { class: "bar-table" }));
}

function disagreement({ disagreement: found }, isClass) {
  const tell = isClass ? percent : (value) => number(value, 4);
  const step = (found.high || 1) / found.rows.length;
  const most = Math.max(1, ...found.rows.map((one) => one ?? 0));
  const rows = found.rows.map((count, at) => [`${tell(at * step)} to ${tell((at + 1) * step)}`, barCell([{ share: count ?? 0, colour: "target" }], most), count === null ? "withheld" : thousands(count)]);
  const what = isClass ? "Share of pairs of trees that predict different classes for a row" : "Mean difference of two trees' predictions for a row";
  return [h("p", { class: "quiet" }, `${what}.`), table(what, ["disagreement", "", "#rows"], rows, { class: "bar-table" })];
}
