const PAUSE_MS = 700;

/** The node that a key goes to from `at` among the drawn nodes (in pre-order), or null. */
export function goal(tree, drawn, at, key) {
  const place = drawn.indexOf(at);
  if (key === "ArrowDown") return drawn[place + 1] ?? null;
  if (key === "ArrowUp") return drawn[place - 1] ?? null;
  if (key === "Home") return drawn[0];
  if (key === "End") return drawn[drawn.length - 1];
  if (key === "ArrowLeft") return at === 0 ? null : tree.parent[at];
  if (key === "ArrowRight") return tree.parent[drawn[place + 1]] === at ? drawn[place + 1] : null;
  return null;
}

/** The next drawn node, after `at` and around, one of whose names begins with the text; the same letter again goes on to the next. */
export function typed(drawn, at, text, namesOf) {
  const isOneLetter = [...text].every((letter) => letter === text[0]);
  const wanted = isOneLetter ? text[0] : text;
  const from = drawn.indexOf(at) + (isOneLetter ? 1 : 0);
  for (let step = 0; step < drawn.length; step++) {
    const node = drawn[(from + step) % drawn.length];
    if (namesOf(node).some((name) => name.toLowerCase().startsWith(wanted))) return node;
  }
  return null;
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
