/** A text edit: the replaced range and its replacement. */
export interface TextChange {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

const endsInsideCharacter = (text: string, at: number): boolean =>
  /[\ud800-\udbff]/.test(text.charAt(at - 1)) && at > 0;

/**
 * Finds the range that differs between two versions of the text, in whole characters; null if they are equal. If the
 * range is ambiguous, for example in a run of identical letters, it ends at the caret.
 * @param caret offset in `after`
 */
export const findChange = (before: string, after: string, caret: number): TextChange | null => {
  if (before === after) return null;
  const most = Math.min(before.length, after.length);
  let tail = 0;
  const growTail = (max: number): void => {
    while (tail < max && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  };
  growTail(Math.min(most, after.length - caret));
  let head = 0;
  while (head < most - tail && before[head] === after[head]) head++;
  growTail(most - head);
  if (endsInsideCharacter(after, head)) head--;
  if (endsInsideCharacter(after, after.length - tail) || endsInsideCharacter(before, before.length - tail)) tail--;
  return { start: head, end: before.length - tail, replacement: after.slice(head, after.length - tail) };
};
