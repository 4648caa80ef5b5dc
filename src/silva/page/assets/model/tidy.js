/** How much further apart nodes of different parents are than siblings. */
const COUSINS = 1.6;

/** The middle of each node of a tidy tree (Buchheim, Juenger and Leipert 2002), by number; the leftmost edge is at 0.
 *  Nodes are numbered in pre-order and `parent` is -1 for the root. The algorithm and the bits of silva.inspect.drawing.layout. */
export function tidy(parent, widths, gap) {
  const count = parent.length;
  const [prelim, mod, middle, change, shift, moved] = Array.from({ length: 6 }, () => new Float64Array(count));
  const [first, last, left, right, thread] = Array.from({ length: 5 }, () => new Int32Array(count).fill(-1));
  const number = new Int32Array(count);
  const ancestor = number.map((_, node) => node);

  function hang(node) {
    const above = parent[node];
    const sibling = last[above];
    last[above] = node;
    if (sibling < 0) {
      first[above] = node;
      return;
    }
    left[node] = sibling;
    right[sibling] = node;
    number[node] = number[sibling] + 1;
  }

  function placeChildren(node) {
    const eldest = first[node];
    let fallback = eldest;
    prelim[eldest] = middle[eldest];
    for (let child = right[eldest]; child >= 0; child = right[child]) {
      prelim[child] = prelim[left[child]] + distance(left[child], child);
      mod[child] = prelim[child] - middle[child];
      fallback = apportion(child, eldest, fallback);
    }
    executeShifts(last[node]);
    middle[node] = (prelim[eldest] + prelim[last[node]]) / 2;
  }

  /** Push the subtree of a node away from those on its left, level by level. */
  function apportion(node, eldest, fallback) {
    let outerRight = node;
    let outerLeft = eldest;
    let innerRight = nextLeft(node);
    let innerLeft = nextRight(left[node]);
    let sumIr = mod[node];
    let sumOr = mod[node];
    let sumIl = mod[left[node]];
    let sumOl = mod[eldest];
    while (innerLeft >= 0 && innerRight >= 0) {
      outerLeft = nextLeft(outerLeft);
      outerRight = nextRight(outerRight);
      ancestor[outerRight] = node;
      const apart = prelim[innerRight] + sumIr - prelim[innerLeft] - sumIl;
      const push = distance(innerLeft, innerRight) - apart;
      if (push > 0) {
        move(pushedBy(innerLeft, node, fallback), node, push);
        sumIr += push;
        sumOr += push;
      }
      sumIl += mod[innerLeft];
      sumIr += mod[innerRight];
      sumOl += mod[outerLeft];
      sumOr += mod[outerRight];
      innerLeft = nextRight(innerLeft);
      innerRight = nextLeft(innerRight);
    }
    if (innerLeft >= 0 && nextRight(outerRight) < 0) {
      thread[outerRight] = innerLeft;
      mod[outerRight] += sumIl - sumOr;
    }
    if (innerRight < 0 || nextLeft(outerLeft) >= 0) return fallback;
    thread[outerLeft] = innerRight;
    mod[outerLeft] += sumIr - sumOl;
    return node;
  }

  function distance(one, other) {
    return (widths[one] + widths[other]) / 2 + (parent[one] === parent[other] ? 1 : COUSINS) * gap;
  }

  function nextLeft(node) {
    return first[node] >= 0 ? first[node] : thread[node];
  }

  function nextRight(node) {
    return last[node] >= 0 ? last[node] : thread[node];
  }

  function pushedBy(inner, node, fallback) {
    const found = ancestor[inner];
    return parent[found] === parent[node] ? found : fallback;
  }

  function move(from, to, push) {
    const share = push / (number[to] - number[from]);
    change[to] -= share;
    shift[to] += push;
    change[from] += share;
    prelim[to] += push;
    mod[to] += push;
  }

  function executeShifts(youngest) {
    let by = 0;
    let more = 0;
    for (let child = youngest; child >= 0; child = left[child]) {
      prelim[child] += by;
      mod[child] += by;
      more += change[child];
      by += shift[child] + more;
    }
  }

  for (let node = 1; node < count; node++) hang(node);
  for (let node = count - 1; node >= 0; node--) if (first[node] >= 0) placeChildren(node);
  prelim[0] = middle[0];
  for (let node = 1; node < count; node++) moved[node] = moved[parent[node]] + mod[parent[node]];
  const places = prelim.map((one, node) => one + moved[node]);
  const edge = places.reduce((least, one, node) => Math.min(least, one - widths[node] / 2), Infinity);
  return places.map((one) => one - edge);
}
