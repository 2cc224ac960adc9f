/** A piece of a text, and whether the other text lacks it. */
export interface Piece {
  readonly text: string;
  readonly isChanged: boolean;
}

/** Longest texts that are compared word by word, as the product of their numbers of words; longer ones differ as a whole. */
const MAX_COMPARED = 4_000_000;

const split = (text: string): readonly string[] => text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];

/** Joins neighbouring words of the same kind. */
const join = (words: readonly string[], isKept: readonly boolean[]): readonly Piece[] => {
  const pieces: { text: string; isChanged: boolean }[] = [];
  words.forEach((text, index) => {
    const isChanged = isKept[index] !== true;
    const last = pieces.at(-1);
    if (last?.isChanged === isChanged) last.text += text;
    else pieces.push({ text, isChanged });
  });
  return pieces;
};

/** Returns two texts in pieces, with the words that the other lacks marked (longest common subsequence). */
export const diffWords = (before: string, after: string): readonly [readonly Piece[], readonly Piece[]] => {
  const [a, b] = [split(before), split(after)];
  const [keptA, keptB] = [a.map(() => false), b.map(() => false)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) keptA[start] = keptB[start++] = true;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) keptA[--endA] = keptB[--endB] = true;
  const width = endB - start + 1;
  if ((endA - start + 1) * width > MAX_COMPARED) return [join(a, keptA), join(b, keptB)];
  const lengths = new Uint16Array((endA - start + 1) * width);
  const at = (i: number, j: number): number => lengths[(i - start) * width + j - start]!;
  for (let i = endA - 1; i >= start; i--)
    for (let j = endB - 1; j >= start; j--)
      lengths[(i - start) * width + j - start] =
        a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  for (let i = start, j = start; i < endA && j < endB;) {
    if (a[i] === b[j]) keptA[i++] = keptB[j++] = true;
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return [join(a, keptA), join(b, keptB)];
};
