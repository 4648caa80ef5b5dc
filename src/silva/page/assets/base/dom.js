const SVG = "http://www.w3.org/2000/svg";

/** An HTML element. Props: `class`, `text`, `on: {event: listener}`, and attributes (null and false are left out). */
export function h(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** An SVG element, with the same props. */
export function svg(tag, props, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (name === "text") element.textContent = value;
    else if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

/** Adds elements and texts; nested lists are flattened, null and false are skipped. */
export function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

/** Removes all children, then adds the given ones. */
export function replace(element, ...children) {
  element.replaceChildren();
  return append(element, children);
}

/** A button that does not submit. */
export function button(label, onClick, props) {
  return h("button", { type: "button", on: { click: onClick }, ...props }, label);
}

/** Text of unknown direction that does not disturb what is around it. */
export function name(text) {
  return h("bdi", { text });
}

/** A select box; options are [value, text] pairs. */
export function select(label, options, chosen, onChange) {
  const box = h("select", { "aria-label": label, on: { change: () => onChange(box.value) } });
  for (const [value, text] of options) box.append(h("option", { value, selected: String(value) === String(chosen) }, text));
  return box;
}
