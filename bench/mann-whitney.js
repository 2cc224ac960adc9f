/**
 * Mann-Whitney U test, two-sided: tests whether two samples may come from the same distribution. It uses only ranks, so
 * it assumes no particular distribution. Normal approximation with tie and continuity correction, for samples of 20 or
 * more.
 * @param {readonly number[]} a @param {readonly number[]} b
 * @returns {{ u: number, z: number, p: number }} U of the first sample, its z-score, and the probability of a
 *   difference at least as large if there is none
 */
export const mannWhitney = (a, b) => {
  const all = [...a.map((value) => [value, true]), ...b.map((value) => [value, false])].sort(([x], [y]) => x - y);
  let ranks = 0; // of the first sample
  let ties = 0;
  for (let from = 0; from < all.length;) {
    let to = from;
    while (to < all.length && all[to][0] === all[from][0]) to++;
    const size = to - from;
    const rank = (from + 1 + to) / 2; // equal values share the mean of their ranks
    for (let i = from; i < to; i++) if (all[i][1]) ranks += rank;
    ties += size ** 3 - size;
    from = to;
  }
  const [n, m, total] = [a.length, b.length, all.length];
  const u = ranks - (n * (n + 1)) / 2;
  const mean = (n * m) / 2;
  const deviation = Math.sqrt(((n * m) / 12) * (total + 1 - ties / (total * (total - 1))));
  if (!(deviation > 0)) return { u, z: 0, p: 1 }; // all values are equal: there is no difference
  const z = (Math.sign(u - mean) * Math.max(0, Math.abs(u - mean) - 0.5)) / deviation;
  return { u, z, p: Math.min(1, 2 * upperTail(Math.abs(z))) };
};

/** Returns the upper tail of the normal distribution at `z` >= 0, with a relative error of 1.2e-7 (Numerical Recipes' erfc). */
const upperTail = (z) => {
  const t = 1 / (1 + z / (2 * Math.SQRT2));
  const terms = [-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806];
  terms.push(0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277);
  const sum = terms.reduceRight((rest, term) => rest * t + term, 0);
  return (t * Math.exp(-(z * z) / 2 + sum)) / 2;
};
