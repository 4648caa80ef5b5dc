import { button, h, name, select } from "../base/dom.js";
import { mountSearch } from "./search.js";

const THEMES = [["auto", "as the system"], ["light", "light"], ["dark", "dark"]];

/** Title, size, choice of tree, search, theme and print. */
export function mountHeader(element, app) {
  const { doc, store } = app;
  const size = h("p", { class: "size" });
  const show = () => (size.textContent = app.tree().json.text_title);
  store.subscribe(["tree"], show);
  show();
  const search = h("div", { class: "search", role: "search" });
  mountSearch(search, app);
  element.append(h("div", { class: "heading" }, h("h1", null, name(doc.title)), size), search, tools(app));
}

function tools(app) {
  const { doc, store } = app;
  const theme = select("Colours", THEMES, store.get("theme"), (value) => store.set({ theme: value }));
  return h("div", { class: "tools" }, doc.trees.length > 1 ? treeChoice(app) : null, theme, button("Print", () => window.print()));
}

function treeChoice({ doc, store }) {
  const options = doc.trees.map((tree, index) => [index, tree.title]);
  const choose = (value) => store.set({ tree: Number(value), node: 0, step: 0, open: null });
  const box = select("Tree", options, store.get("tree"), choose);
  store.subscribe(["tree"], () => (box.value = String(store.get("tree"))));
  return box;
}
