import type { Json, JsonObject } from '../kernel/json.js';

/** State of a job. A job that was cut off is `running` until it has gone on and ended. */
export type JobState = 'running' | 'done' | 'failed';
export const JOB_STATES = ['running', 'done', 'failed'] as const satisfies readonly JobState[];

/** Long work that an operator has asked for. Kept over restarts (management-api.md: `GET /jobs`). */
export interface Job {
  readonly id: string;
  readonly kind: string;
  readonly state: JobState;
  /** From 0 to 1. */
  readonly progress: number;
  /** Seconds until the end at the present pace; null: not known, or ended. */
  readonly etaSeconds: number | null;
  /** Parameters of the request. */
  readonly params: JsonObject;
  /** Its findings; of a failed job `{message}`; null while it runs. */
  readonly result: Json;
}

/** Means that a running job is given. */
export interface JobContext {
  /** Shows how far the job is, from 0 to 1. It is written at most about once a second. */
  readonly report: (progress: number) => void;
  /** Aborted when the process stops or another one has the job's lease: stop at once. The job goes on elsewhere. */
  readonly signal: AbortSignal;
}

/**
 * Carries out the jobs of one kind. It is called again for a job that was cut off, and must then go on or start again without doing
 * anything twice. An outage of the database or the event store may be thrown: the job is tried again. Another error fails it.
 */
export interface JobHandler {
  readonly kind: string;
  readonly run: (job: Job, context: JobContext) => Promise<Json>;
}
