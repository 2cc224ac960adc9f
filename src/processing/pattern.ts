import { RE2JS, RE2JSException } from 're2js';
import { grouped, type Complaint } from '../validation/wording.js';
import { BoundedCache } from '../runtime/bounded-cache.js';

/** Of a pattern, in UTF-16 units. */
const MAX_LENGTH = 1_000;
/** Instructions of a pattern's program. RE2 takes time in proportion to them and to the text: some 40 ns for each. */
const MAX_PROGRAM = 1_000;
/** Matches that are gone through one by one in search of the last. */
const MAX_MATCHES = 500;

const compiled = new BoundedCache<RE2JS | string>(1_000);

/** A pattern, or in words why it is none. */
const compile = (pattern: string): RE2JS | string =>
  compiled.get(pattern, () => {
    try {
      return RE2JS.compile(pattern);
    } catch (error) {
      if (error instanceof RE2JSException) return error.message.replace(/^error parsing regexp: /, '');
      throw error;
    }
  });

/** What is wrong with a pattern (D-28): it is no RE2, or would take too long. */
export const patternComplaint = (value: unknown): Complaint | undefined => {
  if (typeof value !== 'string') return { code: 'wrong_type', what: 'must be a string' };
  if (value === '') return { code: 'empty', what: 'is empty: it would match everywhere' };
  if (value.length > MAX_LENGTH)
    return { code: 'too_long', what: `is ${value.length} characters long; at most ${MAX_LENGTH} are allowed` };
  const pattern = compile(value);
  if (typeof pattern === 'string') return { code: 'bad_pattern', what: `is no RE2 pattern: ${pattern}` };
  if (pattern.programSize() > MAX_PROGRAM) return { code: 'too_large', what: tooLarge(pattern.programSize()) };
  return undefined;
};

const tooLarge = (size: number): string =>
  `would take ${grouped(size)} steps for each character; at most ${grouped(MAX_PROGRAM)} are allowed: repeat less`;

/** What is wrong with a pattern whose matches are cut out; beside {@link patternComplaint}, it may not match nothing. */
export const cuttingPatternComplaint = (value: unknown): Complaint | undefined =>
  patternComplaint(value) ??
  (findPattern(value as string, '')
    ? { code: 'empty', what: 'matches nothing at all, which is everywhere' }
    : undefined);

/** How many instructions a pattern's program has; 0 for what is no pattern. */
export const programSize = (pattern: string): number => {
  const program = compile(pattern);
  return typeof program === 'string' ? 0 : program.programSize();
};

/** Whether a pattern stands anywhere in a text; null where it is no pattern any more. */
export const findPattern = (pattern: string, text: string): boolean | null => {
  const program = compile(pattern);
  return typeof program === 'string' ? null : program.matcher(text).find();
};

/**
 * Where the last of a pattern's matches begins, in UTF-16 units; null where there is none. Matches are counted as a
 * search for all of them finds them, from the front. A text with very many is searched from the back instead, so that
 * no pattern takes more than linear time for each of a bounded number of searches.
 */
export const lastMatch = (pattern: string, text: string): number | null => {
  const program = compile(pattern);
  if (typeof program === 'string') return null;
  const matcher = program.matcher(text);
  let last: number | null = null;
  for (let found = 0; matcher.find(); found++) {
    if (matcher.end() > matcher.start()) last = matcher.start();
    if (found < MAX_MATCHES) continue;
    // Whether one begins at or after a place is true up to the last one and false behind it.
    let [low, high] = [matcher.start(), text.length];
    while (low + 1 < high) {
      const middle = (low + high) >>> 1;
      if (matcher.find(middle)) low = matcher.start();
      else high = middle;
    }
    return low;
  }
  return last;
};
