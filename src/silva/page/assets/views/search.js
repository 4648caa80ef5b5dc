import { h, replace, setProps } from "../base/dom.js";
import { thousands } from "../model/numbers.js";
import { follow, sentence } from "./parts.js";
import { find, resultWords } from "./search/find.js";

const MOST = 50;
const PAUSE_MS = 90;

/** A search box with a list of results; found nodes are in the state as `found`, for the tree and the overview. */
export function mountSearch(element, app) {
  new Search(element, app);
}

class Search {
  constructor(element, app) {
    this.app = app;
    this.list = h("ul", { class: "results", id: "search-results", role: "listbox", "aria-label": "Found nodes" });
    this.summary = h("p", { class: "found-summary quiet", role: "status" });
    this.input = h("input", { type: "search", role: "combobox", autocomplete: "off", spellcheck: "false", dir: "auto", placeholder: "Column, category, class, node", "aria-label": "Search the tree", "aria-controls": "search-results", "aria-autocomplete": "list", on: this.listeners() });
    element.append(this.input, this.summary, this.list);
    element.addEventListener("focusout", (event) => element.contains(event.relatedTarget) || this.show(false));
    this.show(false);
    follow(app, ["query", "tree"], () => this.look());
  }

  listeners() {
    const input = () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        this.search();
        this.show(this.hits.length);
      }, PAUSE_MS);
    };
    return { input, keydown: (event) => this.pressed(event), focus: () => this.show(this.hits.length) };
  }

  search() {
    clearTimeout(this.timer);
    this.app.store.set({ query: this.input.value });
  }

  look() {
    const { app, input } = this;
    const query = app.store.get("query");
    if (input.value !== query) input.value = query;
    const { nodes, summary } = find(app.tree(), query);
    this.hits = nodes;
    this.summary.textContent = summary;
    const rest = nodes.length - MOST;
    const more = rest > 0 && h("li", { class: "quiet more", role: "option", "aria-disabled": "true" }, `and ${thousands(rest)} more, with fewer rows`);
    replace(this.list, nodes.slice(0, MOST).map((hit, at) => this.option(hit, at)), more);
    this.mark(-1);
    app.store.set({ found: nodes.length ? new Set(nodes.map(({ node }) => node)) : null });
  }

  /** The focus stays in the box when a result is pressed. */
  option(hit, at) {
    const [what, where] = resultWords(this.app.tree(), hit);
    const on = { pointerdown: (event) => event.preventDefault(), click: () => this.choose(at) };
    return h("li", { role: "option", id: `result-${at}`, on }, h("span", { class: "number-tag", text: hit.node }), h("span", { class: "what" }, sentence(what), sentence(where, "quiet")));
  }

  show(isOpen) {
    this.list.hidden = !isOpen;
    this.input.setAttribute("aria-expanded", !this.list.hidden);
  }

  pressed(event) {
    const { key } = event;
    const count = Math.min(MOST, this.hits.length);
    if (count && (key === "ArrowDown" || key === "ArrowUp")) {
      this.show(true);
      this.mark((key === "ArrowDown" ? this.at + 1 : Math.max(0, this.at) - 1 + count) % count);
    } else if (key === "Escape") {
      this.input.value = "";
      this.search();
      this.show(false);
    } else {
      if (key === "Enter") this.entered();
      return;
    }
    event.preventDefault();
  }

  /** The search runs at once, in case the text was typed just now. */
  entered() {
    this.search();
    if (this.hits.length) this.choose(Math.max(0, this.at));
  }

  mark(place) {
    this.at = place;
    const items = [...this.list.children];
    items.forEach((item, at) => item.setAttribute("aria-selected", at === place));
    setProps(this.input, { "aria-activedescendant": place < 0 ? null : `result-${place}` });
    items[place]?.scrollIntoView({ block: "nearest" });
  }

  choose(at) {
    this.at = at;
    this.show(false);
    this.app.reveal(this.hits[at].node);
  }
}
