import { route } from "./router.js";
import { hasModel, leafAnswers, logisticShares } from "./linear.js";

/** What the tree predicts for a row of `bindRow`: { node, path, code, shares, value }.
 *  Classes have a code and shares (null where the page withholds them), numbers a value; the others are null. */
export function predictRow(tree, row) {
  const { node, path } = route(tree, row);
  return { node, path, ...predictionAt(tree, node, row) };
}

/** What a row that ends at this node is told: { code, shares, value }. */
export function predictionAt(tree, node, row) {
  const models = hasModel(tree, node);
  if (tree.nClasses === 0) return { code: null, shares: null, value: models ? leafAnswers(tree, node, row)[0] : tree.mean(node) };
  if (!models) return { code: tree.code(node), shares: tree.shares(node), value: null };
  const shares = logisticShares(leafAnswers(tree, node, row));
  return { code: likeliest(shares), shares, value: null };
}

function likeliest(shares) {
  let best = 0;
  for (let code = 1; code < shares.length; code++) if (shares[code] > shares[best]) best = code;
  return best;
}
