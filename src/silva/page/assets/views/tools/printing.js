import { h, name, replace } from "../../base/dom.js";
import { items, quiet } from "./parts.js";
import { treePicture } from "./picture.js";
import { printedSignOff } from "./signoff.js";

const WIDE = 800;

/** Makes paper of the page: title and tree before what is on the screen, notes and sign-off after it. */
export function mountPrinting(root, app) {
  const before = h("div", { class: "paper" });
  const after = h("div", { class: "paper sign-off-paper" });
  root.prepend(before);
  root.append(after);
  const fill = () => {
    const tree = treePicture(app, "light", null, app.store.get("node") > 0);
    const { width, height } = tree.viewBox.baseVal;
    before.classList.toggle("landscape", width > Math.max(WIDE, height));
    const { text_title: size, notes } = app.tree().json;
    replace(before, h("h1", null, name(app.doc.title)), quiet(size), h("figure", { class: "paper-tree" }, tree), items(notes));
    replace(after, printedSignOff(app));
  };
  window.addEventListener("beforeprint", fill);
  matchMedia("print").addEventListener("change", ({ matches }) => matches && fill());
}
