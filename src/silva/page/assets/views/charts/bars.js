import { h, svg } from "../../base/dom.js";
import { block, lookOf } from "./frame.js";

/** A bar in the cell of a table: parts are {share, full} with the look of a class, shares of `most`. */
export function barCell(parts, most = 1) {
  let from = 0;
  const drawn = parts.map((part) => {
    const width = (100 * part.share) / (most || 1);
    from += width;
    return width > 0 && block({ x: `${from - width}%`, width: `${width}%`, height: "100%" }, part, part.full);
  });
  return h("div", { class: "bar-cell" }, svg("svg", { class: "bar", width: "100%", height: 14, "aria-hidden": "true" }, svg("rect", { class: "fill-track", width: "100%", height: "100%" }), drawn));
}

/** A bar of one part in the colour of numbers. */
export function amount(share, most) {
  return barCell([{ share, ...lookOf({}) }], most);
}
