import { message } from '../kernel/message.js';

/** A body that is not JSON, or JSON that cannot be stored: status 400. */
export const JSON_MESSAGES = {
  bodyTooLarge: message('has {bytes} bytes; at most {limit} are allowed: shorten it'),
  notUtf8: 'is not UTF-8: encode it as UTF-8',
  byteOrderMark: 'begins with a byte order mark (EF BB BF): remove it',
  emptyBody: 'is empty: send a JSON object',
  notJson: message('is not JSON: line {line}, column {column}: {what}'),
  tooManyMembers: message('has more than {limit} members and array elements: send fewer'),
  tooDeep: message('has objects and arrays nested more than {limit} deep: reduce the nesting'),
  duplicateKey: message('has the key {key} twice: remove one of them'),
  forbiddenKey: message('has the key {key}, which is not allowed: rename it'),
  numberTooLarge: 'is a number that is too large to be stored: send it as a string',
  numberInexact: 'is an integer that would lose digits: send it as a string',
  loneSurrogate: 'contains one half of a surrogate pair: send both halves or neither',
  nullCharacter: 'contains the character \\u0000, which cannot be stored: remove it',
};

/** JSON syntax errors: status 400, code `not_json`. Each message follows the line and the column. */
export const JSON_SYNTAX_MESSAGES = {
  unexpected: message('expected {expected}, found {found}{advice}'),
  trailingComma: 'trailing comma before the closing bracket',
  unclosedString: 'this string has no closing quote',
  controlCharacter: message('the string contains {found}: write it as {escaped}'),
  badEscape: message('the string contains a backslash before {found}, which is not a valid escape: {advice}'),
  leadingZero: 'the number begins with 0: remove the 0',
  adviceUnicodeEscape: '\\u must be followed by four hexadecimal digits',
  adviceBackslash: 'write \\\\ for a backslash',
  adviceQuotes: ': put strings and keys in double quotes',
  adviceComments: ': remove the comment, JSON has none',
  adviceLiterals: ': write true, false or null',
  adviceNoSuchValue: ': JSON has no such value; use null',
  expectedEnd: 'the end of the body',
  expectedValue: 'a value',
  expectedDigit: 'a digit',
  expectedColon: '":" after the key',
  expectedKey: 'a key in double quotes',
  expectedKeyOrEnd: 'a key in double quotes or "}"',
  expectedCommaInObject: '"," or "}"',
  expectedCommaInArray: '"," or "]"',
  lineBreak: 'a line break',
  tab: 'a tab',
};

/** Fields that break the schema: status 422. Each message follows the path of the field. */
export const FIELD_MESSAGES = {
  missing: message('is missing: send {example}'),
  wrongType: message('must be {kind}, not {value}'),
  notOneOf: message('must be {values}, not {value}'),
  belowMinimum: message('must be {least} or more, not {value}'),
  outOfRange: message('must be from {least} to {most}, not {value}'),
  invisible: 'has no visible characters: send some text',
  notOneLine: 'must be one line of plain text: remove line breaks and control characters',
  badCredential: 'must be 1 to 4096 visible ASCII characters without spaces',
  numberForText: message('must be {form}: send it as a string'),
  tooLong: message('is {length} {units} long; at most {limit} are allowed: shorten it by {excess}'),
  tooManyItems: message('has {count} items; at most {limit} are allowed: remove {excess}'),
  unknownField: message('is not a field here; the fields are {fields}'),
  noFields: 'is not a field here: no fields are allowed',
  badLimit: message('must be a whole number from 1 to {limit}'),
  badCursor: 'must be the "next" of an earlier page of this list',
};
