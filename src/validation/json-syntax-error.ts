import { quoted } from './wording.js';

const LINE_FEED = 0x0a;

/** Where a text stops being JSON and why, for people: `line 3, column 14: expected a value, found "undefined": …`. */
export const syntaxError = (text: string, at: number, what: string): string => {
  let line = 1;
  let lineStart = 0;
  for (let i = 0; i < at; i++) {
    if (text.charCodeAt(i) !== LINE_FEED) continue;
    line++;
    lineStart = i + 1;
  }
  // Columns count characters, as an editor does: the second half of a surrogate pair is none.
  let column = 1;
  for (let i = lineStart; i < at; i++) if ((text.charCodeAt(i) & 0xfc00) !== 0xdc00) column++;
  return `line ${line}, column ${column}: ${what}`;
};

/** {@link syntaxError} where something else stands at `at` than what the grammar wants: `a value`, `"," or "}"`. */
export const unexpected = (text: string, at: number, expected: string): string => {
  const found = whatStandsAt(text, at);
  const advice = ADVICE.find(([pattern]) => pattern.test(found))?.[1] ?? '';
  return syntaxError(text, at, `expected ${expected}, found ${found}${advice}`);
};

/** {@link syntaxError} for the string that begins at `start` and goes wrong at `at`. */
export const brokenString = (text: string, start: number, at: number): string => {
  if (at >= text.length) return syntaxError(text, start, 'the string that begins here has no closing quote');
  const found = whatStandsAt(text, at);
  if (text.charAt(at) < ' ') {
    const escaped = JSON.stringify(text.charAt(at)).slice(1, -1);
    return syntaxError(text, at, `a string has ${found} in it: write it as ${escaped}`);
  }
  const advice = found.startsWith('"u') ? 'after \\u stand four hexadecimal digits' : 'write \\\\ for a backslash';
  return syntaxError(text, at, `a string has a backslash before ${found} in it, which means nothing: ${advice}`);
};

/** A word, a number or a single character: what a person would point at. */
const THING = /^(?:[\p{L}_$][\p{L}\p{N}_$]*|[\d.+-]+|.)/su;

const INVISIBLE: Readonly<Record<string, string>> = {
  '': 'the end of the body',
  '\n': 'a line break',
  '\r': 'a line break',
  '\t': 'a tab',
};

const whatStandsAt = (text: string, at: number): string => {
  // Far enough for any word that can be shown.
  const thing = THING.exec(text.slice(at, at + 100))?.[0] ?? '';
  return INVISIBLE[thing] ?? quoted(thing);
};

/** What is most often behind what was found. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/^"['“”]/, ': strings and keys stand in double quotes'],
  [/^"[/#]/, ': JSON has no comments'],
  [/^"(?:True|False|None)"$/, ': JSON writes true, false and null'],
  [/^"(?:undefined|NaN|-?Infinity)"$/, ': JSON has no such value; null is the closest'],
  [/^"[\p{L}_$]/u, ': strings and keys stand in double quotes'],
];
