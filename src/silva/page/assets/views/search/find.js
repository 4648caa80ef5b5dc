import { counted } from "../../model/numbers.js";
import { asked, prediction, rowsOf } from "../tree/words.js";

const ASKS = ["node asks", "nodes ask"];

/** The nodes that a text finds: by number ("12", "#12", "node 12"), by column, category or class, and by words of conditions.
 *  Gives { nodes: [{ node, why }] with the most rows first, summary }; an empty text finds nothing. */
export function find(tree, query) {
  const text = query.trim();
  const wanted = text.toLowerCase();
  if (!wanted) return { nodes: [], summary: "" };
  const hits = new Map();
  const groups = [byNumber, byColumn, byLevel, byClass, byWords].map((by) => by(tree, (one) => one.toLowerCase().includes(wanted), hits, wanted));
  const nodes = [...hits].map(([node, why]) => ({ node, why }));
  nodes.sort((one, other) => (other.why === "number") - (one.why === "number") || tree.rows[other.node] - tree.rows[one.node] || one.node - other.node);
  return { nodes, summary: groups.filter(Boolean).join("; ") || `nothing found for “${short(text)}”` };
}

function byNumber(tree, matches, hits, wanted) {
  const node = Number(/^(?:node\s*|#)?(\d+)$/.exec(wanted)?.[1] ?? tree.n);
  if (node >= tree.n) return "";
  hits.set(node, "number");
  return `node ${node}`;
}

function byColumn(tree, matches, hits) {
  const names = tree.doc.columns.map(({ name }) => name).filter(matches);
  return told(hits, tree, "column", (node) => asked(tree, node).some((name) => names.includes(name)), ASKS, `about ${listed(names)}`);
}

function byLevel(tree, matches, hits) {
  const codes = tree.doc.columns.map(({ levels }) => matching(levels, matches));
  const texts = codes.flatMap((own, column) => own.map((code) => tree.doc.columns[column].levels[code].text));
  return told(hits, tree, "category", (node) => namesLevel(tree, tree.split(node), codes), ASKS, `for ${listed(texts)}`);
}

/** The codes of the levels or classes whose text matches. */
function matching(all, matches) {
  return [...(all ?? []).keys()].filter((code) => matches(all[code].text));
}

/** Whether a split names one of the levels (`codes` holds those that match, by column); of two levels, one names the other. */
function namesLevel(tree, split, codes) {
  if (!split?.codes) return false;
  if (split.columns) return split.columns.some((column, at) => codes[column].includes(split.codes[at]));
  const own = codes[split.column];
  return own.length > 0 && (tree.doc.columns[split.column].levels.length === 2 || split.codes.flat().some((code) => own.includes(code)));
}

function byClass(tree, matches, hits) {
  const codes = matching(tree.doc.classes, matches);
  return told(hits, tree, "class", (node) => tree.isLeaf(node) && codes.includes(tree.code(node)), ["leaf predicts", "leaves predict"], listed(codes.map((code) => tree.doc.classes[code].text)));
}

/** Conditions of which the parent was not found already. */
function byWords(tree, matches, hits, wanted) {
  const before = new Set(hits.keys());
  return told(hits, tree, "condition", (node) => !before.has(tree.parent[node]) && matches(tree.edge(node)), ["condition says", "conditions say"], `“${short(wanted)}”`);
}

function told(hits, tree, why, is, [one, many], rest) {
  let count = 0;
  for (let node = 0; node < tree.n; node++) {
    if (!is(node)) continue;
    count++;
    if (!hits.has(node)) hits.set(node, why);
  }
  return count && `${counted(count, one, many)} ${rest}`;
}

function listed(names) {
  const all = [...new Set(names)].map(short);
  return all.length <= 2 ? all.join(" or ") : `${all.slice(0, 2).join(", ")} or ${all.length - 2} more`;
}

function short(text) {
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}

/** One line on a found node for the list of results: [what it is, rows]. */
export function resultWords(tree, { node }) {
  const what = tree.isLeaf(node) ? `predicts ${prediction(tree, node)}` : tree.card(node)?.question || `asks about ${asked(tree, node).join(", ")}`;
  return [what, [tree.edge(node), rowsOf(tree, node)].filter(Boolean).join(", ")];
}
