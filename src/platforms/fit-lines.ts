/** Separator between the text, the signature and the lines below. */
export const BLANK_LINE = '\n\n';

/**
 * Returns the lines that fit within a limit, in order. Skips a line that does not fit; later lines may still fit.
 * @param limit maximum total length in UTF-16 units, including the line breaks between lines
 */
export const fitLines = (lines: readonly string[], limit: number): string[] => {
  let used = -1;
  return lines.filter((line) => {
    if (used + 1 + line.length > limit) return false;
    used += 1 + line.length;
    return true;
  });
};
