/** Number of decimal digits in the largest position, a 64-bit number. */
const POSITION_DIGITS = 20;

/** Returns a position as text that sorts numerically. */
export const padPosition = (position: bigint | string): string => String(position).padStart(POSITION_DIGITS, '0');
