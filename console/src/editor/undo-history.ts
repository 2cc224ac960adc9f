import type { FormattedText } from './marks.js';

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
