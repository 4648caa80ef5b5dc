import { button, h, select } from "../base/dom.js";
import { copy, save, unpack } from "../base/download.js";
import { collapseTo } from "../model/pruned.js";
import { lineUp, quiet, sheet, status } from "./tools/parts.js";
import { painted, svgText, treePicture } from "./tools/picture.js";

const PARTS = [["drawn", "what is drawn now"], ["whole", "the whole tree"]];
const PAPERS = [["light", "light paper"], ["dark", "dark paper"]];
const LARGEST_WHOLE = 2000;
const LARGEST_SIDE = 16000;
const LARGEST_AREA = 120e6;
const SHOWN_LETTERS = 20000;

/** Pictures of the tree as files, and the texts that Python wrote into the page. */
export const view = { id: "export", title: "Export", available: () => true, mount };

function mount(element, app) {
  element.classList.add("tool");
  element.append(pictures(app), texts(app.doc), link(app));
}

function pictures(app) {
  const chosen = { part: "drawn", paper: "light" };
  const said = status();
  const run = (work) => async () => {
    try {
      said.textContent = await work(chosenPicture(app, chosen));
    } catch (error) {
      said.textContent = `No picture: ${error.message}.`;
    }
  };
  const choices = [select("Part of the tree", PARTS, "drawn", (value) => (chosen.part = value)), select("Paper", PAPERS, "light", (value) => (chosen.paper = value))];
  const buttons = [button("Save SVG", run(saveSvg)), button("Save PNG", run(savePng)), button("Copy SVG", run(copySvg))];
  return sheet("Picture", quiet("The tree as the Tree tab draws it: its folding, pruning and colours."), lineUp(choices), lineUp(buttons), said);
}

function chosenPicture(app, { part, paper }) {
  const tree = app.tree();
  if (part === "drawn") return treePicture(app, paper);
  if (tree.n > LARGEST_WHOLE) throw new Error(`the whole tree has ${tree.n} nodes, and a picture is readable up to ${LARGEST_WHOLE}; open the part that you need`);
  return treePicture(app, paper, { open: collapseTo(tree, null), step: 0 });
}

function saveSvg(picture) {
  save("tree.svg", "image/svg+xml", svgText(picture));
  return "tree.svg is saved.";
}

async function copySvg(picture) {
  return (await copy(svgText(picture))) ? "The SVG is copied as text." : "";
}

/** Twice the size of the SVG if a browser can draw that, less if not. */
async function savePng(picture) {
  const [width, height] = ["width", "height"].map((name) => picture.getAttribute(name));
  const scale = Math.min(2, LARGEST_SIDE / width, LARGEST_SIDE / height, Math.sqrt(LARGEST_AREA / (width * height)));
  const canvas = await painted(picture, width * scale, height * scale);
  const blob = scale < 0.5 ? null : await new Promise((resolve) => canvas.toBlob(resolve));
  if (blob === null) throw new Error(`${width} x ${height} is too large for a PNG; save an SVG, or fold the tree first`);
  save("tree.png", "image/png", blob);
  return `tree.png is saved with ${canvas.width} x ${canvas.height} pixels${scale < 2 ? ", the most that a browser draws; an SVG is sharp at any size" : ""}.`;
}

function texts({ exports, about, min_cell: fewest }) {
  if (!exports.length) return quiet(`No files are in this page: ${fewest ? "they would tell counts that it hides" : "they would be too large"}.`);
  const note = about.left_out.length ? quiet(`Not in this page, to keep it small or private: ${about.left_out.join(", ")}. Python writes them.`) : null;
  return sheet("Texts and programs", h("ul", { class: "files" }, exports.map(textRow)), note);
}

function textRow({ name, file, mime, gzip }) {
  const shown = h("pre", { tabindex: 0, "aria-label": file, hidden: true });
  const said = status();
  const tool = (label, work, props) => button(label, async () => work(await unpack(gzip)), props);
  const show = tool("Show", toggle, { "aria-expanded": "false" });
  function toggle(text) {
    const more = text.length - SHOWN_LETTERS;
    shown.textContent = more > 0 ? `${text.slice(0, SHOWN_LETTERS)}\n... ${more} more characters: save the file` : text;
    shown.hidden = !shown.hidden;
    show.textContent = shown.hidden ? "Show" : "Hide";
    show.setAttribute("aria-expanded", !shown.hidden);
  }
  const keep = tool("Save", (text) => save(file, mime, text), { "aria-label": `Save ${name} as ${file}` });
  const take = tool("Copy", async (text) => (said.textContent = (await copy(text)) ? "copied" : ""), { "aria-label": `Copy ${name}` });
  return h("li", null, h("strong", { text: name }), h("span", { class: "quiet file", text: file }), lineUp(keep, take, show, said), shown);
}

function link({ views, doc }) {
  const said = status();
  const options = views.filter((one) => one.id !== "export" && one.available(doc) === true).map((one) => [one.id, one.title]);
  const choice = select("View that the link opens", options, "tree", () => {});
  const [page] = location.href.split("#");
  const isNameless = page.startsWith("about:");
  const run = async () => {
    const state = new URLSearchParams(location.hash.slice(1));
    state.set("view", choice.value);
    said.textContent = (await copy(`${isNameless ? "" : page}#${state}`)) ? "The link is copied." : "";
  };
  const words = isNameless ? "Inside a notebook the page has no address; this copies the part after the page's name." : "The link opens this file as it is now: node, pruning, answers and values.";
  return sheet("Link", quiet(words), lineUp(choice, button("Copy link to this view", run), said));
}
