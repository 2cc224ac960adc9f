/** The UTF-16 units of JSON's grammar. */
export const Unit = {
  tab: 0x09,
  lineFeed: 0x0a,
  return: 0x0d,
  space: 0x20,
  quote: 0x22,
  plus: 0x2b,
  comma: 0x2c,
  minus: 0x2d,
  dot: 0x2e,
  zero: 0x30,
  nine: 0x39,
  colon: 0x3a,
  openArray: 0x5b,
  backslash: 0x5c,
  closeArray: 0x5d,
  e: 0x65,
  u: 0x75,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;

/** Returns the value of a hexadecimal digit; -1 for any other unit. */
export const hexDigit = (unit: number): number => {
  if (isDigit(unit)) return unit - Unit.zero;
  const letter = (unit | 0x20) - 0x61;
  return letter >= 0 && letter < 6 ? letter + 10 : -1;
};

/** Returns true for 0 to 9. */
export const isDigit = (unit: number): boolean => unit >= Unit.zero && unit <= Unit.nine;
