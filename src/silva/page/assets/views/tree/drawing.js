import { svg } from "../../base/dom.js";
import { LABEL_LINE } from "../../model/layout.js";
import { isolated } from "../parts.js";

const [SPLIT_CORNER, LEAF_CORNER] = [4, 9];
const MARGIN = 120;
/** Below this zoom, texts cannot be read: boxes are drawn as plain rectangles of the colour of their prediction. */
export const READABLE = 0.24;

/** The nodes and edges of an arrangement as SVG: in `nodes` a tree item with a box for each, for screen readers and focus; in `faces`,
 *  which screen readers pass over, what is inside a box, only while it is in the window. */
export class Drawing {
  constructor(edges, nodes, faces) {
    Object.assign(this, { edges, nodes, faces, parts: new Map(), lines: new Map() });
  }

  /** Draws an arrangement: `facts(node)` gives { card, isLeaf, isOpen, aria, tint }. Elements of nodes that stay are kept. */
  update(arranged, facts) {
    const places = arranged.boxes.filter((box) => !box.stub);
    const stubs = new Map(arranged.boxes.filter((box) => box.stub).map((box) => [box.node, box]));
    this.keep(new Set(places.map((box) => box.node)));
    for (const box of places) this.place(box, stubs.get(box.node) ?? null, facts(box.node));
    this.sort(places);
    this.drawEdges(arranged.edges);
  }

  /** Pre-order in the document too; elements that stay are not moved, which would take the focus from them. */
  sort(places) {
    let next = this.nodes.firstChild;
    for (const { node } of places) {
      const { element } = this.parts.get(node);
      if (element === next) next = next.nextSibling;
      else this.nodes.insertBefore(element, next);
    }
  }

  keep(drawn) {
    for (const [node, part] of this.parts) {
      if (drawn.has(node)) continue;
      part.element.remove();
      part.face?.remove();
      this.parts.delete(node);
    }
  }

  place(box, stub, facts) {
    let part = this.parts.get(box.node);
    if (!part) {
      part = makePart(box.node);
      this.parts.set(box.node, part);
    }
    const { element, outline, title } = part;
    part.face?.remove();
    Object.assign(part, { box, stub, facts, face: null });
    element.setAttribute("class", `node ${facts.isLeaf ? "leaf" : "split"}${facts.card.few ? " few" : ""}`);
    element.setAttribute("transform", `translate(${box.x} ${box.y})`);
    for (const [key, value] of Object.entries(facts.aria)) set(element, key, value);
    const corner = facts.isLeaf ? LEAF_CORNER : SPLIT_CORNER;
    for (const [key, value] of [["width", box.w], ["height", box.h], ["rx", corner]]) outline.setAttribute(key, value);
    title.textContent = facts.card.name;
    this.colour(part);
  }

  colour({ outline, facts }) {
    outline.setAttribute("class", `box fill-${facts.tint.name}`);
    outline.setAttribute("fill-opacity", facts.tint.strength.toFixed(2));
  }

  drawEdges(edges) {
    this.lines.clear();
    const drawn = edges.map((edge) => {
      const middle = (edge.y1 + edge.bend) / 2;
      const d = `M${edge.x1} ${edge.y1}C${edge.x1} ${middle} ${edge.x2} ${middle} ${edge.x2} ${edge.bend}V${edge.y2}`;
      const line = svg("path", { class: edge.stub ? "edge hidden" : "edge", "stroke-width": edge.width, d });
      if (!edge.stub) this.lines.set(edge.child, line);
      return line;
    });
    this.edges.replaceChildren(...drawn);
  }

  /** Fills the boxes that the window shows and empties the others. `shown` is { x, y, w, h } in the drawing's own pixels. */
  fill(shown, isReadable) {
    for (const part of this.parts.values()) {
      const isWanted = isReadable && touches(part, shown);
      if (isWanted && !part.face) this.faces.append((part.face = makeFace(part)));
      else if (!isWanted && part.face) {
        part.face.remove();
        part.face = null;
      }
    }
  }

  /** Sets a class on exactly the nodes for which `is(node)` holds; `lines` says whether their edges get it too. */
  mark(name, is, lines = false) {
    for (const [node, { element }] of this.parts) element.classList.toggle(name, is(node));
    if (lines) for (const [node, line] of this.lines) line.classList.toggle(name, is(node));
  }
}

function makePart(node) {
  const [outline, title] = [svg("rect", { class: "box" }), svg("title", null)];
  return { element: svg("g", { role: "treeitem", id: `node-${node}`, "data-node": node, tabindex: -1 }, title, outline), outline, title, face: null };
}

function set(element, key, value) {
  if (value === null) element.removeAttribute(key);
  else if (element.getAttribute(key) !== String(value)) element.setAttribute(key, value);
}

function touches({ box, stub }, shown) {
  const bottom = stub ? stub.y + stub.h : box.y + box.h;
  const isBeside = box.x + box.w < shown.x - MARGIN || box.x > shown.x + shown.w + MARGIN;
  return !isBeside && bottom > shown.y - MARGIN && box.y < shown.y + shown.h + MARGIN;
}

/** Stripe, bars and texts of a card, the label of its edge, and what opens or folds it. */
function makeFace({ box, stub, facts }) {
  const { card, isLeaf, stripe } = facts;
  const face = svg("g", { class: "face", "data-node": box.node, transform: `translate(${box.x} ${box.y})` });
  if (stripe) face.append(svg("rect", { class: `stripe fill-${stripe}`, x: 3, y: 6, width: 6, height: box.h - 12 }));
  for (const [x, y, width, height, colour, full] of card.rects) {
    face.append(svg("rect", { class: `fill-${colour}`, x, y, width, height }, full ? svg("title", { text: full }) : null));
  }
  for (const [x, y, text, style, full] of card.texts) face.append(line(x, y, text, style, full));
  const first = -7 - (card.label.length - 1) * LABEL_LINE;
  card.label.forEach((text, at) => face.append(line(box.w / 2, first + at * LABEL_LINE, text, "plain middle", facts.edge)));
  if (stub) face.append(pill(box, stub));
  else if (!isLeaf) face.append(foldMark(box));
  return face;
}

function line(x, y, text, style, full) {
  return svg("text", { class: style, x, y }, full ? svg("title", { text: full }) : null, isolated(text));
}

function pill(box, stub) {
  const [x, y] = [stub.x - box.x, stub.y - box.y];
  const outline = svg("rect", { class: "pill", x, y, width: stub.w, height: stub.h, rx: stub.h / 2 });
  return svg("g", { class: "toggle" }, svg("title", { text: "Open" }), outline, line(x + stub.w / 2, y + stub.h / 2 + 4, stub.text, "plain centred", ""));
}

function foldMark(box) {
  const [x, y] = [box.w / 2, box.h + 10];
  return svg("g", { class: "toggle" }, svg("title", { text: "Fold" }), svg("circle", { class: "pill", cx: x, cy: y, r: 8 }), svg("path", { class: "minus", d: `M${x - 4} ${y}H${x + 4}` }));
}
