import type * as Re2Js from 're2js';
import { RE2JS, RE2JSException } from 're2js';
import { BoundedCache } from '../runtime/bounded-cache.js';
import { type FieldProblem, formatCount, tooLongPredicate, wrongTypePredicate } from '../validation/wording.js';
import { PATTERN_MESSAGES } from './messages.js';

/** Maximum length of a pattern, in UTF-16 units. */
const MAX_LENGTH = 1_000;
/** Maximum number of instructions in a compiled pattern. RE2 takes about 40 ns per instruction and character. */
const MAX_PROGRAM = 1_000;
/** How many matches to visit one by one when looking for the last match. */
const MAX_MATCHES = 500;

const compiled = new BoundedCache<RE2JS | string>(1_000);

/** Compiles a pattern. @returns a string with the reason if it is invalid */
const compile = (pattern: string): RE2JS | string =>
  compiled.getOrCreate(pattern, () => {
    try {
      return RE2JS.compile(pattern);
    } catch (error) {
      if (error instanceof RE2JSException) return error.message.replace(/^error parsing regexp: /, '');
      throw error;
    }
  });

/** Checks a pattern (D-28): it must be valid RE2, and its program must be small enough. */
export const checkPattern = (value: unknown): FieldProblem | undefined => {
  if (typeof value !== 'string') return { code: 'wrong_type', predicate: wrongTypePredicate('a string', value) };
  if (value === '') return { code: 'empty', predicate: PATTERN_MESSAGES.empty };
  if (value.length > MAX_LENGTH)
    return { code: 'too_long', predicate: tooLongPredicate(value.length, MAX_LENGTH, 'characters') };
  const pattern = compile(value);
  if (typeof pattern === 'string')
    return { code: 'bad_pattern', predicate: PATTERN_MESSAGES.notRe2({ reason: pattern }) };
  const steps = pattern.programSize();
  if (steps <= MAX_PROGRAM) return undefined;
  const limit = formatCount(MAX_PROGRAM);
  return { code: 'too_large', predicate: PATTERN_MESSAGES.tooLarge({ steps: formatCount(steps), limit }) };
};

/** Checks a pattern that marks text to remove: it must not match empty text either. */
export const checkCuttingPattern = (value: unknown): FieldProblem | undefined =>
  checkPattern(value) ??
  (matchesPattern(value as string, '') ? { code: 'empty', predicate: PATTERN_MESSAGES.matchesEmptyText } : undefined);

/** Returns the number of instructions in a compiled pattern; 0 if the pattern is invalid. */
export const programSize = (pattern: string): number => {
  const program = compile(pattern);
  return typeof program === 'string' ? 0 : program.programSize();
};

/** Searches text for patterns. Null means that the pattern is no longer valid or, for `findLast`, has no match. */
export interface PatternSearch {
  /** True if a pattern matches anywhere in the text. */
  matches(pattern: string, text: string): boolean | null;
  /** Returns the offset of a pattern's last match, in UTF-16 units. */
  findLast(pattern: string, text: string): number | null;
}

/** Implements {@link PatternSearch.matches}. */
export const matchesPattern = (pattern: string, text: string): boolean | null => {
  const program = compile(pattern);
  return typeof program === 'string' ? null : program.matcher(text).find();
};

/**
 * Implements {@link PatternSearch.findLast}. Visits the matches from the start of the text. If there are very many,
 * searches by bisection instead, which bounds the number of searches; each takes at most linear time.
 */
export const findLastMatch = (pattern: string, text: string): number | null => {
  const program = compile(pattern);
  return typeof program === 'string' ? null : findLastOf(program, text, MAX_MATCHES);
};

/**
 * {@link findLastMatch} for a compiled pattern. Uses nothing outside its own body, so that a helper process can run it.
 */
const findLastOf = (program: RE2JS, text: string, maxMatches: number): number | null => {
  const matcher = program.matcher(text);
  let last: number | null = null;
  for (let found = 0; matcher.find(); found++) {
    if (matcher.end() > matcher.start()) last = matcher.start();
    if (found < maxMatches) continue;
    // A search finds a match unless it starts after the last match.
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

/** Searches in the calling thread. */
export const LOCAL_SEARCH: PatternSearch = { matches: matchesPattern, findLast: findLastMatch };

/** Arguments for `patternProgram` after the URL of RE2JS. */
export const PATTERN_PROGRAM_PARTS = [findLastOf, MAX_MATCHES] as const;

/** A pattern to search for, and the text to search. */
export interface PatternQuestion {
  readonly pattern: string;
  readonly text: string;
  /** True to find the offset of the last match; false to check whether there is any match. */
  readonly isLast: boolean;
}

/** The result of a search, as `PatternSearch` returns it. */
export interface PatternAnswer {
  readonly found: boolean | number | null;
  readonly tookMs: number;
}

/**
 * Searches for patterns in a helper process (see media/helper.ts), at a lower priority than the gateway.
 * @param library URL of RE2JS
 */
export const patternProgram = async (
  library: string,
  findLast: (program: Re2Js.RE2JS, text: string, maxMatches: number) => number | null,
  maxMatches: number,
): Promise<(question: PatternQuestion) => Promise<PatternAnswer>> => {
  const { RE2JS } = (await import(library)) as typeof Re2Js;
  const { setPriority } = await import('node:os');
  setPriority(10);
  return ({ pattern, text, isLast }) => {
    const startedAt = performance.now();
    const program = RE2JS.compile(pattern);
    const found = isLast ? findLast(program, text, maxMatches) : program.matcher(text).find();
    return Promise.resolve({ found, tookMs: performance.now() - startedAt });
  };
};
