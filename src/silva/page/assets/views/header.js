import { button, h, name, select } from "../base/dom.js";
import { follow } from "./parts.js";
import { mountSearch } from "./search.js";

const THEMES = [["auto", "as the system"], ["light", "light"], ["dark", "dark"]];

/** Title, size, choice of tree, search, theme and print. */
export function mountHeader(element, app) {
  const { doc, store } = app;
  const size = h("p", { class: "size" });
  const search = h("div", { class: "search", role: "search" });
  const trees = select("Tree", doc.trees.map(({ title }, index) => [index, title]), 0, (value) => store.set({ tree: Number(value), node: 0, step: 0, open: null }));
  const theme = select("Colours", THEMES, store.get("theme"), (value) => store.set({ theme: value }));
  const tools = h("div", { class: "tools" }, doc.trees.length > 1 && trees, theme, button("Print", () => window.print()));
  element.append(h("div", { class: "heading" }, h("h1", null, name(doc.title)), size), search, tools);
  mountSearch(search, app);
  follow(app, ["tree"], () => {
    size.textContent = app.tree().json.text_title;
    trees.value = store.get("tree");
  });
}
