import { JSON_MESSAGES, JSON_SYNTAX_MESSAGES as SYNTAX } from './messages.js';
import { quoteShort } from './wording.js';

const LINE_FEED = 0x0a;

/** Describes a syntax error and its position: `is not JSON: line 3, column 14: expected a value, found "undefined"`. */
export const describeSyntaxError = (text: string, at: number, what: string): string => {
  let line = 1;
  let lineStart = 0;
  for (let i = 0; i < at; i++) {
    if (text.charCodeAt(i) !== LINE_FEED) continue;
    line++;
    lineStart = i + 1;
  }
  // Columns count characters the way editors do: a surrogate pair counts as one character.
  let column = 1;
  for (let i = lineStart; i < at; i++) if ((text.charCodeAt(i) & 0xfc00) !== 0xdc00) column++;
  return JSON_MESSAGES.notJson({ line, column, what });
};

/**
 * Like {@link describeSyntaxError}, for a token at `at` that the grammar does not allow.
 * @param expected `a value`, `"," or "}"`
 */
export const describeUnexpected = (text: string, at: number, expected: string): string => {
  const found = describeTokenAt(text, at);
  const advice = ADVICE.find(([pattern]) => pattern.test(found))?.[1] ?? '';
  return describeSyntaxError(text, at, SYNTAX.unexpected({ expected, found, advice }));
};

/** Like {@link describeSyntaxError}, for the string that begins at `start` and is malformed at `at`. */
export const describeBrokenString = (text: string, start: number, at: number): string => {
  if (at >= text.length) return describeSyntaxError(text, start, SYNTAX.unclosedString);
  const found = describeTokenAt(text, at);
  if (text.charAt(at) < ' ') {
    const escaped = JSON.stringify(text.charAt(at)).slice(1, -1);
    return describeSyntaxError(text, at, SYNTAX.controlCharacter({ found, escaped }));
  }
  const advice = found.startsWith('"u') ? SYNTAX.adviceUnicodeEscape : SYNTAX.adviceBackslash;
  return describeSyntaxError(text, at, SYNTAX.badEscape({ found, advice }));
};

/** A word, a number or a single character, to show as the unexpected token. */
const TOKEN = /^(?:[\p{L}_$][\p{L}\p{N}_$]*|[\d.+-]+|.)/su;

const INVISIBLE: Readonly<Record<string, string>> = {
  '': SYNTAX.expectedEnd,
  '\n': SYNTAX.lineBreak,
  '\r': SYNTAX.lineBreak,
  '\t': SYNTAX.tab,
};

const describeTokenAt = (text: string, at: number): string => {
  // Longer than any word that a message quotes.
  const thing = TOKEN.exec(text.slice(at, at + 100))?.[0] ?? '';
  return INVISIBLE[thing] ?? quoteShort(thing);
};

/** Advice for the most frequent mistakes, by the token found. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/^"['“”]/, SYNTAX.adviceQuotes],
  [/^"[/#]/, SYNTAX.adviceComments],
  [/^"(?:True|False|None)"$/, SYNTAX.adviceLiterals],
  [/^"(?:undefined|NaN|-?Infinity)"$/, SYNTAX.adviceNoSuchValue],
  [/^"[\p{L}_$]/u, SYNTAX.adviceQuotes],
];
