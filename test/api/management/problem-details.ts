/** Returns path and code of every problem in a 400 or 422 response. */
export const listProblems = ({ details }: { details: { path: string; code: string }[] }): string[] =>
  details.map(({ path, code }) => `${path}: ${code}`);
