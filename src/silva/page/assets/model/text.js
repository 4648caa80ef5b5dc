/** Text as Python treats it: quoting, stripping, case folding, numbers in text. */

import { repr } from "./numbers.js";

const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const OUTER_SPACE = new RegExp(`^[${SPACE}]+|[${SPACE}]+$`, "gu");
const ANY_SPACE = new RegExp(`[${SPACE}]+`, "gu");
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;
const ESCAPES = { "\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\" };
const FLOAT = /^[+-]?(?:(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?)$/;
const NO_FINITE = { inf: Infinity, infinity: Infinity, nan: NaN };
const LONGEST_SHOWN = 100;

/** Whether Python prints the text as it is. */
export function isPrintable(text) {
  return !UNPRINTABLE.test(text);
}

/** The text without white space at its ends. */
export function strip(text) {
  return text.replace(OUTER_SPACE, "");
}

/** The text for comparisons that ignore upper and lower case, as Python's `casefold`. */
export function casefold(text) {
  return Array.from(text, folded).join("");
}

function folded(letter) {
  if (letter === "\u0131" || /[\u13a0-\u13f5]/u.test(letter)) return letter;
  if (/[\u13f8-\u13fd\uab70-\uabbf]/u.test(letter)) return letter.toUpperCase();
  return letter.toLowerCase().toUpperCase().toLowerCase();
}

function escaped(letter, quote) {
  if (letter === quote) return `\\${quote}`;
  if (Object.hasOwn(ESCAPES, letter)) return ESCAPES[letter];
  if (isPrintable(letter)) return letter;
  const code = letter.codePointAt(0).toString(16);
  if (code.length <= 2) return `\\x${code.padStart(2, "0")}`;
  return code.length <= 4 ? `\\u${code.padStart(4, "0")}` : `\\U${code.padStart(8, "0")}`;
}

/** The text in quotes, as Python's `repr` writes it. */
export function quoted(text) {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  return quote + Array.from(text, (letter) => escaped(letter, quote)).join("") + quote;
}

/** An answer as messages repeat it: on one line, of a long text the beginning. */
export function shown(value) {
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : repr(value);
  if (typeof value !== "string") return { true: "True", false: "False" }[value] ?? String(value);
  const letters = Array.from(strip(quoted(value).replace(ANY_SPACE, " ")));
  if (letters.length <= LONGEST_SHOWN) return letters.join("");
  return `${letters.slice(0, LONGEST_SHOWN).join("")}...`;
}

/** Decimal digits of any script as 0 to 9. */
export function plainDigits(text) {
  return text.replace(/(?![0-9])\p{Nd}/gu, digit);
}

function digit(letter) {
  const code = letter.codePointAt(0);
  let first = code;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(first - 1))) first -= 1;
  return String((code - first) % 10);
}

/** The number that a text says, as Python's `float` reads it; null if it says none. */
export function readNumber(text) {
  const plain = plainDigits(strip(text));
  const word = plain.replace(/^[+-]/, "").toLowerCase();
  if (Object.hasOwn(NO_FINITE, word)) return plain[0] === "-" ? -NO_FINITE[word] : NO_FINITE[word];
  return FLOAT.test(plain) ? Number(plain.replaceAll("_", "")) : null;
}
