const NUMBERS = ["tree", "node", "step", "target"];

/** The part of the state that a link keeps, as the text after "#". */
export function toHash(state, defaults) {
  const parts = new URLSearchParams();
  for (const key of Object.keys(defaults)) {
    if (state[key] === null || state[key] === defaults[key]) continue;
    const text = typeof state[key] === "object" ? JSON.stringify(state[key]) : String(state[key]);
    if (text.length <= 1500) parts.set(key, text);
  }
  return parts.toString();
}

/** The state that a link holds; what cannot be read is left out. */
export function fromHash(hash, defaults) {
  const state = {};
  for (const [key, text] of new URLSearchParams(hash.replace(/^#/, ""))) {
    if (!(key in defaults)) continue;
    const value = read(key, text);
    if (value !== undefined) state[key] = value;
  }
  return state;
}

function read(key, text) {
  if (NUMBERS.includes(key)) return /^\d+$/.test(text) ? Number(text) : undefined;
  if (!/^[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
