/** Signals that end a worker in two steps. */
export interface ShutdownSignals {
  /** Aborted when no new work may begin; work under way is finished. */
  readonly drain: AbortSignal;
  /** Aborted when work under way must stop too: another worker continues it. */
  readonly abort: AbortSignal;
}
