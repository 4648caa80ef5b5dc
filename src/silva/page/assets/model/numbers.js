/** Numbers as Python writes them: repr, rounding half to even, percentages, thousands. */

/** The digits of a positive finite number without the point, and the exponent of the first one. */
function parts(text) {
  const [digits, exponent] = text.split("e");
  return [digits.replace(".", ""), Number(exponent)];
}

/** Python's `repr` of a float: the shortest text that reads back as this number. */
export function repr(value) {
  const text = Object.is(value, -0) ? "-0" : number(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** The number rounded to so many significant digits; ties to even, as Python does. */
export function rounded(value, digits) {
  if (!Number.isFinite(value) || value === 0 || digits > 16) return value;
  const [exact, exponent] = parts(Math.abs(value).toExponential(100));
  const isTie = exact[digits] === "5" && /^0*$/.test(exact.slice(digits + 1));
  const isEven = "02468".includes(exact[digits - 1]);
  if (!isTie || !isEven) return Number(value.toExponential(digits - 1));
  const kept = Number(`${exact.slice(0, digits)}e${exponent - digits + 1}`);
  return value < 0 ? -kept : kept;
}

/** The shortest decimal of a number, whole numbers without `.0`; `digits` rounds it for reading. */
export function number(value, digits = null) {
  if (value === null) return "not shown";
  const shown = digits === null ? value : rounded(value, digits);
  if (!Number.isFinite(shown)) return String(shown).toLowerCase().slice(0, shown < 0 ? 4 : 3);
  const [size, exponent] = shown.toExponential().split("e");
  if (exponent >= -4 && exponent < 16) return String(shown + 0);
  return `${size}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
}

/** A share to a tenth of a percent, ties to even; 0% and 100% only where they are exact. */
export function percent(share) {
  if (share > 0 && share < 0.0005) return "<0.1%";
  if (share >= 0.9995 && share < 1) return ">99.9%";
  const isTie = (100 * share * 4) % 4 === 1;
  return `${(isTie ? 100 * share - 0.05 : 100 * share).toFixed(1).replace(".0", "")}%`;
}

/** A whole number with commas between thousands. */
export function thousands(count) {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Whole numbers in ascending order, each once. */
export function ascending(numbers) {
  return [...new Set(numbers)].sort((one, other) => one - other);
}

/** A number with its noun: 1 row, 2,000 rows. */
export function counted(count, noun, plural = `${noun}s`) {
  return `${thousands(count)} ${count === 1 ? noun : plural}`;
}
