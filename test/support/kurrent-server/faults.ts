/** What a test may order the running server to do; sent as a message to the process. */
export type Control =
  /** The next `calls` calls are answered "Server Is Not Ready". */
  | { readonly order: 'not-ready'; readonly calls: number }
  /** The next `appends` appends are committed and never answered. */
  | { readonly order: 'lose-answers'; readonly appends: number }
  /** The process kills itself when it has committed so many more appends, before it answers the last of them. */
  | { readonly order: 'die-after-commits'; readonly appends: number }
  /** Ends every subscription: cleanly, as a server that goes down in order does, or with an error. */
  | { readonly order: 'end-subscriptions'; readonly how: 'cleanly' | 'with-error' }
  /** Removes for good what retention has cut off. */
  | { readonly order: 'scavenge' }
  /** Writes so many system events. */
  | { readonly order: 'system-events'; readonly count: number }
  /** Answers with figures. */
  | { readonly order: 'report' };

export interface Report {
  readonly events: number;
  readonly openSubscriptions: number;
  /** Subscriptions that were ended because the consumer was too slow. */
  readonly slowDrops: number;
  readonly calls: Readonly<Record<string, number>>;
}

/** The faults that are switched on, and the figures. */
export class Faults {
  notReadyCalls = 0;
  lostAnswers = 0;
  commitsToLive = Infinity;
  slowDrops = 0;
  readonly calls: Record<string, number> = {};

  /** Counts a call; true when it is to be answered "Server Is Not Ready". */
  refuses(call: string): boolean {
    this.calls[call] = (this.calls[call] ?? 0) + 1;
    if (this.notReadyCalls === 0) return false;
    this.notReadyCalls -= 1;
    return true;
  }

  /** To be called after a commit; true when its answer is to be lost. */
  losesAnswer(): boolean {
    this.commitsToLive -= 1;
    if (this.commitsToLive <= 0) process.kill(process.pid, 'SIGKILL');
    if (this.lostAnswers === 0) return false;
    this.lostAnswers -= 1;
    return true;
  }
}
