/**
 * Returns the values of a chart's grid lines, without the one at zero: one to three round steps that reach the
 * highest value.
 */
export const chartLines = (highest: number): readonly number[] => {
  const step = roundUp(Math.max(1, highest) / 3);
  const count = Math.max(1, Math.ceil(highest / step));
  return Array.from({ length: count }, (_, index) => (index + 1) * step);
};

/** Returns the smallest of 1, 2, 5, 10, 20, 50 … that is not less than a value. */
const roundUp = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return ([1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10) * power;
};
