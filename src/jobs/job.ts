import type { Json, JsonObject } from '../kernel/json.js';

export const JOB_STATES = ['running', 'done', 'failed'] as const;
/** State of a job. An interrupted job stays `running` until it is resumed and finishes. */
export type JobState = (typeof JOB_STATES)[number];

/** A long-running job that an operator has requested. It survives restarts (management-api.md: `GET /jobs`). */
export interface Job {
  readonly id: string;
  readonly kind: string;
  readonly state: JobState;
  /** From 0 to 1. */
  readonly progress: number;
  /** Seconds left at the current pace; null if unknown or if the job has finished. */
  readonly etaSeconds: number | null;
  readonly params: JsonObject;
  /** Result of the job; `{message}` if it failed; null while it runs. */
  readonly result: Json;
}

/** Context passed to a running job. */
export interface JobContext {
  /** Reports the progress, from 0 to 1. It is written at most about once a second. */
  readonly report: (progress: number) => void;
  /**
   * Aborted when the process stops or loses the job's lease. The handler must then stop at once; the job continues
   * later or in another process.
   */
  readonly signal: AbortSignal;
}

/**
 * Runs jobs of one kind. After an interruption, `run` is called again; it must then resume or restart without doing
 * anything twice. If `run` throws an error that means an outage of the database or the event store, the job is retried.
 * Any other error fails the job.
 */
export interface JobHandler {
  readonly kind: string;
  readonly run: (job: Job, context: JobContext) => Promise<Json>;
}
