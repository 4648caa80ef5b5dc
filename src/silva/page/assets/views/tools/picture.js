/** Pictures that stand alone: the tree with its computed styles written into it. */

import { svg } from "../../base/dom.js";

const STYLES = "fill fill-opacity stroke stroke-width stroke-dasharray stroke-linejoin paint-order font-family font-size font-weight text-anchor direction unicode-bidi".split(" ");
const LEFT_OUT = /^(class|style|role|tabindex|aria|data|fill|stroke|direction)/;
const FOLD_MARK = "g.toggle:has(circle)";
const MARGIN = 12;

/** The picture of the tree view as an SVG that needs no style sheet; the view is shown for a moment, with `state`.
 *  Marks to fold with are left out, and the mark of the selected node unless `isMarked`. */
export function treePicture(app, theme, state, isMarked) {
  const { store } = app;
  const { view, open, step, theme: own } = store.all();
  store.set({ view: "tree", theme, ...state });
  const picture = app.treePicture();
  const marks = isMarked ? [] : [...picture.querySelectorAll(".selected")];
  for (const one of marks) one.classList.remove("selected");
  try {
    return standalone(picture, `${app.doc.title}: ${app.tree().json.text_title}`);
  } finally {
    for (const one of marks) one.classList.add("selected");
    store.set({ view, open, step, theme: own });
  }
}

/** The picture takes the size of what is drawn, without the zoom and pan of the page. */
function standalone(picture, title) {
  const copy = inlined(picture);
  const box = picture.querySelector("g").getBBox();
  const [width, height] = [box.width, box.height].map((one) => Math.ceil(one + 2 * MARGIN));
  const [x, y] = [box.x - MARGIN, box.y - MARGIN];
  copy.querySelector("g").removeAttribute("transform");
  copy.removeAttribute("id");
  for (const [name, value] of Object.entries({ width, height, viewBox: `${x} ${y} ${width} ${height}` })) copy.setAttribute(name, value);
  copy.prepend(svg("title", { text: title }), svg("rect", { x, y, width, height, fill: getComputedStyle(document.body).backgroundColor }));
  return copy;
}

/** A copy of an element with what its style sheet says as attributes; what is not displayed is left out. */
function inlined(element, above) {
  if (element.nodeType === Node.TEXT_NODE) return element.data;
  if (element.localName === "title") return svg("title", { text: element.textContent });
  const style = getComputedStyle(element);
  if (style.display === "none" || element.matches(FOLD_MARK)) return null;
  const kept = Array.from(element.attributes, ({ name, value }) => [name, value]).filter(([name]) => !LEFT_OUT.test(name));
  const styles = STYLES.map((name) => [name, style.getPropertyValue(name)]).filter(([name, value]) => value !== above?.getPropertyValue(name));
  return svg(element.localName, Object.fromEntries([...kept, ...styles]), Array.from(element.childNodes, (child) => inlined(child, style)));
}

/** The text of an SVG file. */
export function svgText(picture) {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(picture)}\n`;
}

/** A standalone SVG as a canvas of this size. */
export async function painted(picture, width, height) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svgText(picture))}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}
