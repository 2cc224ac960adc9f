import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { type Json, type JsonObject, newId } from '../kernel/ids.js';
import { POOL } from '../postgres/tokens.js';

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

const COLUMNS = ['id', 'kind', 'state', 'progress', 'eta_seconds as "etaSeconds"', 'params', 'result'].join(', ');

/** A job to start. */
export interface NewJob {
  /** A new id if absent. */
  readonly id?: string;
  readonly kind: string;
  readonly params: JsonObject;
  /** Only one job per subject may run at a time; null for no limit. */
  readonly subject?: string | null;
}

/** Thrown if a job with the same subject is running. */
export class JobRuns extends Error {
  constructor(readonly runningId: string) {
    super(`${runningId} is running`);
  }
}

/** A deployment's jobs, stored in its database. */
@Injectable()
export class JobTable {
  constructor(@Inject(POOL) private readonly db: Pick<Pool, 'query'>) {}

  /** Starts a job and notifies the workers. @throws JobRuns */
  async start({ id = newId('job'), kind, params, subject = null }: NewJob): Promise<Job> {
    const { rows } = await this.db.query<Job>(
      `with new as (
         insert into ops_job (id, kind, params, subject) values ($1, $2, $3, $4)
         on conflict (subject) where state = 'running' do nothing returning *)
       select ${COLUMNS}, pg_notify('job', id) from new`,
      [id, kind, JSON.stringify(params), subject],
    );
    if (rows[0]) return rows[0];
    const running = await this.db.query<{ id: string }>(
      `select id from ops_job where subject = $1 and state = 'running'`,
      [subject],
    );
    throw new JobRuns(running.rows[0]?.id ?? 'a job');
  }

  /** True while a job on a subject is running. */
  async isRunning(subject: string): Promise<boolean> {
    const text = `select from ops_job where subject = $1 and state = 'running'`;
    return (await this.db.query(text, [subject])).rows.length > 0;
  }

  /** True if a job of a kind, with these parameters among others, was started within a day. */
  async hasStartedToday(kind: string, params: JsonObject): Promise<boolean> {
    const text = `select from ops_job where kind = $1 and params @> $2 and started_at > now() - interval '1 day' limit 1`;
    return (await this.db.query(text, [kind, JSON.stringify(params)])).rows.length > 0;
  }

  /** @param ownerId whose auditor started it; null for any */
  async find(id: string, ownerId: string | null = null): Promise<Job | null> {
    const text = `select ${COLUMNS} from ops_job where id = $1 and ($2::text is null or params ->> 'owner_id' = $2)`;
    return (await this.db.query<Job>(text, [id, ownerId])).rows[0] ?? null;
  }

  /**
   * Lists jobs, newest first.
   * @param before id of the previous page's last job; null for the first page
   * @param ownerId whose auditor started them; null for any
   */
  async list(
    state: JobState | undefined,
    before: string | null,
    limit: number,
    ownerId: string | null = null,
  ): Promise<readonly Job[]> {
    const { rows } = await this.db.query<Job>(
      `select ${COLUMNS} from ops_job
       where ($1::text is null or state = $1) and ($2::text is null or id < $2)
         and ($4::text is null or params ->> 'owner_id' = $4)
       order by id desc limit $3`,
      [state ?? null, before, limit, ownerId],
    );
    return rows;
  }

  /** Lists the ids of jobs that have not finished, oldest first. */
  async listRunning(): Promise<readonly string[]> {
    const { rows } = await this.db.query<{ id: string }>(`select id from ops_job where state = 'running' order by id`);
    return rows.map(({ id }) => id);
  }

  async report(id: string, progress: number, etaSeconds: number | null): Promise<void> {
    const text = `update ops_job set progress = $2, eta_seconds = $3 where id = $1 and state = 'running'`;
    await this.db.query(text, [id, progress, etaSeconds]);
  }

  /** Ends a job. Does nothing if the job has already ended. */
  async end(id: string, state: 'done' | 'failed', result: Json): Promise<void> {
    await this.db.query(
      `update ops_job set state = $2, result = $3, eta_seconds = null, ended_at = now(),
         progress = case when $2 = 'done' then 1 else progress end
       where id = $1 and state = 'running'`,
      [id, state, JSON.stringify(result)],
    );
  }
}
