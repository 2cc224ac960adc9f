/**
 * Returns the lines that fit into a limit, in order. A line that is too long is skipped in favour of later ones.
 * @param limit maximum UTF-16 units of all lines and the line breaks between them
 */
export const fitLines = (lines: readonly string[], limit: number): string[] => {
  let used = -1;
  return lines.filter((line) => {
    if (used + 1 + line.length > limit) return false;
    used += 1 + line.length;
    return true;
  });
};
