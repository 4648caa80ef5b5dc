/** Exact arithmetic on float64 with BigInt: quotients that are rounded once, neighbours, means. */

const view = new DataView(new ArrayBuffer(8));

function bitsOf(value) {
  view.setFloat64(0, value);
  return view.getBigInt64(0);
}

function ofBits(bits) {
  view.setBigInt64(0, bits);
  return view.getFloat64(0);
}

/** The next float64 above; infinity has none. */
export function nextUp(value) {
  if (value === Infinity) return value;
  if (value === 0) return Number.MIN_VALUE;
  return ofBits(bitsOf(value) + (value > 0 ? 1n : -1n));
}

/** The next float64 below; minus infinity has none. */
export function nextDown(value) {
  return -nextUp(-value);
}

/** A finite number as numerator and denominator (a power of two), both BigInt. */
export function fraction(value) {
  const bits = bitsOf(Math.abs(value));
  const exponent = Number(bits >> 52n);
  const mantissa = (bits & 0xfffffffffffffn) + (exponent ? 1n << 52n : 0n);
  const shift = BigInt(Math.max(exponent, 1) - 1075);
  const size = value < 0 ? -mantissa : mantissa;
  return shift >= 0n ? [size << shift, 1n] : [size, 1n << -shift];
}

/** The quotient of BigInt (the second above 0) as a whole number, ties to even. */
export function nearest(over, under) {
  const whole = floorDivide(over, under);
  const twice = 2n * (over - whole * under);
  return twice > under || (twice === under && whole & 1n) ? whole + 1n : whole;
}

/** The quotient of positive integers with 53 bits (fewer near 0), ties to even. */
function positiveRatio(over, under) {
  const [above, below] = [over, under].map((one) => one.toString(2).length);
  const shift = Math.max(above - below - 52, -1074);
  const up = over << BigInt(Math.max(-shift, 0));
  const down = under << BigInt(Math.max(shift, 0));
  return up < down << 52n && shift > -1074 ? scaled(Number(nearest(2n * up, down)), shift - 1) : scaled(Number(nearest(up, down)), shift);
}

/** size * 2**power; exact where the result is finite, as size has at most 53 bits. */
function scaled(size, power) {
  const half = Math.trunc(power / 2);
  return size * 2 ** half * 2 ** (power - half);
}

/** The quotient of two BigInt (the second above 0), rounded once to float64. */
export function ratio(over, under) {
  if (over === 0n) return 0;
  return over < 0n ? -positiveRatio(-over, under) : positiveRatio(over, under);
}

/** The largest float64 that is not above the quotient. */
export function floatBelow(over, under) {
  const nearest = ratio(over, under);
  const [top, bottom] = fraction(nearest);
  return top * under > over * bottom ? nextDown(nearest) : nearest;
}

/** The quotient of BigInt, rounded down. */
export function floorDivide(over, under) {
  const whole = over / under;
  return over % under < 0n ? whole - 1n : whole;
}

/** center + total * unit / weight, rounded once; at most the largest finite number. */
export function exactMean(total, weight, center, unit) {
  const [over, under] = fraction(center);
  const [up, down] = fraction(unit);
  const found = ratio(over * down * weight + total * up * under, under * down * weight);
  return Math.max(-Number.MAX_VALUE, Math.min(found, Number.MAX_VALUE));
}

/** The standard deviation of targets from their exact sums. */
export function exactDeviation(total, squares, weight, unit) {
  const spread = squares * weight - total * total;
  return Math.sqrt(spread > 0n ? ratio(spread, weight * weight) : 0) * unit;
}
