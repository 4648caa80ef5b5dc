/** Places numbers of a range between two ends; `log` for powers. */
export function scale(low, high, from, to, log = false) {
  const tell = log ? Math.log : (value) => value;
  const [first, last] = [tell(low), tell(high)];
  const length = last - first;
  return (value) => (length > 0 ? from + ((tell(value) - first) / length) * (to - from) : (from + to) / 2);
}

/** Round numbers within a range, about so many. */
export function ticks(low, high, count = 5) {
  const step = roundStep((high - low) / Math.max(1, count));
  if (!(step > 0) || !Number.isFinite(step)) return [low];
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: Math.min(50, Math.max(0, last - first + 1)) }, (_, at) => Number(((first + at) * step).toPrecision(12)));
}

function roundStep(length) {
  const power = 10 ** Math.floor(Math.log10(length));
  const part = length / power;
  return (part > 5 ? 10 : part > 2 ? 5 : part > 1 ? 2 : 1) * power;
}

/** 1, 2, 5, 10, 20, ... within a range; only powers of ten where that is enough. */
export function logTicks(low, high) {
  const found = [];
  for (let power = 10 ** Math.floor(Math.log10(low)); power <= high; power *= 10) {
    for (const part of [1, 2, 5]) if (part * power >= low && part * power <= high) found.push(part * power);
  }
  return found.length > 9 ? found.filter((one) => Number.isInteger(Math.log10(one))) : found;
}

/** Places of labels moved up so that none covers another; the order of the places is kept. */
export function apart(places, room, most) {
  const found = [...places];
  let limit = most;
  for (const at of [...places.keys()].sort((one, other) => places[other] - places[one])) limit = (found[at] = Math.min(found[at], limit)) - room;
  return found;
}
