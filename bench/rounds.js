/** Alternating rounds of several contestants, and the ratios of their figures. */

/**
 * Measures the contestants in rounds, in reverse order every other round. Returns each contestant's results by name.
 * @param contestants functions that measure, by name
 * @param formatLine formats a result
 */
export const playRounds = async (contestants, rounds, formatLine) => {
  const results = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    const order = Object.keys(contestants);
    if (round % 2 === 0) order.reverse();
    for (const name of order) {
      const result = await contestants[name]();
      results[name].push(result);
      console.log(`round ${round}/${rounds}  ${formatLine(name, result)}`);
    }
  }
  for (const [name, all] of Object.entries(results)) console.log(`median     ${formatLine(name, median(all))}`);
  return results;
};

/**
 * Returns the ratio of one contestant to another: the median over the rounds, and the middle half. Ratios are taken per
 * round, because the two measurements of a round are close in time. The speed of a shared machine changes by half
 * within a minute, so the ratio of two separate medians would compare different speeds.
 */
export const ratioOf = (ours, base, key) => {
  const ratios = ours.map((round, i) => ({ ratio: round[key] / base[i][key] }));
  const [low, middle, high] = [0.25, 0.5, 0.75].map((at) => quantile(ratios, 'ratio', at).toFixed(2));
  return `${middle} × (${low}–${high})`;
};

/** Returns the median of each figure. */
const median = (rounds) => {
  const figures = Object.keys(rounds[0]).filter((key) => typeof rounds[0][key] === 'number');
  return Object.fromEntries(figures.map((key) => [key, quantile(rounds, key, 0.5)]));
};

/** Returns a quantile, interpolated between two values. @param at from 0 to 1 */
export const quantile = (rounds, key, at) => {
  const values = rounds.map((round) => round[key]).sort((a, b) => a - b);
  const place = (values.length - 1) * at;
  const [below, above] = [values[Math.floor(place)], values[Math.ceil(place)]];
  return below + (above - below) * (place - Math.floor(place));
};
