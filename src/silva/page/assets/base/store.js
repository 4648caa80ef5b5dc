/** A small store of state: `set` calls whoever subscribed to a key that changed, once. */
export function createStore(initial) {
  let state = { ...initial };
  const listeners = new Set();
  return {
    get: (key) => state[key],
    all: () => state,
    set(patch) {
      const changed = Object.keys(patch).filter((key) => !Object.is(state[key], patch[key]));
      if (changed.length === 0) return;
      state = { ...state, ...patch };
      for (const listener of [...listeners]) {
        if (listener.keys.some((key) => changed.includes(key))) listener.call(state, changed);
      }
    },
    subscribe(keys, call) {
      const listener = { keys, call };
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
