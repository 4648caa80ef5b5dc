import { counted, number, percent } from "../../model/numbers.js";

/** A mean to a thousandth of the spread of all rows. */
export function rounded(tree, value) {
  const spread = tree.deviation(0);
  if (value === null || !(spread > 0 && spread < Infinity && Math.abs(value) < 1e15)) return number(value);
  const decimals = Math.min(20, Math.max(0, 3 - Math.floor(Math.log10(spread))));
  return number(Number(value.toFixed(decimals)));
}

/** The rows of a node in words; a page may withhold them. */
export function rowsOf(tree, node) {
  const rows = tree.rows[node];
  return rows === null ? "rows not told" : counted(rows, "row");
}

/** What a node predicts: the text of its class, or its mean. */
export function prediction(tree, node) {
  return tree.nClasses ? tree.doc.classes[tree.code(node)].text : rounded(tree, tree.mean(node));
}

/** The names of the columns that a split asks about. */
export function asked(tree, node) {
  const split = tree.split(node);
  if (split === null) return [];
  return [...new Set(split.columns ?? [split.column])].map((column) => tree.doc.columns[column].name);
}

/** The node in one sentence, as its card says it, or made from its numbers. */
export function spoken(tree, node, isPruned = false) {
  const card = tree.card(node);
  if (card && !isPruned) return card.name;
  const end = isPruned ? ["leaf at this pruning step"] : tree.isLeaf(node) ? ["leaf"] : [`asks about ${asked(tree, node).join(", ")}`, counted(tree.children(node).length, "child", "children")];
  return [`Node ${node}`, tree.edge(node) || "all rows", rowsOf(tree, node), fact(tree, node), ...end].join(", ");
}

function fact(tree, node) {
  const told = prediction(tree, node);
  if (!tree.nClasses) return `mean ${told}`;
  const share = tree.shares(node)?.[tree.code(node)];
  return share === undefined ? `predicts ${told}` : `${percent(share)} ${told}`;
}
