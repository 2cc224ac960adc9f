import type * as Re2Js from 're2js';

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
