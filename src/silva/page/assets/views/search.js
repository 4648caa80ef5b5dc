import { h, replace } from "../base/dom.js";
import { thousands } from "../model/numbers.js";
import { sentence } from "./parts.js";
import { find, resultWords } from "./search/find.js";

const MOST = 50;
const PAUSE_MS = 90;

/** A search box with a list of results; found nodes are in the state as `found`, for the tree and the overview. */
export function mountSearch(element, app) {
  new Search(element, app);
}

class Search {
  constructor(element, app) {
    Object.assign(this, { app, hits: [], at: -1, timer: 0 });
    this.list = h("ul", { class: "results", id: "search-results", role: "listbox", "aria-label": "Found nodes", hidden: true });
    this.summary = h("p", { class: "found-summary quiet", role: "status" });
    this.input = h("input", { type: "search", role: "combobox", autocomplete: "off", spellcheck: "false", dir: "auto", placeholder: "Column, category, class, node", "aria-label": "Search the tree", "aria-expanded": "false", "aria-controls": "search-results", "aria-autocomplete": "list" });
    this.input.value = app.store.get("query") ?? "";
    element.append(this.input, this.summary, this.list);
    this.listen(element);
    this.look();
  }

  listen(element) {
    const { store } = this.app;
    this.input.addEventListener("input", () => this.typed());
    this.input.addEventListener("keydown", (event) => this.pressed(event));
    this.input.addEventListener("focus", () => this.show(this.hits.length > 0));
    element.addEventListener("focusout", (event) => !element.contains(event.relatedTarget) && this.show(false));
    store.subscribe(["query"], () => this.changed());
    store.subscribe(["tree"], () => this.look());
  }

  typed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.app.store.set({ query: this.input.value });
      this.show(this.hits.length > 0);
    }, PAUSE_MS);
  }

  changed() {
    const query = this.app.store.get("query");
    if (this.input.value !== query) this.input.value = query;
    this.look();
  }

  look() {
    const { nodes, summary } = find(this.app.tree(), this.app.store.get("query") ?? "");
    this.hits = nodes;
    this.at = -1;
    this.summary.textContent = summary;
    this.fill();
    this.app.store.set({ found: nodes.length ? new Set(nodes.map(({ node }) => node)) : null });
  }

  fill() {
    const tree = this.app.tree();
    const rows = this.hits.slice(0, MOST).map((hit, at) => {
      const [what, where] = resultWords(tree, hit);
      const choose = (event) => {
        event.preventDefault();
        this.choose(at);
      };
      return h("li", { role: "option", id: `result-${at}`, "aria-selected": "false", on: { pointerdown: (event) => event.preventDefault(), click: choose } }, h("span", { class: "number-tag", text: `${hit.node}` }), h("span", { class: "what" }, sentence(what), sentence(where, "quiet")));
    });
    const rest = this.hits.length - rows.length;
    const more = rest > 0 ? h("li", { class: "quiet more", role: "option", "aria-disabled": "true", "aria-selected": "false" }, `and ${thousands(rest)} more, with fewer rows`) : null;
    replace(this.list, rows, more);
    this.mark();
  }

  show(isOpen) {
    this.list.hidden = !isOpen;
    this.input.setAttribute("aria-expanded", String(isOpen));
  }

  pressed(event) {
    const count = Math.min(MOST, this.hits.length);
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move && count) {
      event.preventDefault();
      this.at = (this.at + move + (this.at < 0 && move < 0 ? 1 : 0) + count) % count;
      this.show(true);
      this.mark();
    } else if (event.key === "Enter") {
      this.entered();
    } else if (event.key === "Escape") {
      event.preventDefault();
      this.input.value = "";
      this.app.store.set({ query: "" });
      this.show(false);
    }
  }

  /** The search runs at once, in case the text was typed just now. */
  entered() {
    clearTimeout(this.timer);
    this.app.store.set({ query: this.input.value });
    if (this.hits.length) this.choose(Math.max(0, this.at));
  }

  mark() {
    [...this.list.children].forEach((item, at) => item.setAttribute("aria-selected", String(at === this.at)));
    if (this.at < 0) return this.input.removeAttribute("aria-activedescendant");
    this.input.setAttribute("aria-activedescendant", `result-${this.at}`);
    this.list.children[this.at].scrollIntoView({ block: "nearest" });
  }

  choose(at) {
    this.at = at;
    this.show(false);
    this.app.reveal(this.hits[at].node);
  }
}
