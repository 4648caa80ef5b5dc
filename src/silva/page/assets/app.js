import { h, replace } from "./base/dom.js";
import { unpack } from "./base/download.js";
import { fromHash, toHash } from "./base/hash.js";
import { createStore } from "./base/store.js";
import { decodeDocument } from "./model/tree.js";
import { mountHeader } from "./views/header.js";
import { follow } from "./views/parts.js";
import { mountTabs } from "./views/tabs.js";
import { mountPrinting } from "./views/tools/printing.js";
import { view as about } from "./views/about.js";
import { view as ask } from "./views/ask.js";
import { view as columns } from "./views/columns.js";
import { view as exporting } from "./views/export.js";
import { view as forest } from "./views/forest.js";
import { view as overview } from "./views/overview.js";
import { view as quality } from "./views/quality.js";
import { view as rules } from "./views/rules.js";
import { view as surface } from "./views/surface.js";
import { view as treeView } from "./views/tree.js";
import { view as whatIf } from "./views/whatif.js";

const page = document.documentElement;
const VIEWS = [treeView, overview, rules, ask, whatIf, surface, quality, columns, forest, exporting, about];

/** What a link keeps, with the values that a link leaves out. */
const LINKED = { view: "tree", tree: 0, node: 0, step: 0, query: "", target: null, theme: "auto", row: null, answers: null, surface: null };

async function start() {
  const source = document.getElementById("silva-data");
  const text = source.dataset.encoding === "gzip" ? await unpack(source.textContent) : source.textContent;
  const doc = decodeDocument(JSON.parse(text));
  const { theme } = page.dataset;
  const store = createStore({ ...LINKED, open: null, theme, ...linked(doc) });
  const app = makeApp(doc, store);
  draw(app);
  keepInStep(app);
  page.dataset.ready = "true";
}

/** The state in the link, without numbers of trees, nodes and steps that do not exist. */
function linked(doc) {
  const found = fromHash(location.hash, LINKED);
  const isKnown = {
    tree: found.tree < doc.trees.length,
    node: found.node < (doc.trees[found.tree] ?? doc.trees[0]).n,
    step: found.step < doc.pruning?.alphas?.length,
    view: VIEWS.some((one) => one.id === found.view),
    theme: ["auto", "light", "dark"].includes(found.theme),
  };
  for (const key of Object.keys(isKnown)) if (!isKnown[key]) delete found[key];
  return found;
}

function makeApp(doc, store) {
  const live = h("div", { class: "spoken", role: "status", "aria-live": "polite" });
  return {
    doc,
    store,
    live,
    views: VIEWS,
    tree: () => doc.trees[store.get("tree")],
    announce: (text) => replace(live, text),
    select: (node) => store.set({ node }),
    /** Shows a node in the tree: the tree view opens what is above it. */
    reveal: (node) => store.set({ node, view: "tree", revealed: { node } }),
  };
}

function draw(app) {
  const root = document.getElementById("silva-page");
  const header = h("header", { class: "top" });
  const main = h("main", { id: "main", tabindex: -1 });
  /** The link keeps the page's state in the hash, so that this one moves the focus without changing it. */
  const skip = (event) => {
    event.preventDefault();
    main.focus();
  };
  replace(root, h("a", { class: "skip", href: "#main", on: { click: skip } }, "Skip to the content"), header, main, app.live);
  mountHeader(header, app);
  mountTabs(main, app);
  mountPrinting(root, app);
}

/** Keeps theme and link in step with the state, and the state with the system's theme and the link. */
function keepInStep(app) {
  const { doc, store } = app;
  follow(app, ["theme"], () => (page.dataset.theme = store.get("theme")));
  store.subscribe(Object.keys(LINKED), () => {
    try {
      history.replaceState(null, "", `#${toHash(store.all(), LINKED)}`);
    } catch {
      return;
    }
  });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", ({ matches }) => store.set({ scheme: matches }));
  window.addEventListener("hashchange", () => store.set({ ...LINKED, open: null, theme: store.get("theme"), ...linked(doc) }));
}

start();
