/** The shortest decimal that reads back as exactly this number, written as silva.tree.words.number writes it. */
export function numberWords(value) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value < 0 ? "-inf" : "inf";
  if (value === 0) return "0";
  const [digits, exponent] = value.toExponential().split("e");
  if (exponent < -4 || exponent >= 16) return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
  return String(value);
}

/** A share to a tenth of a percent, as silva.tree.words.percent writes it; ties go to the even digit. */
export function percentWords(share) {
  if (share > 0 && share < 0.0005) return "<0.1%";
  if (share >= 0.9995 && share < 1) return ">99.9%";
  const percent = 100 * share;
  const isTie = (percent * 4) % 4 === 1;
  return `${(isTie ? percent - 0.05 : percent).toFixed(1).replace(/\.0$/, "")}%`;
}
