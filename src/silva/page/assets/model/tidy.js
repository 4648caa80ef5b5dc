/** How much further apart nodes of different parents are than siblings. */
const COUSINS = 1.6;

/** The middle of each node of a tidy tree (Buchheim, Juenger and Leipert 2002), by number; the leftmost edge is at 0.
 *  Nodes are numbered in pre-order and `parent` is -1 for the root. The algorithm and the bits of silva.inspect.drawing.layout. */
export function tidy(parent, widths, gap) {
  return new Tidy(parent, widths, gap).places();
}

class Tidy {
  constructor(parent, widths, gap) {
    const count = parent.length;
    Object.assign(this, { parent, widths, gap });
    for (const name of ["prelim", "mod", "middle", "change", "shift"]) this[name] = new Float64Array(count);
    for (const name of ["first", "last", "left", "right", "thread"]) this[name] = new Int32Array(count).fill(-1);
    this.number = new Int32Array(count);
    this.ancestor = new Int32Array(count);
    for (let node = 0; node < count; node++) this.hang(node, parent[node]);
  }

  hang(node, above) {
    this.ancestor[node] = node;
    if (above < 0) return;
    const left = this.last[above];
    if (left < 0) {
      this.first[above] = node;
    } else {
      this.left[node] = left;
      this.right[left] = node;
      this.number[node] = this.number[left] + 1;
    }
    this.last[above] = node;
  }

  places() {
    for (let node = this.parent.length - 1; node >= 0; node--) if (this.first[node] >= 0) this.placeChildren(node);
    this.prelim[0] = this.middle[0];
    return this.absolute();
  }

  placeChildren(node) {
    const first = this.first[node];
    let fallback = first;
    this.prelim[first] = this.middle[first];
    for (let child = this.right[first]; child >= 0; child = this.right[child]) {
      const left = this.left[child];
      this.prelim[child] = this.prelim[left] + this.distance(left, child);
      this.mod[child] = this.prelim[child] - this.middle[child];
      fallback = this.apportion(child, left, first, fallback);
    }
    this.executeShifts(this.last[node]);
    this.middle[node] = (this.prelim[first] + this.prelim[this.last[node]]) / 2;
  }

  /** Push the subtree of a node away from those on its left, level by level. */
  apportion(node, left, first, fallback) {
    const { mod, prelim } = this;
    let outerRight = node;
    let outerLeft = first;
    let sumIr = mod[node];
    let sumOr = mod[node];
    let sumIl = mod[left];
    let sumOl = mod[first];
    let nextLeft = this.nextRight(left);
    let nextRight = this.nextLeft(node);
    while (nextLeft >= 0 && nextRight >= 0) {
      const innerLeft = nextLeft;
      const innerRight = nextRight;
      outerLeft = this.nextLeft(outerLeft);
      outerRight = this.nextRight(outerRight);
      this.ancestor[outerRight] = node;
      const apart = prelim[innerRight] + sumIr - prelim[innerLeft] - sumIl;
      const push = this.distance(innerLeft, innerRight) - apart;
      if (push > 0) {
        this.move(this.pushedBy(innerLeft, node, fallback), node, push);
        sumIr += push;
        sumOr += push;
      }
      sumIl += mod[innerLeft];
      sumIr += mod[innerRight];
      sumOl += mod[outerLeft];
      sumOr += mod[outerRight];
      nextLeft = this.nextRight(innerLeft);
      nextRight = this.nextLeft(innerRight);
    }
    if (nextLeft >= 0 && this.nextRight(outerRight) < 0) {
      this.thread[outerRight] = nextLeft;
      mod[outerRight] += sumIl - sumOr;
    }
    if (nextRight < 0 || this.nextLeft(outerLeft) >= 0) return fallback;
    this.thread[outerLeft] = nextRight;
    mod[outerLeft] += sumIr - sumOl;
    return node;
  }

  distance(left, right) {
    const apart = this.parent[left] === this.parent[right] ? 1 : COUSINS;
    return (this.widths[left] + this.widths[right]) / 2 + apart * this.gap;
  }

  nextLeft(node) {
    return this.first[node] >= 0 ? this.first[node] : this.thread[node];
  }

  nextRight(node) {
    return this.last[node] >= 0 ? this.last[node] : this.thread[node];
  }

  pushedBy(innerLeft, node, fallback) {
    const found = this.ancestor[innerLeft];
    return this.parent[found] === this.parent[node] ? found : fallback;
  }

  move(left, right, push) {
    const share = push / (this.number[right] - this.number[left]);
    this.change[right] -= share;
    this.shift[right] += push;
    this.change[left] += share;
    this.prelim[right] += push;
    this.mod[right] += push;
  }

  executeShifts(last) {
    let shift = 0;
    let change = 0;
    for (let child = last; child >= 0; child = this.left[child]) {
      this.prelim[child] += shift;
      this.mod[child] += shift;
      change += this.change[child];
      shift += this.shift[child] + change;
    }
  }

  absolute() {
    const count = this.parent.length;
    const moved = new Float64Array(count);
    const places = new Float64Array(count);
    let edge = Infinity;
    for (let node = 0; node < count; node++) {
      const above = this.parent[node];
      if (above >= 0) moved[node] = moved[above] + this.mod[above];
      places[node] = this.prelim[node] + moved[node];
      edge = Math.min(edge, places[node] - this.widths[node] / 2);
    }
    for (let node = 0; node < count; node++) places[node] -= edge;
    return places;
  }
}
