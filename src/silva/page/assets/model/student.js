/** The 97.5% quantile of Student's distribution, to about the last bits of float64. */

const TAIL = 0.025;
const NORMAL_QUANTILE = 1.959963984540054;

/** The t that a variable with so many degrees of freedom exceeds with probability 2.5%: Halley's steps. */
export function studentQuantile(freedom) {
  if (freedom === 1) return 1 / Math.tan(Math.PI * TAIL);
  const scale = densityAtZero(freedom);
  let t = NORMAL_QUANTILE;
  for (let round = 0; round < 50; round++) {
    const density = scale * Math.exp((-(freedom + 1) / 2) * Math.log1p((t * t) / freedom));
    const error = (0.5 - t * density * bodySum(t, freedom) - TAIL) / density;
    const curve = (error * t * (freedom + 1)) / (2 * (freedom + t * t));
    t += error / (1 - Math.max(-0.5, Math.min(0.5, curve)));
    if (Math.abs(error) <= 4e-16 * t) break;
  }
  return t;
}

/**
 * The area from 0 to t, divided by t times the density at t: with y = t^2 / (freedom + t^2) it is
 * the sum over k of y^k times the product of (freedom + 2j - 1) / (2j + 1) for j = 1 to k.
 */
function bodySum(t, freedom) {
  const y = (t * t) / (freedom + t * t);
  let sum = 0;
  let part = 1;
  for (let k = 1; part > 1e-19 * sum; k++) {
    sum += part;
    part *= (y * (freedom + 2 * k - 1)) / (2 * k + 1);
  }
  return sum;
}

/** Gamma((n + 1) / 2) / (Gamma(n / 2) * sqrt(pi n)): its asymptotic series at a large n, and a product down to this one. */
function densityAtZero(freedom) {
  let n = freedom;
  let factor = 1;
  for (; n < 1000; n += 2) factor *= n / (n + 1);
  const series = 1 + (-1 / 4 + (1 / 32 + (5 / 128 - 21 / 2048 / n) / n) / n) / n;
  return factor * series * Math.sqrt(n / (2 * Math.PI * freedom));
}
