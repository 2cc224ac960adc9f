import { FIELD_MESSAGES } from './messages.js';

/** A problem with one field: a stable snake_case code, and a predicate that follows the field's name in a sentence. */
export interface FieldProblem {
  readonly code: string;
  readonly predicate: string;
}

/** Maximum length of a quoted value in a message, in UTF-16 units. */
const SHOWN = 40;

/** Quotes a string value for a message: on one line, cut to 40 UTF-16 units, never inside a surrogate pair. */
export const quoteShort = (text: string): string => {
  if (text.length <= SHOWN) return JSON.stringify(text);
  const splits = (text.charCodeAt(SHOWN - 1) & 0xfc00) === 0xd800;
  return `${JSON.stringify(text.slice(0, splits ? SHOWN - 1 : SHOWN))}…`;
};

/** Formats a number with separators: `15,895`. */
export const formatCount = (count: number): string => count.toLocaleString('en-US');

/** Describes a JSON value by its type, and quotes it unless it is an array or object: `an array`, `the number 1.5`. */
export const describeValue = (value: unknown): string => {
  if (typeof value === 'string') return `the string ${quoteShort(value)}`;
  if (typeof value === 'number') return `the number ${value}`;
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
};

/** Returns the predicate for a value that is too long. `length` and `limit` count `units`. */
export const tooLongPredicate = (length: number, limit: number, units: string): string =>
  FIELD_MESSAGES.tooLong({
    length: formatCount(length),
    units,
    limit: formatCount(limit),
    excess: formatCount(length - limit),
  });

/** Returns the predicate for a list with too many items. */
export const tooManyPredicate = (count: number, limit: number): string =>
  FIELD_MESSAGES.tooManyItems({
    count: formatCount(count),
    limit: formatCount(limit),
    excess: formatCount(count - limit),
  });

/** Returns the predicate for a value of the wrong type. @param kind the right type: `a string` */
export const wrongTypePredicate = (kind: string, value: unknown): string =>
  FIELD_MESSAGES.wrongType({ kind, value: describeValue(value) });

/** Returns a message about the field at a path, or about the body if the path is empty. */
export const aboutField = (path: string, predicate: string): string =>
  `${path === '' ? 'the body' : path} ${predicate}`;

/**
 * Returns the path of a field: `media[0].url`; an unusual name is quoted.
 * @param prefix path of the object, with a trailing dot
 */
export const joinPath = (prefix: string, name: string): string =>
  /^[A-Za-z_$][\w$]{0,39}$/.test(name) ? `${prefix}${name}` : `${prefix.replace(/\.$/, '')}[${quoteShort(name)}]`;
