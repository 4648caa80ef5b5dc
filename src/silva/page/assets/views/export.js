import { button, h, select } from "../base/dom.js";
import { copy, save, unpack } from "../base/download.js";
import { png, pngScale, standalone, svgText } from "./tools/picture.js";

const PARTS = [["drawn", "what is drawn now"], ["whole", "the whole tree"]];
const PAPERS = [["light", "light paper"], ["dark", "dark paper"]];
const LARGEST_WHOLE = 2000;
const SHOWN_LETTERS = 20000;

/** Pictures of the tree as files, and the texts that Python wrote into the page. */
export const view = { id: "export", title: "Export", available: () => true, mount };

function mount(element, app) {
  element.classList.add("tool");
  element.append(h("h2", { text: "Take it with you" }), pictures(app), texts(app), link(app));
}

function pictures(app) {
  const chosen = { part: "drawn", paper: "light" };
  const said = h("p", { class: "said", role: "status" });
  const run = (work) => () => withPicture(app, chosen, work).then((text) => (said.textContent = text), (error) => (said.textContent = `No picture: ${error.message}.`));
  const choices = [select("Part of the tree", PARTS, "drawn", (value) => (chosen.part = value)), select("Paper", PAPERS, "light", (value) => (chosen.paper = value))];
  const buttons = [button("Save SVG", run(saveSvg)), button("Save PNG", run(savePng)), button("Copy SVG", run(copySvg))];
  return h("section", { class: "sheet" }, h("h3", { text: "Picture" }), h("p", { class: "quiet", text: "The tree as the Tree tab draws it: its folding, pruning and colours." }), h("div", { class: "line-up" }, choices), h("div", { class: "line-up" }, buttons), said);
}

function saveSvg(picture) {
  save("tree.svg", "image/svg+xml", svgText(picture));
  return "tree.svg is saved.";
}

async function copySvg(picture) {
  return (await copy(svgText(picture))) ? "The SVG is copied as text." : "";
}

async function savePng(picture) {
  const [width, height] = ["width", "height"].map((name) => Number(picture.getAttribute(name)));
  const scale = pngScale(width, height);
  if (scale === null) throw new Error(`${width} x ${height} is too large for a PNG; save an SVG, or fold the tree first`);
  save("tree.png", "image/png", await png(picture, scale));
  const made = `${Math.round(width * scale)} x ${Math.round(height * scale)} pixels`;
  return scale < 2 ? `tree.png is saved with ${made}, the most that a browser draws; an SVG is sharp at any size.` : `tree.png is saved with ${made}.`;
}

/** Hands the picture of the tree view, which is shown for a moment, to `work`. */
async function withPicture(app, { part, paper }, work) {
  const { store } = app;
  const { view: shown, open, step } = store.all();
  const whole = part === "whole";
  if (whole && app.tree().n > LARGEST_WHOLE) throw new Error(`the whole tree has ${app.tree().n} nodes, and a picture is readable up to ${LARGEST_WHOLE}; open the part that you need`);
  store.set(whole ? { view: "tree", open: innerNodes(app.tree()), step: 0 } : { view: "tree" });
  const title = `${app.doc.title}: ${app.tree().json.text_title}`;
  let picture;
  try {
    picture = standalone(app.treePicture(), paper, title);
  } finally {
    store.set({ view: shown, open, step });
  }
  return work(picture);
}

function innerNodes(tree) {
  return new Set(Array.from({ length: tree.n }, (_, node) => node).filter((node) => !tree.isLeaf(node)));
}

function texts({ doc }) {
  const entries = doc.exports ?? [];
  if (entries.length === 0) return h("p", { class: "quiet", text: `No files are in this page: ${doc.min_cell ? "they would tell counts that it hides" : "they would be too large"}.` });
  const body = entries.map(textRow);
  const large = doc.about?.left_out ?? [];
  const note = large.length ? h("p", { class: "quiet", text: `Not in this page, to keep it small or private: ${large.join(", ")}. Python writes them.` }) : null;
  return h("section", { class: "sheet" }, h("h3", { text: "Texts and programs" }), h("ul", { class: "files" }, body), note);
}

function textRow(entry) {
  const shown = h("pre", { tabindex: 0, "aria-label": entry.file, hidden: true });
  const said = h("span", { class: "said", role: "status" });
  const show = button("Show", () => toggle(entry, shown, show), { "aria-expanded": "false" });
  const tools = [
    button("Save", async () => save(entry.file, entry.mime, await unpack(entry.gzip)), { "aria-label": `Save ${entry.name} as ${entry.file}` }),
    button("Copy", async () => (said.textContent = (await copy(await unpack(entry.gzip))) ? "copied" : ""), { "aria-label": `Copy ${entry.name}` }),
    show,
  ];
  return h("li", null, h("strong", { text: entry.name }), h("span", { class: "quiet file", text: entry.file }), h("span", { class: "line-up" }, tools, said), shown);
}

async function toggle(entry, shown, show) {
  if (!shown.textContent) {
    const text = await unpack(entry.gzip);
    shown.textContent = text.length > SHOWN_LETTERS ? `${text.slice(0, SHOWN_LETTERS)}\n... ${text.length - SHOWN_LETTERS} more characters: save the file` : text;
  }
  shown.hidden = !shown.hidden;
  show.textContent = shown.hidden ? "Show" : "Hide";
  show.setAttribute("aria-expanded", String(!shown.hidden));
}

function link({ views, doc }) {
  const said = h("span", { class: "said", role: "status" });
  let opens = "tree";
  const options = views.filter((one) => one.id !== "export" && one.available(doc) === true).map((one) => [one.id, one.title]);
  const choice = select("View that the link opens", options, opens, (value) => (opens = value));
  const run = async () => (said.textContent = (await copy(address(opens))) ? "The link is copied." : "");
  const words = isNameless() ? "Inside a notebook the page has no address; this copies the part after the page's name." : "The link opens this file as it is now: node, pruning, answers and values.";
  return h("section", { class: "sheet" }, h("h3", { text: "Link" }), h("p", { class: "quiet", text: words }), h("div", { class: "line-up" }, choice, button("Copy link to this view", run), said));
}

function isNameless() {
  return location.href.startsWith("about:");
}

function address(view) {
  const state = new URLSearchParams(location.hash.slice(1));
  state.set("view", view);
  return `${isNameless() ? "" : location.href.split("#")[0]}#${state}`;
}
