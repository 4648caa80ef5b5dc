const TEXTS = { Infinity, "-Infinity": -Infinity, NaN };

/** Floats that JSON cannot hold are texts in the document: "Infinity", "-Infinity", "NaN". */
export function decoded(value) {
  return typeof value === "string" ? TEXTS[value] : value;
}

/** The document with its trees as instances of PageTree. */
export function decodeDocument(json) {
  if (json.format !== "silva-page" || json.version !== 1) throw new Error(`this page cannot read ${json.format} ${json.version}`);
  const doc = { ...json };
  doc.trees = json.trees.map((tree, index) => new PageTree(doc, tree, index));
  return doc;
}

/** One tree: nodes are numbered in pre-order, so that a subtree is the slice from a node to its `end`.
 *  `leafNumber` says how many leaves are before a node. */
export class PageTree {
  constructor(doc, json, index) {
    const { nodes } = json;
    Object.assign(this, { doc, json, index, n: json.n_nodes, role: json.role, title: json.title, linear: json.linear });
    this.end = Int32Array.from(nodes.end);
    this.parent = Int32Array.from(nodes.parent);
    this.depth = Int32Array.from(nodes.depth);
    this.rows = nodes.rows;
    this.fold = nodes.fold ?? null;
    this.splits = nodes.split.map(decodeSplit);
    this.leafNumber = new Int32Array(this.n + 1);
    for (let node = 0; node < this.n; node++) this.leafNumber[node + 1] = this.leafNumber[node] + this.isLeaf(node);
  }

  get nClasses() {
    return this.doc.classes === null ? 0 : this.doc.classes.length;
  }

  isLeaf(node) {
    return this.end[node] === node + 1;
  }

  split(node) {
    return this.splits[node];
  }

  children(node) {
    const found = [];
    for (let child = node + 1; child < this.end[node]; child = this.end[child]) found.push(child);
    return found;
  }

  child(node, place) {
    let child = node + 1;
    for (let left = place; left > 0; left--) child = this.end[child];
    return child;
  }

  /** The nodes from the root to this one. */
  path(node) {
    const found = [];
    for (let at = node; at >= 0; at = this.parent[at]) found.push(at);
    return found.reverse();
  }

  /** The class code that the node's own rows predict. */
  code(node) {
    return this.json.nodes.code[node];
  }

  /** The probability of each class by the node's own rows; null where the page withholds them. */
  shares(node) {
    const pairs = this.json.nodes.shares[node];
    if (pairs === null) return null;
    const found = new Float64Array(this.nClasses);
    for (let at = 0; at < pairs.length; at += 2) found[pairs[at]] = pairs[at + 1];
    return found;
  }

  mean(node) {
    return decoded(this.json.nodes.mean[node]);
  }

  deviation(node) {
    return decoded(this.json.nodes.deviation[node]);
  }

  interval(node) {
    const pair = this.json.nodes.interval[node];
    return pair === null ? null : pair.map(decoded);
  }

  card(node) {
    return this.json.cards[node];
  }

  edge(node) {
    return this.json.nodes.edge[node];
  }
}

function decodeSplit(split) {
  if (split === null || split.threshold === undefined) return split;
  return { ...split, threshold: decoded(split.threshold) };
}
