import { asked, counted, prediction, rowsOf } from "../tree/words.js";

/** The nodes that a text finds: by number ("12", "#12", "node 12"), by column, category or class, and by words of conditions.
 *  Gives { nodes: [{ node, why }] with the most rows first, summary }; an empty text finds nothing. */
export function find(tree, query) {
  const wanted = query.trim().toLowerCase();
  if (!wanted) return { nodes: [], summary: "" };
  const hits = new Map();
  const groups = [byNumber(tree, wanted, hits), byColumn(tree, wanted, hits), byLevel(tree, wanted, hits), byClass(tree, wanted, hits), byWords(tree, wanted, hits)];
  const nodes = [...hits].map(([node, why]) => ({ node, why }));
  nodes.sort((one, other) => (other.why === "number") - (one.why === "number") || (tree.rows[other.node] ?? 0) - (tree.rows[one.node] ?? 0) || one.node - other.node);
  return { nodes, summary: groups.filter(Boolean).join("; ") || `nothing found for “${short(query.trim())}”` };
}

function byNumber(tree, wanted, hits) {
  const digits = /^(?:node\s*|#)?(\d+)$/.exec(wanted);
  const node = digits ? Number(digits[1]) : -1;
  if (!(node >= 0 && node < tree.n)) return "";
  hits.set(node, "number");
  return `node ${node}`;
}

function byColumn(tree, wanted, hits) {
  const names = new Set(tree.doc.columns.filter(({ name }) => name.toLowerCase().includes(wanted)).map(({ name }) => name));
  if (!names.size) return "";
  return told(hits, tree, "column", (node) => asked(tree, node).some((name) => names.has(name)), ["node asks", "nodes ask"], `about ${listed(names)}`);
}

function byLevel(tree, wanted, hits) {
  const codes = tree.doc.columns.map(({ levels }) => new Set(levels ? [...levels.keys()].filter((code) => levels[code].text.toLowerCase().includes(wanted)) : []));
  const texts = new Set(codes.flatMap((own, column) => [...own].map((code) => tree.doc.columns[column].levels[code].text)));
  if (!texts.size) return "";
  return told(hits, tree, "category", (node) => namesLevel(tree, node, codes), ["node asks", "nodes ask"], `for ${listed(texts)}`);
}

/** Whether a split names one of the levels (`codes` holds those that match, by column); of two levels, one names the other. */
function namesLevel(tree, node, codes) {
  const split = tree.split(node);
  if (!split?.codes) return false;
  const own = split.column === undefined ? null : codes[split.column];
  if (own) return own.size > 0 && (tree.doc.columns[split.column].levels.length === 2 || split.codes.flat().some((code) => own.has(code)));
  return split.columns.some((column, at) => codes[column].has(split.codes[at]));
}

function byClass(tree, wanted, hits) {
  const classes = tree.doc.classes ?? [];
  const codes = new Set([...classes.keys()].filter((code) => classes[code].text.toLowerCase().includes(wanted)));
  if (!codes.size) return "";
  return told(hits, tree, "class", (node) => tree.isLeaf(node) && codes.has(tree.code(node)), ["leaf predicts", "leaves predict"], listed([...codes].map((code) => classes[code].text)));
}

/** Conditions of which the parent was not found already. */
function byWords(tree, wanted, hits) {
  const before = new Set(hits.keys());
  const is = (node) => node > 0 && !before.has(tree.parent[node]) && tree.edge(node).toLowerCase().includes(wanted);
  return told(hits, tree, "condition", is, ["condition says", "conditions say"], `“${short(wanted)}”`);
}

function told(hits, tree, why, is, [one, many], rest) {
  let count = 0;
  for (let node = 0; node < tree.n; node++) {
    if (!is(node)) continue;
    count++;
    if (!hits.has(node)) hits.set(node, why);
  }
  return count ? `${counted(count, one, many)} ${rest}` : "";
}

function listed(names) {
  const all = [...names].map(short);
  return all.length <= 2 ? all.join(" or ") : `${all.slice(0, 2).join(", ")} or ${all.length - 2} more`;
}

function short(text) {
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}

/** One line on a found node for the list of results: [what it is, rows]. */
export function resultWords(tree, { node }) {
  const card = tree.card(node);
  const what = tree.isLeaf(node) ? `predicts ${prediction(tree, node)}` : card?.question || `asks about ${asked(tree, node).join(", ")}`;
  const edge = tree.edge(node);
  return [what, `${edge ? `${edge}, ` : ""}${rowsOf(tree, node)}`];
}
