/** Pictures that stand alone: an SVG of the page with its computed styles written into it. */

const INHERITED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "font-family", "font-size", "font-weight", "font-style", "text-anchor", "fill-opacity", "stroke-opacity", "paint-order", "direction", "letter-spacing"];
const OWN = { opacity: "1", "dominant-baseline": "auto", "unicode-bidi": "normal" };
const KEPT = /^(?:x|y|x1|x2|y1|y2|cx|cy|r|rx|ry|dx|dy|d|points|width|height|transform|viewBox|preserveAspectRatio|href|id|clip-path|offset|patternUnits|gradientTransform|textLength|lengthAdjust)$/;
const FOLD_MARK = "g.toggle:has(circle)";
const SVG = "http://www.w3.org/2000/svg";
const MARGIN = 12;
const LARGEST_SIDE = 16000;
const LARGEST_AREA = 120e6;

/** A copy of an `<svg>` of the page that needs no style sheet; `theme` is "light" or "dark". The picture has to be displayed.
 *  Marks to fold with are left out, and the mark of the selected node unless `marked`. */
export function standalone(picture, theme, title, marked = false) {
  const unmark = marked ? [] : [...picture.querySelectorAll(".selected")];
  return inTheme(theme, unmark, () => {
    const copy = inlined(picture, null);
    frame(copy, picture);
    copy.prepend(titleOf(title), paper(copy));
    return copy;
  });
}

/** The text of an SVG file. */
export function svgText(copy) {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}

/** Runs `work` while the page has the colours of a theme and some elements are not marked as selected. */
function inTheme(theme, unmark, work) {
  const root = document.documentElement;
  const before = root.dataset.theme;
  root.dataset.theme = theme;
  for (const one of unmark) one.classList.remove("selected");
  try {
    return work();
  } finally {
    root.dataset.theme = before;
    for (const one of unmark) one.classList.add("selected");
  }
}

/** A copy of an element with what its style sheet says as attributes; what is not displayed is left out. */
function inlined(element, above) {
  const style = getComputedStyle(element);
  if (above !== null && (style.display === "none" || element.matches(FOLD_MARK))) return null;
  const copy = document.createElementNS(SVG, element.localName);
  for (const { name, value } of element.attributes) if (KEPT.test(name)) copy.setAttribute(name, value);
  for (const name of INHERITED) {
    const value = style.getPropertyValue(name);
    if (value && value !== above?.getPropertyValue(name)) copy.setAttribute(name, value);
  }
  for (const [name, usual] of Object.entries(OWN)) {
    const value = style.getPropertyValue(name);
    if (value && value !== usual) copy.setAttribute(name, value);
  }
  for (const child of element.childNodes) copyChild(copy, child, style);
  return copy;
}

function copyChild(copy, child, style) {
  if (child.nodeType === Node.TEXT_NODE) copy.append(child.data);
  else if (child.localName === "title") copy.append(titleOf(child.textContent));
  else if (child instanceof SVGElement) copy.append(...[inlined(child, style)].filter(Boolean));
}

/** The picture takes the size of what is drawn, without the zoom and pan of the page. */
function frame(copy, picture) {
  const moved = picture.querySelector(":scope > g[transform]");
  const box = (moved ?? picture).getBBox();
  copy.querySelector(":scope > g[transform]")?.removeAttribute("transform");
  const [x, y] = [box.x - MARGIN, box.y - MARGIN];
  const [width, height] = [box.width + 2 * MARGIN, box.height + 2 * MARGIN].map(Math.ceil);
  copy.setAttribute("viewBox", [x, y, width, height].join(" "));
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.removeAttribute("id");
}

function titleOf(text) {
  const title = document.createElementNS(SVG, "title");
  title.textContent = text;
  return title;
}

function paper(copy) {
  const [x, y, width, height] = copy.getAttribute("viewBox").split(" ");
  const sheet = document.createElementNS(SVG, "rect");
  const fill = getComputedStyle(document.body).backgroundColor;
  for (const [name, value] of Object.entries({ x, y, width, height, fill, stroke: "none" })) sheet.setAttribute(name, value);
  return sheet;
}

/** The scale of a PNG of this size: 2 if a browser can draw that, less if not, null if it would be unreadable. */
export function pngScale(width, height) {
  const scale = Math.min(2, LARGEST_SIDE / width, LARGEST_SIDE / height, Math.sqrt(LARGEST_AREA / (width * height)));
  return scale < 0.5 ? null : scale;
}

/** A PNG of a standalone SVG as a Blob. */
export async function png(copy, scale) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(copy))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(copy.getAttribute("width") * scale);
  canvas.height = Math.round(copy.getAttribute("height") * scale);
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob === null ? reject(new Error("the browser could not draw a picture of this size")) : resolve(blob)), "image/png"));
}
