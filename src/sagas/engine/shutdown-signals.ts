/** Signals that stop a worker in two steps. */
export interface ShutdownSignals {
  /** Aborted when no new work may begin; work in progress is finished. */
  readonly drain: AbortSignal;
  /** Aborted when work in progress must stop too: another worker continues it. */
  readonly abort: AbortSignal;
}
