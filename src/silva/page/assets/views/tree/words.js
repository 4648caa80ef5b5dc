import { number, percent, thousands } from "../../model/numbers.js";

/** A number with its noun: 1 row, 2,000 rows. */
export function counted(count, noun, plural = `${noun}s`) {
  return `${thousands(count)} ${count === 1 ? noun : plural}`;
}

/** A mean to a thousandth of the spread of all rows. */
export function rounded(tree, value) {
  if (value === null) return "not told";
  const spread = tree.deviation(0);
  if (!(spread > 0 && spread < Infinity && Math.abs(value) < 1e15)) return number(value);
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
  if (tree.nClasses) return tree.doc.classes[tree.code(node)].text;
  const mean = tree.mean(node);
  return mean === null ? "not shown" : rounded(tree, mean);
}

/** The names of the columns that a split asks about. */
export function asked(tree, node) {
  const split = tree.split(node);
  if (split === null) return [];
  const columns = split.column === undefined ? split.columns : [split.column];
  return [...new Set(columns)].map((column) => tree.doc.columns[column].name);
}

/** The node in one sentence, as its card says it, or made from its numbers. */
export function spoken(tree, node, isPruned = false) {
  const card = tree.card(node);
  if (card && !isPruned) return card.name;
  const below = tree.children(node).length;
  const told = [`Node ${node}`, tree.edge(node) || "all rows", rowsOf(tree, node), fact(tree, node)];
  if (isPruned) return [...told, "leaf at this pruning step"].join(", ");
  return [...told, below ? `asks about ${asked(tree, node).join(", ")}` : "leaf", below ? counted(below, "child", "children") : ""].filter(Boolean).join(", ");
}

function fact(tree, node) {
  if (!tree.nClasses) return `mean ${prediction(tree, node)}`;
  const shares = tree.shares(node);
  return shares === null ? `predicts ${prediction(tree, node)}` : `${percent(shares[tree.code(node)])} ${prediction(tree, node)}`;
}
