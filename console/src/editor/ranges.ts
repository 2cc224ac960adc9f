/** A range of text, in UTF-16 code units; `end` is exclusive. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Returns whether one of the ranges contains the code unit at an offset. */
export const covers = (ranges: readonly Range[], at: number): boolean =>
  ranges.some(({ start, end }) => start <= at && at < end);

/** Returns the parts of a range that no other range covers, in order. */
export const subtract = <T extends Range>(range: T, others: readonly Range[]): T[] =>
  others.reduce<T[]>(
    (parts, other) =>
      parts.flatMap((part) =>
        other.end <= part.start || part.end <= other.start
          ? [part]
          : [
              { ...part, end: other.start },
              { ...part, start: other.end },
            ].filter(({ start, end }) => start < end),
      ),
    [range],
  );

/** Cuts a range at the given offsets; ignores offsets outside the range. */
export const cutAt = <T extends Range>(range: T, places: readonly number[]): T[] => {
  const inside = [...new Set(places)].filter((at) => range.start < at && at < range.end).sort((a, b) => a - b);
  return [...inside, range.end].map((end, index) => ({ ...range, start: inside[index - 1] ?? range.start, end }));
};
