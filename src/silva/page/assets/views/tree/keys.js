const PAUSE_MS = 700;

/** The node that a key goes to from `at` among the drawn nodes (in pre-order), or null. */
export function goal(tree, drawn, at, key) {
  const place = drawn.indexOf(at);
  const next = drawn[place + 1];
  const goals = { ArrowDown: next, ArrowUp: drawn[place - 1], Home: drawn[0], End: drawn.at(-1), ArrowLeft: at ? tree.parent[at] : null, ArrowRight: tree.parent[next] === at ? next : null };
  return goals[key] ?? null;
}

/** The children of a node's parent. */
export function siblings(tree, node) {
  return node ? tree.children(tree.parent[node]) : [0];
}

/** The next drawn node, after `at` and around, one of whose names begins with the text; the same letter again goes on to the next. */
export function typed(drawn, at, text, namesOf) {
  const isOneLetter = [...text].every((letter) => letter === text[0]);
  const wanted = isOneLetter ? text[0] : text;
  const from = drawn.indexOf(at) + (isOneLetter ? 1 : 0);
  const around = [...drawn.slice(from), ...drawn.slice(0, from)];
  return around.find((node) => namesOf(node).some((name) => name.toLowerCase().startsWith(wanted))) ?? null;
}

/** Collects letters that are typed quickly after each other. */
export function createTyping(now = () => performance.now()) {
  let [text, last] = ["", -Infinity];
  return (letter) => {
    text = now() - last > PAUSE_MS ? letter : text + letter;
    last = now();
    return text.toLowerCase();
  };
}
