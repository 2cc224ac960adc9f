import type { Job, JobState } from '../../../jobs/job.js';
import type { Json } from '../../../kernel/json.js';

/** A job (management-api.md: `GET /jobs`). */
export class JobView {
  readonly id: string;
  readonly kind: string;
  readonly state: JobState;
  /** From 0 to 1. */
  readonly progress: number;
  /** Seconds until the end at the present pace; null: not known, or ended. */
  readonly eta_seconds: number | null;
  /** Null while it runs; of a failed job `{message}`. */
  readonly result: Json;

  constructor({ id, kind, state, progress, etaSeconds, result }: Job) {
    this.id = id;
    this.kind = kind;
    this.state = state;
    this.progress = progress;
    this.eta_seconds = etaSeconds;
    this.result = result;
  }
}
