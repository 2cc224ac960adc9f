import type { FormattedText } from './formatted-text.js';

/** The text and selection at one point in time. */
export interface Moment {
  readonly value: FormattedText;
  readonly start: number;
  readonly end: number;
}

/** Maximum number of undo steps. */
const MAX_STEPS = 200;
/** Typing after a pause of this many ms starts a new undo step. */
const PAUSE_MS = 1_000;

/** An editor's undo history. The browser's own history does not include changes made by scripts. */
export class UndoHistory {
  private readonly past: Moment[] = [];
  private future: Moment[] = [];
  private lastKind = '';
  private lastAt = 0;

  /**
   * Records the state before a change. Changes of the same kind in quick succession become one step.
   * @param kind `type` or `delete`; empty for a change that is always a separate step
   */
  note(before: Moment, kind: string, at: number): void {
    const isGathered = kind !== '' && kind === this.lastKind && at - this.lastAt < PAUSE_MS && this.past.length > 0;
    this.lastKind = kind;
    this.lastAt = at;
    this.future = [];
    if (isGathered) return;
    this.past.push(before);
    if (this.past.length > MAX_STEPS) this.past.shift();
  }

  /** Makes the next change start a new step. */
  endStep(): void {
    this.lastKind = '';
  }

  /** Returns the state before the last step; undefined if there is nothing to undo. */
  undo(now: Moment): Moment | undefined {
    this.endStep();
    const moment = this.past.pop();
    if (moment) this.future.push(now);
    return moment;
  }

  /** Returns the state before the last {@link undo}; undefined if there is nothing to redo. */
  redo(now: Moment): Moment | undefined {
    this.endStep();
    const moment = this.future.pop();
    if (moment) this.past.push(now);
    return moment;
  }
}

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
