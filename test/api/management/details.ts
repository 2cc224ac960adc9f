/** Paths and codes of everything that an answer of 400 or 422 complains about. */
export const complaints = ({ details }: { details: { path: string; code: string }[] }): string[] =>
  details.map(({ path, code }) => `${path}: ${code}`);
