/**
 * Returns the values of a chart's grid lines, except the line at zero: up to three round steps. The last line is at or
 * above the highest value.
 */
export const chartLines = (highest: number): readonly number[] => {
  const step = roundUp(Math.max(1, highest) / 3);
  const count = Math.max(1, Math.ceil(highest / step));
  return Array.from({ length: count }, (_, index) => (index + 1) * step);
};

/** Rounds a value up to the next number in the series 1, 2, 5, 10, 20, 50 … */
const roundUp = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return ([1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10) * power;
};
