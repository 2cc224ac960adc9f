/** A test's command to the running server, sent as a message to its process. */
export type ServerCommand =
  /** The next `calls` calls fail with "Server Is Not Ready". */
  | { readonly command: 'not-ready'; readonly calls: number }
  /**
   * From now on, `BatchAppend` is answered like an unknown call; if `isUnknown` is false, it works again.
   */
  | { readonly command: 'unknown-batches'; readonly isUnknown: boolean }
  /** The next `appends` appends are committed but never answered. */
  | { readonly command: 'lose-responses'; readonly appends: number }
  /** The process kills itself after it has committed `appends` more appends, before it answers the last of them. */
  | { readonly command: 'die-after-commits'; readonly appends: number }
  /** Ends every subscription: cleanly, like an orderly shutdown, or with an error. */
  | { readonly command: 'end-subscriptions'; readonly how: 'cleanly' | 'with-error' }
  /** Permanently removes the events that retention hides. */
  | { readonly command: 'scavenge' }
  /** Writes `count` system events. */
  | { readonly command: 'system-events'; readonly count: number }
  /**
   * From now on, an append is replicated this long after it was written; by default, in the next turn of the event
   * loop.
   */
  | { readonly command: 'replicate-after'; readonly ms: number }
  /** From now on, the user may not make these calls. `append` includes the deletion of a stream. */
  | { readonly command: 'deny'; readonly calls: readonly DeniableCall[] }
  /** Only returns the report, which every command returns. */
  | { readonly command: 'report' };

export type DeniableCall = 'append' | 'read' | 'subscribe';

export interface Report {
  readonly events: number;
  readonly openSubscriptions: number;
  /** Subscriptions that were ended because the consumer was too slow. */
  readonly slowDrops: number;
  /** Copies of appends that were dropped because the original was not replicated yet. */
  readonly droppedCopies: number;
  readonly calls: Readonly<Record<string, number>>;
}

/** The faults that are switched on, and counters. */
export class Faults {
  notReadyCalls = 0;
  areBatchesUnknown = false;
  responsesToLose = 0;
  commitsUntilKill = Infinity;
  slowDrops = 0;
  replicateAfterMs = 0;
  /** Identical copies that were dropped because the original was not replicated yet. */
  droppedCopies = 0;
  /** Calls that the user may not make. */
  denied: readonly DeniableCall[] = [];
  readonly calls: Record<string, number> = {};

  /** Counts a call. @returns true if it must fail with "Server Is Not Ready" */
  shouldRejectCall(call: string): boolean {
    this.countCall(call);
    if (this.notReadyCalls === 0) return false;
    this.notReadyCalls -= 1;
    return true;
  }

  countCall(call: string): void {
    this.calls[call] = (this.calls[call] ?? 0) + 1;
  }

  /** Counts a commit. @returns true if its response must be lost */
  shouldLoseResponse(): boolean {
    this.commitsUntilKill -= 1;
    if (this.commitsUntilKill <= 0) process.kill(process.pid, 'SIGKILL');
    if (this.responsesToLose === 0) return false;
    this.responsesToLose -= 1;
    return true;
  }
}
