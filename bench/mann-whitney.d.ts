/** See mann-whitney.js. */
export declare const mannWhitney: (
  a: readonly number[],
  b: readonly number[],
) => { readonly u: number; readonly z: number; readonly p: number };
