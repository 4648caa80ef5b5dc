import { setProps, svg } from "../../base/dom.js";
import { LABEL_LINE } from "../../model/layout.js";
import { isolated } from "../parts.js";

/** Below this zoom, texts cannot be read: boxes are drawn as plain rectangles of the colour of their prediction. */
export const READABLE = 0.24;

/** The nodes and edges of an arrangement as SVG, by layers: edges; a tree item with a box for each node, for screen readers and focus;
 *  and faces, which screen readers pass over: what is inside a box, only while it is in the window. */
export class Drawing {
  constructor(group) {
    const [edges, nodes, faces] = [true, null, true].map((isHidden) => svg("g", { "aria-hidden": isHidden && "true" }));
    Object.assign(this, { edges, nodes, faces, parts: new Map() });
    group.append(edges, nodes, faces);
  }

  /** Draws an arrangement: `facts(node)` gives { card, isLeaf, aria, tint, edge, stripe }. Elements of nodes that stay are kept. */
  update({ boxes, edges }, facts) {
    const places = boxes.filter((box) => !box.stub);
    const stubs = new Map(boxes.filter((box) => box.stub).map((box) => [box.node, box]));
    this.keep(new Set(places.map((box) => box.node)));
    for (const box of places) this.place(box, stubs.get(box.node), facts(box.node));
    this.sort(places);
    this.edges.replaceChildren(...edges.map((edge) => this.edge(edge)));
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
      part.face?.remove();
      part.face = null;
      if (drawn.has(node)) continue;
      part.element.remove();
      this.parts.delete(node);
    }
  }

  place(box, stub, facts) {
    const { node, x, y, w, h } = box;
    if (!this.parts.has(node)) this.parts.set(node, makePart(node));
    const part = this.parts.get(node);
    const { card, isLeaf, tint } = facts;
    Object.assign(part, { box, stub, facts, reach: { x, y, w, h: stub ? stub.y + stub.h - y : h } });
    setProps(part.element, { class: `node ${isLeaf ? "leaf" : "split"}${card.few ? " few" : ""}`, transform: `translate(${x} ${y})`, ...facts.aria });
    setProps(part.outline, { class: `box fill-${tint.name}`, "fill-opacity": tint.strength.toFixed(2), width: w, height: h, rx: isLeaf ? 9 : 4 });
    part.title.textContent = card.name;
  }

  edge({ x1, y1, x2, y2, bend, stub, child, width }) {
    const middle = (y1 + bend) / 2;
    const line = svg("path", { class: stub ? "edge hidden" : "edge", "stroke-width": width, d: `M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${bend}V${y2}` });
    if (!stub) this.parts.get(child).line = line;
    return line;
  }

  /** Fills the boxes for whose reach in the drawing `isWanted` holds, and empties the others. */
  fill(isWanted) {
    for (const part of this.parts.values()) {
      if (!isWanted(part.reach)) {
        part.face?.remove();
        part.face = null;
      } else if (!part.face) this.faces.append((part.face = makeFace(part)));
    }
  }

  /** Marks the selected node, the found ones and those on a path, and makes one of them the tab stop. */
  mark(selected, found, path, focus) {
    for (const [node, { element, line }] of this.parts) {
      element.classList.toggle("selected", node === selected);
      element.classList.toggle("found", !!found?.has(node));
      for (const one of [element, line]) one?.classList.toggle("on-path", path.has(node));
      setProps(element, { "aria-selected": `${node === selected}`, tabindex: node === focus ? 0 : -1 });
    }
  }
}

function makePart(node) {
  const [outline, title] = [svg("rect"), svg("title")];
  return { outline, title, element: svg("g", { role: "treeitem", id: `node-${node}`, "data-node": node }, title, outline) };
}

/** Stripe, bars and texts of a card, the label of its edge, and what opens or folds it. */
function makeFace({ box, stub, facts }) {
  const { card, isLeaf, stripe } = facts;
  const first = -7 - (card.label.length - 1) * LABEL_LINE;
  return svg(
    "g",
    { class: "face", "data-node": box.node, transform: `translate(${box.x} ${box.y})` },
    stripe ? rect(`stripe fill-${stripe}`, 3, 6, 6, box.h - 12) : null,
    card.rects.map(([x, y, width, height, colour, full]) => rect(`fill-${colour}`, x, y, width, height, full)),
    card.texts.map((one) => line(...one)),
    card.label.map((text, at) => line(box.w / 2, first + at * LABEL_LINE, text, "plain middle", facts.edge)),
    stub ? pill(box, stub) : isLeaf ? null : foldMark(box),
  );
}

function rect(look, x, y, width, height, full) {
  return svg("rect", { class: look, x, y, width, height }, titled(full));
}

function line(x, y, text, style, full) {
  return svg("text", { class: style, x, y }, titled(full), isolated(text));
}

function titled(text) {
  return text ? svg("title", { text }) : null;
}

function pill(box, { x: left, y: top, w, h, text }) {
  const [x, y] = [left - box.x, top - box.y];
  return svg("g", { class: "toggle" }, titled("Open"), svg("rect", { class: "pill", x, y, width: w, height: h, rx: h / 2 }), line(x + w / 2, y + h / 2 + 4, text, "plain centred"));
}

function foldMark({ w, h }) {
  const [x, y] = [w / 2, h + 10];
  return svg("g", { class: "toggle" }, titled("Fold"), svg("circle", { class: "pill", cx: x, cy: y, r: 8 }), svg("path", { class: "minus", d: `M${x - 4} ${y}H${x + 4}` }));
}
