import { append, h, name, replace } from "../../base/dom.js";
import { standalone } from "./picture.js";
import { printedSignOff, startNotes } from "./signoff.js";

const WIDE = 800;

/** Makes paper of the page: title and tree before what is on the screen, notes and sign-off after it. */
export function mountPrinting(root, app) {
  startNotes(app.store);
  const before = h("div", { class: "paper" });
  const after = h("div", { class: "paper" });
  root.prepend(before);
  root.append(after);
  const prepare = () => fill(before, after, app);
  const theme = lightTheme();
  window.addEventListener("beforeprint", () => theme.light(prepare));
  window.addEventListener("afterprint", theme.back);
  matchMedia("print").addEventListener("change", ({ matches }) => (matches ? theme.light(prepare) : theme.back()));
}

/** Paper is white: the page has light colours while it is printed. */
function lightTheme() {
  const root = document.documentElement;
  let kept = null;
  return {
    light(then) {
      kept ??= root.dataset.theme;
      root.dataset.theme = "light";
      then();
    },
    back() {
      if (kept !== null) root.dataset.theme = kept;
      kept = null;
    },
  };
}

function fill(before, after, app) {
  const { title } = app.doc;
  const { text_title: size, notes } = app.tree().json;
  const tree = drawnTree(app);
  before.classList.toggle("landscape", tree.classList.contains("wide"));
  replace(before, h("h1", null, name(title)), h("p", { class: "quiet", text: size }), tree, h("ul", { class: "paper-notes" }, notes.map((text) => h("li", null, name(text)))));
  const sign = h("section", { class: "printed-sign-off" });
  printedSignOff(sign, app);
  replace(after, sign);
}

/** The tree as it is drawn, as wide as the paper; its view is shown for a moment if another one is open. */
function drawnTree(app) {
  const { doc, store } = app;
  const shown = store.get("view");
  if (shown !== "tree") store.set({ view: "tree" });
  try {
    const copy = standalone(app.treePicture(), "light", doc.title, store.get("node") > 0);
    const [width, height] = ["width", "height"].map((one) => Number(copy.getAttribute(one)));
    for (const one of ["width", "height"]) copy.removeAttribute(one);
    const figure = append(h("figure", { class: "paper-tree" }), [copy]);
    figure.style.maxWidth = `${width}px`;
    if (width > WIDE && width > height) figure.classList.add("wide");
    return figure;
  } finally {
    if (shown !== "tree") store.set({ view: shown });
  }
}
