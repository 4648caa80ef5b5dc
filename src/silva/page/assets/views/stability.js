import { h } from "../base/dom.js";
import { number, percent } from "../model/numbers.js";
import { amount } from "./charts/bars.js";
import { table, wide } from "./charts/frame.js";
import { countWords } from "./charts/histogram.js";
import { label, quiet, sentence } from "./parts.js";

/** The record of silva.stability: sizes, how far two trees are apart, cuts of the first levels, rows by disagreement. */
export function stabilityPart({ stability, classes }) {
  return [h("p", null, stability.summary), levels(stability), h("h4", null, "Rows by disagreement"), disagreement(stability.disagreement, classes)];
}

/** Which columns the trees ask about at the first levels, and their most frequent cut. */
function levels({ levels: found, samples }) {
  const rows = found.slice(0, 3).flatMap(({ columns, cuts: [cut] }, at) =>
    columns.slice(0, 4).map(([column, share], place) => [place ? "" : `Level ${at}`, label(column), amount(share), percent(Number(share.toFixed(6))), !place && cut && [sentence(cut[0]), ` (${percent(cut[1] / samples)} of the trees)`]]),
  );
  const title = "Columns at the first levels";
  return wide(title, table(title, ["level", "column", "asked by", "#", "most frequent cut"], rows, "bar-table"));
}

function disagreement({ high, rows: counts }, classes) {
  const tell = (value) => (classes ? percent(value) : number(value, 4));
  const step = (high || 1) / counts.length;
  const most = Math.max(1, ...counts);
  const rows = counts.map((count, at) => [`${tell(at * step)} to ${tell((at + 1) * step)}`, amount(count, most), countWords(count)]);
  const what = classes ? "Share of pairs of trees that predict different classes for a row" : "Mean difference of two trees' predictions for a row";
  return [quiet(what), table(what, ["disagreement", "", "#rows"], rows, "bar-table")];
}
