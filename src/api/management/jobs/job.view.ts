import type { Job, JobState } from '../../../jobs/job.js';
import type { Json } from '../../../kernel/json.js';

/** A job (management-api.md: `GET /jobs`). */
export class JobView {
  readonly id: string;
  readonly kind: string;
  /** Name of the projection that the job rebuilds or verifies; null for other types of jobs. */
  readonly projection: string | null;
  readonly state: JobState;
  /** From 0 to 1. */
  readonly progress: number;
  /** Seconds until the job finishes at its current pace; null if that is unknown or the job has finished. */
  readonly eta_seconds: number | null;
  /** Null while the job is running; `{message}` if it failed. */
  readonly result: Json;

  constructor({ id, kind, state, progress, etaSeconds, params, result }: Job) {
    this.id = id;
    this.kind = kind;
    this.projection = typeof params.projection === 'string' ? params.projection : null;
    this.state = state;
    this.progress = progress;
    this.eta_seconds = etaSeconds;
    this.result = result;
  }
}
