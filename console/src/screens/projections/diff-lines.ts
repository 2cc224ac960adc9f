/** One line of a row as JSON. */
export interface Line {
  readonly text: string;
  /** True if the value differs on the other side. */
  readonly isChanged: boolean;
}

type Row = Readonly<Record<string, unknown>>;

/** Number of unchanged members to show on each side of a changed member, as context. */
const CONTEXT = 1;

/**
 * Returns the members that differ between two rows, with neighbouring members as context, as lines. Null stands for a
 * missing row; all members of the other row are then returned.
 */
export const diffLines = (
  live: Row | null,
  fresh: Row | null,
): readonly [readonly Line[] | null, readonly Line[] | null] => {
  const names = [...new Set([...Object.keys(live ?? {}), ...Object.keys(fresh ?? {})])];
  const format = (row: Row, name: string): string | null =>
    name in row ? `"${name}": ${JSON.stringify(row[name])}` : null;
  const isChanged = (name: string): boolean =>
    live === null || fresh === null || JSON.stringify(live[name]) !== JSON.stringify(fresh[name]);
  const isShown = names.map((_, index) =>
    names.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some((name) => isChanged(name)),
  );
  const linesOf = (row: Row | null): readonly Line[] | null =>
    row &&
    names
      .filter((_, index) => isShown[index])
      .map((name) => ({ text: format(row, name), isChanged: isChanged(name) }))
      .filter((line): line is Line => line.text !== null);
  return [linesOf(live), linesOf(fresh)];
};
