import { h, svg } from "../../base/dom.js";
import { block } from "./frame.js";

/** A bar over the whole width: parts are {share, colour, pattern, full}, shares of `most`. */
export function bar(parts, most = 1, props = null) {
  let from = 0;
  const drawn = parts.map(({ share, colour, pattern = 0, full }) => {
    const width = most > 0 ? (100 * share) / most : 0;
    const place = { x: `${from}%`, width: `${width}%`, height: "100%" };
    from += width;
    return width > 0 ? block(place, colour, pattern, full) : null;
  });
  const found = svg("svg", { class: "bar", width: "100%", height: 14, "aria-hidden": "true", ...props }, svg("rect", { class: "fill-track", width: "100%", height: "100%", rx: 2 }));
  found.append(...drawn.flat().filter(Boolean));
  return found;
}

/** The bar in the cell of a table. */
export function barCell(parts, most) {
  return h("div", { class: "bar-cell" }, bar(parts, most));
}
