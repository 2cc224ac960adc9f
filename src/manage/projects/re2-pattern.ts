import type { Complaint } from '../../payload/wording.js';

const MAX_LENGTH = 1_000;
const MAX_REPEAT = 1_000;

/** What other engines have and RE2 leaves out, because it cannot be matched in linear time. */
const NOT_IN_RE2: readonly (readonly [RegExp, string])[] = [
  [/^\(\?<?[=!]/, 'looks ahead or behind, which RE2 cannot'],
  [/^\(\?>/, 'has an atomic group, which RE2 has not'],
  [/^\(\?\(/, 'has a condition, which RE2 has not'],
  [/^\(\?#/, 'has a comment, which RE2 has not'],
  [/^\\(?:[1-9]|k<)/, 'refers back to a group, which RE2 cannot'],
  [/^(?:[*+?]|\{\d+(?:,\d*)?\})\+/, 'has a possessive quantifier, which RE2 has not'],
  [/^\\[GKRXZhHu]/, 'has an escape that RE2 does not know'],
];

/**
 * Whether a pattern could be RE2 (D-28): it is refused where RE2 certainly refuses it, by syntax or for what RE2 leaves
 * out. Whoever runs patterns must still be ready for one that does not compile.
 */
export const patternComplaint = (value: unknown): Complaint | undefined => {
  if (typeof value !== 'string') return { code: 'wrong_type', what: 'must be a string' };
  if (value === '') return { code: 'empty', what: 'is empty: it would match everywhere' };
  if (value.length > MAX_LENGTH)
    return { code: 'too_long', what: `is ${value.length} characters long; at most ${MAX_LENGTH} are allowed` };
  const bad = (what: string): Complaint => ({ code: 'bad_pattern', what: `is no RE2 pattern: it ${what}` });
  let inClass = false;
  for (let at = 0; at < value.length; at++) {
    const rest = value.slice(at);
    const left = NOT_IN_RE2.find(([form]) => (!inClass || rest.startsWith('\\')) && form.test(rest));
    if (left) return bad(left[1]);
    const repeat = inClass ? null : /^\{(\d+)(?:,(\d*))?\}/.exec(rest);
    if (repeat && Math.max(Number(repeat[1]), Number(repeat[2] || 0)) > MAX_REPEAT)
      return bad(`repeats something more than ${MAX_REPEAT} times`);
    if (rest.startsWith('\\')) at++;
    else if (rest.startsWith('[')) inClass = true;
    else if (rest.startsWith(']')) inClass = false;
  }
  try {
    new RegExp(asJavaScript(value));
    return undefined;
  } catch (error) {
    return bad(`does not parse (${(error as Error).message.replace(/^Invalid regular expression: /, '')})`);
  }
};

/** RE2's own spellings, near enough for a check of brackets and quantifiers. */
const asJavaScript = (pattern: string): string =>
  pattern
    .replace(/\(\?P?<(\w+)>/g, '(?<$1>')
    .replace(/\(\?[imsU]*(?:-[imsU]+)?:/g, '(?:')
    .replace(/\(\?[imsU]+(?:-[imsU]+)?\)/g, '')
    .replace(/\[:\^?[a-z]+:\]/g, 'a');
