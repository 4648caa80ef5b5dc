/** Dates, durations and times of day, exact to the attosecond, as Python writes and reads them. */

import { floatBelow, floorDivide, fraction, nearest } from "./exact.js";
import { plainDigits, strip } from "./text.js";

const SECOND = 10n ** 18n;
const DAY = 86400n * SECOND;
const UNITS = { D: DAY, h: 3600n * SECOND, m: 60n * SECOND, s: SECOND, ms: 10n ** 15n, us: 10n ** 12n, ns: 10n ** 9n, ps: 10n ** 6n, fs: 1000n, as: 1n };
const CYCLE_YEARS = 400n;
const CYCLE_DAYS = 146097n;
const FIRST_DAY = 10957n;
const CLOCK = "(?<hours>[01]\\d|2[0-3]):(?<minutes>[0-5]\\d)(?::(?<seconds>[0-5]\\d)(?:\\.(?<rest>\\d{1,18}))?)?";
const ZONE = "\\s*(?<zone>UTC|Z|(?<sign>[+-])(?<ahead>[01]\\d|2[0-3]):(?<more>[0-5]\\d))?";
const FORMS = {
  datetime: form(`(?<year>-?\\d{4,30})-(?<month>\\d\\d)-(?<day>\\d\\d)(?:[ T]${CLOCK}${ZONE})?`),
  duration: form(`(?<minus>-\\(?)?(?<days>\\d{1,30}) days?(?: ${CLOCK})?(?<close>\\))?`),
  time: form(CLOCK),
};

/** A form of text in which \d is a digit of any script, as in Python. */
function form(text) {
  return new RegExp(`^${text.replaceAll("\\d", "\\p{Nd}")}$`, "u");
}

/** The parts of a text of this form with plain digits; undefined if it is none. */
function partsOf(text, sort) {
  const found = FORMS[sort].exec(text)?.groups;
  return found && Object.fromEntries(Object.entries(found).map(([name, part]) => [name, part && plainDigits(part)]));
}

/** The first value whose number is at least this, in whole attoseconds. */
function attoseconds(scale, value) {
  const [over, under] = fraction(value);
  return -floorDivide(-(over + BigInt(scale.origin) * under) * UNITS[scale.unit], under);
}

/** The largest float64 that is not above the number of this many attoseconds. */
function numberOf(scale, value) {
  const length = UNITS[scale.unit];
  return floatBelow(value - BigInt(scale.origin) * length, length);
}

/** The first time whose number is at least this: `2024-03-01 12:00`, `2 days 12:00`. */
export function written(scale, value) {
  return asText(attoseconds(scale, value), scale);
}

/** The time with the fewest digits that has this number. */
export function writtenRound(scale, value) {
  const exact = attoseconds(scale, value);
  for (const length of Object.values(UNITS)) {
    const near = nearest(exact, length) * length;
    if (numberOf(scale, near) === value) return asText(near, scale);
  }
  return asText(exact, scale);
}

function asText(value, scale) {
  if (scale.sort === "duration") return duration(value);
  if (scale.sort === "time") return clock(value);
  const days = floorDivide(value, DAY);
  const rest = value - days * DAY;
  if (scale.zone !== null) return `${date(days)} ${clock(rest)} ${scale.zone}`;
  return rest ? `${date(days)} ${clock(rest)}` : date(days);
}

function padded(value, length = 2) {
  return String(value).padStart(length, "0");
}

function clock(value) {
  const hours = floorDivide(value, UNITS.h);
  const within = value - hours * UNITS.h;
  const seconds = (within % UNITS.m) / SECOND;
  const rest = within % SECOND;
  const text = `${padded(hours)}:${padded(within / UNITS.m)}`;
  if (!seconds && !rest) return text;
  const part = rest ? `.${padded(rest, 18).replace(/0+$/, "")}` : "";
  return `${text}:${padded(seconds)}${part}`;
}

function duration(value) {
  const size = value < 0n ? -value : value;
  const days = size / DAY;
  const rest = size % DAY;
  const text = `${days} ${days === 1n ? "day" : "days"}${rest ? ` ${clock(rest)}` : ""}`;
  if (value >= 0n) return text;
  return rest ? `-(${text})` : `-${text}`;
}

/** Days since 1970 in the Gregorian calendar, of any year. */
function date(days) {
  const cycles = floorDivide(days - FIRST_DAY, CYCLE_DAYS);
  const found = new Date(Number(days - cycles * CYCLE_DAYS) * 86400000);
  const year = BigInt(found.getUTCFullYear()) + cycles * CYCLE_YEARS;
  const size = year < 0n ? `-${padded(-year, 4)}` : padded(year, 4);
  return `${size}-${padded(found.getUTCMonth() + 1)}-${padded(found.getUTCDate())}`;
}

/** Days since 1970 of a date; null if there is no such day. */
function daysOf(year, month, day) {
  const cycles = floorDivide(year - 2000n, CYCLE_YEARS);
  const found = new Date(Date.UTC(Number(year - cycles * CYCLE_YEARS), month - 1, day));
  if (found.getUTCMonth() !== month - 1 || found.getUTCDate() !== day) return null;
  return BigInt(found.getTime() / 86400000) + cycles * CYCLE_DAYS;
}

function ofClock(found) {
  const whole = BigInt(found.hours ?? 0) * UNITS.h + BigInt(found.minutes ?? 0) * UNITS.m;
  return whole + BigInt(found.seconds ?? 0) * SECOND + BigInt((found.rest ?? "0").padEnd(18, "0"));
}

/** The number of a time that a text says, as `written` writes it or in ISO form; null if none. */
export function readTime(text, scale) {
  const found = known(strip(text), scale.sort);
  return found === null || found[1] !== scale.zone ? null : numberOf(scale, found[0]);
}

/** Attoseconds and time zone. */
function known(text, sort) {
  const found = partsOf(text, sort);
  if (found === undefined) return null;
  if (sort === "datetime") return instant(found);
  const { minus, hours, close } = found;
  if ((minus === "-(") !== Boolean(close) || (minus === "-" && hours)) return null;
  const size = BigInt(found.days ?? 0) * DAY + ofClock(found);
  return [minus ? -size : size, null];
}

function instant(found) {
  const days = daysOf(BigInt(found.year), Number(found.month), Number(found.day));
  if (days === null) return null;
  const value = days * DAY + ofClock(found);
  if (found.zone === undefined) return [value, null];
  const ahead = BigInt(found.ahead ?? 0) * UNITS.h + BigInt(found.more ?? 0) * UNITS.m;
  return [found.sign === "-" ? value + ahead : value - ahead, "UTC"];
}
