/** The UTF-16 units in JSON's grammar. */
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

/** Returns true for the digits 0 to 9. */
export const isDigit = (unit: number): boolean => unit >= Unit.zero && unit <= Unit.nine;

/** Number of units to examine one by one before a pattern search, which is faster but costs more to start. */
const SHORT_STRING = 64;
/** The units that end a string, begin an escape, or are not allowed in a string. */
const NOT_PLAIN = /["\\\u0000-\u001f]/g;

/** Returns the offset, at or after `from`, of the first unit of a string that does not represent itself. */
export const endOfPlainText = (text: string, from: number): number => {
  const near = from + SHORT_STRING;
  for (let at = from; at < near; at++) {
    const unit = text.charCodeAt(at);
    if (unit === Unit.quote || unit === Unit.backslash || !(unit >= Unit.space)) return at;
  }
  NOT_PLAIN.lastIndex = near;
  return NOT_PLAIN.exec(text)?.index ?? text.length;
};
