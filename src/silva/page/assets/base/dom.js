const SVG = "http://www.w3.org/2000/svg";

/** An HTML element with these props and children. */
export function h(tag, props, ...children) {
  return append(setProps(document.createElement(tag), props), children);
}

/** An SVG element, with the same props. */
export function svg(tag, props, ...children) {
  return append(setProps(document.createElementNS(SVG, tag), props), children);
}

/** Sets props: `text`, `on: {event: listener}`, and attributes; null and false remove an attribute. */
export function setProps(element, props) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (name === "text") element.textContent = value;
    else if (name === "on") for (const one of Object.entries(value)) element.addEventListener(...one);
    else if (isNothing(value)) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : value);
  }
  return element;
}

function isNothing(value) {
  return (value ?? false) === false;
}

/** Adds elements and texts; nested lists are flattened, null and false are skipped. */
export function append(element, children) {
  element.append(...children.flat(Infinity).filter((child) => !isNothing(child)));
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
  const items = options.map(([value, text]) => h("option", { value, selected: String(value) === String(chosen) }, text));
  const box = h("select", { "aria-label": label, on: { change: () => onChange(box.value) } }, items);
  return box;
}
