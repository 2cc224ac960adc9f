/** What is wrong with one thing: a stable snake_case code, and words that follow the thing's name in a sentence. */
export interface Complaint {
  readonly code: string;
  readonly what: string;
}

/** More than this of what somebody sent says nothing new in a message. */
const SHOWN = 40;

/**
 * What somebody sent, for a message to people: in double quotes, on one line, at most 40 UTF-16 units of it, however
 * long it is. Half a character is not shown.
 */
export const quoted = (text: string): string => {
  if (text.length <= SHOWN) return JSON.stringify(text);
  const splits = (text.charCodeAt(SHOWN - 1) & 0xfc00) === 0xd800;
  return `${JSON.stringify(text.slice(0, splits ? SHOWN - 1 : SHOWN))}…`;
};

/** A number with its thousands apart: `15,895`. */
export const grouped = (count: number): string => count.toLocaleString('en-US');

/** The kind of a JSON value, and the value where it is short: `an array`, `the number 1.5`. */
export const described = (value: unknown): string => {
  if (typeof value === 'string') return `the string ${quoted(value)}`;
  if (typeof value === 'number') return `the number ${value}`;
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
};

/** Says that something is too long, by how much, and what to do. `length` and `limit` count `units`. */
export const tooLong = (length: number, limit: number, units: string): string =>
  `is ${grouped(length)} ${units} long; at most ${grouped(limit)} are allowed: shorten it by ${grouped(length - limit)}`;
