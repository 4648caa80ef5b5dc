/** The 97.5% quantile of Student's distribution, to about the last bits of float64. */

const TAIL = 0.025;

/** The t that a variable with so many degrees of freedom exceeds with probability 2.5%. */
export function studentQuantile(freedom) {
  if (freedom === 1) return 1 / Math.tan(Math.PI * TAIL);
  if (freedom === 2) return (1 - 2 * TAIL) / Math.sqrt(2 * TAIL * (1 - TAIL));
  let t = start(freedom);
  for (let round = 0; round < 50; round++) {
    const [area, density] = upper(t, freedom);
    const error = (area - TAIL) / density;
    const next = t + error / (1 - Math.max(-0.5, Math.min(0.5, (error * t * (freedom + 1)) / (2 * (freedom + t * t)))));
    if (Math.abs(next - t) <= 4e-16 * t) return next;
    t = next;
  }
  return t;
}

/** Cornish and Fisher's first terms from the normal quantile. */
function start(freedom) {
  const z = 1.959963984540054;
  return z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2);
}

/** The probability above t > 0 and the density at t. */
function upper(t, freedom) {
  const density = scale(freedom) * Math.exp((-(freedom + 1) / 2) * Math.log1p((t * t) / freedom));
  return [0.5 - t * density * bodySum(t, freedom), density];
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

/** Gamma((n + 1) / 2) / (Gamma(n / 2) * sqrt(pi n)): a product, or its asymptotic series. */
function scale(freedom) {
  const n = freedom < 60 ? freedom + 2 * Math.ceil((60 - freedom) / 2) : freedom;
  let value = series(n) * Math.sqrt(n / 2);
  for (let m = n; m > freedom; m -= 2) value *= (m - 2) / (m - 1);
  return value / Math.sqrt(Math.PI * freedom);
}

/** Gamma((n + 1) / 2) / Gamma(n / 2) / sqrt(n / 2) for n of at least 60. */
function series(n) {
  const u = 1 / n;
  return 1 + u * (-1 / 4 + u * (1 / 32 + u * (5 / 128 + u * (-21 / 2048 + u * (-399 / 8192 + u * (869 / 65536 + u * (39325 / 262144)))))));
}
