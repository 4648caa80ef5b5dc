const NUMBERS = ["tree", "node", "step", "target"];

/** The part of the state that a link keeps, as the text after "#". */
export function toHash(state, defaults) {
  const parts = new URLSearchParams();
  for (const key of Object.keys(defaults)) {
    const value = state[key];
    const text = typeof value === "object" ? JSON.stringify(value) : String(value);
    if (value !== null && value !== defaults[key] && text.length <= 1500) parts.set(key, text);
  }
  return parts.toString();
}

/** The state that a link holds; what cannot be read is left out. */
export function fromHash(hash, defaults) {
  const found = [...new URLSearchParams(hash.slice(1))].filter(([key]) => key in defaults);
  return Object.fromEntries(found.map(([key, text]) => [key, read(key, text)]).filter(([, value]) => value !== undefined));
}

function read(key, text) {
  if (NUMBERS.includes(key)) return /^\d+$/.test(text) ? Number(text) : undefined;
  try {
    return /^[[{]/.test(text) ? JSON.parse(text) : text;
  } catch {
    return undefined;
  }
}
