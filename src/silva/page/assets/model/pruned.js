/** Whether the node is a leaf of the tree at this step of pruning; step 0 is the whole tree. */
export function isLeafAt(tree, node, step) {
  if (tree.isLeaf(node)) return true;
  const fold = tree.fold === null ? null : tree.fold[node];
  return fold !== null && fold !== undefined && fold <= step;
}

/** The nodes that are drawn, in pre-order: all their ancestors are open, and none is a leaf at this step. */
export function visibleNodes(tree, open, step = 0) {
  return walked(tree, (node) => open.has(node) && !isLeafAt(tree, node, step));
}

/** How many nodes of the tree at this step are below a node. */
export function countBelow(tree, node, step = 0) {
  if (isLeafAt(tree, node, step)) return 0;
  let count = 0;
  for (let at = node + 1; at < tree.end[node]; count++) at = isLeafAt(tree, at, step) ? tree.end[at] : at + 1;
  return count;
}

/** The open nodes that are still inner nodes of the tree at this step; all inner nodes if `open` is null. */
export function collapseTo(tree, open, step = 0) {
  const inner = walked(tree, (node) => !isLeafAt(tree, node, step)).filter((node) => !isLeafAt(tree, node, step));
  return new Set(open === null ? inner : inner.filter((node) => open.has(node)));
}

/** The inner nodes to open so that about so many nodes are drawn: those with the most rows first, of equals the lower number.
 *  The root is always open unless it is a leaf; a node whose children would be too many stays closed. */
export function firstOpen(tree, about = 60, step = 0) {
  const open = new Set();
  const closed = isLeafAt(tree, 0, step) ? [] : [0];
  let drawn = 1;
  while (closed.length && (drawn < about || drawn === 1)) {
    const node = takeLargest(tree, closed);
    const children = tree.children(node);
    if (node !== 0 && drawn + children.length > about) continue;
    open.add(node);
    drawn += children.length;
    for (const child of children) if (!isLeafAt(tree, child, step)) closed.push(child);
  }
  return open;
}

function takeLargest(tree, nodes) {
  let best = 0;
  for (let at = 1; at < nodes.length; at++) if (isBefore(tree, nodes[at], nodes[best])) best = at;
  const [node] = nodes.splice(best, 1);
  return node;
}

function isBefore(tree, one, other) {
  const more = (tree.rows[one] ?? 0) - (tree.rows[other] ?? 0);
  return more > 0 || (more === 0 && one < other);
}

function walked(tree, goesOn) {
  const found = [];
  for (let node = 0; node < tree.n; ) {
    found.push(node);
    node = goesOn(node) ? node + 1 : tree.end[node];
  }
  return found;
}
