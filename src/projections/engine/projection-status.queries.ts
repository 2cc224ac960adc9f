import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { EventCodec } from '../../event-store/codec.js';
import { BEGINNING, EVENT_STORE, type EventStore, type Position } from '../../event-store/port.js';
import { type Lag, readLag } from '../../event-store/snapshots.js';
import type { Instant } from '../../kernel/clock.js';
import { POOL } from '../../postgres/tokens.js';
import { readSkippedEvents } from './projection.js';

/** Type of the job that compares a projection with a fresh replay. */
export const VERIFY_PROJECTION = 'verify-projection';

/**
 * `rebuilding`: a candidate is being built alongside the live version. `level`: the candidate has caught up and waits
 * to be promoted.
 */
export type ProjectionState = 'live' | 'rebuilding' | 'level' | 'stopped';

/** The event at which a version has stopped. */
export interface ProjectionFailure {
  readonly message: string;
  readonly eventId: string;
  readonly position: string;
  readonly type: string;
}

/** A projection whose live version has stopped. */
export interface StoppedProjection {
  readonly name: string;
  /** When it last made progress, in ms since 1970. */
  readonly since: Instant;
  readonly failure: ProjectionFailure;
}

/** A version that is being built alongside the live version. */
export interface CandidateStatus {
  readonly version: number;
  readonly position: Position;
  readonly state: Exclude<ProjectionState, 'live'>;
  /** Events per second. */
  readonly rate: number;
  /** Seconds until it has caught up at the current pace; null if unknown. */
  readonly etaSeconds: number | null;
  /** From 0 to 1. */
  readonly progress: number;
}

/** A projection as operators see it. */
export interface ProjectionStatus extends Lag {
  readonly name: string;
  readonly version: number;
  readonly position: Position;
  /** Position of the newest event. */
  readonly head: Position;
  readonly rate: number;
  readonly state: ProjectionState;
  readonly error: ProjectionFailure | null;
  /** Number of events that operators have skipped. */
  readonly skipped: number;
  readonly candidate: CandidateStatus | null;
  readonly previous: number | null;
}

interface VersionRow {
  readonly name: string;
  readonly role: 'live' | 'candidate' | 'previous';
  readonly version: number;
  readonly position: Position;
  readonly level: boolean;
  readonly error: string | null;
  readonly failure: { readonly event_id: string; readonly position: string; readonly type: string } | null;
  readonly rate: number;
  readonly pace: number;
  readonly movedAt: Instant;
}

/** Reads the progress, failures and versions of projections. */
@Injectable()
export class ProjectionStatuses {
  constructor(
    @Inject(POOL) private readonly pool: Pick<Pool, 'query'>,
    @Inject(EVENT_STORE) private readonly store: Pick<EventStore, 'readAll' | 'readHead' | 'readStream'>,
    private readonly codec: EventCodec,
  ) {}

  /** Lists all projections by name. */
  async list(): Promise<ProjectionStatus[]> {
    return this.build(await this.readVersions(null));
  }

  /** Finds a projection; null if there is none with this name. */
  async find(name: string): Promise<ProjectionStatus | null> {
    const [found] = await this.build(await this.readVersions(name));
    return found ?? null;
  }

  /** Finds the event at which a projection's live version, or else another version, has stopped; null if none has. */
  async findFailure(name: string): Promise<ProjectionFailure | null> {
    return (await this.readVersions(name)).map(failureOf).find((failure) => failure !== null) ?? null;
  }

  /** Lists the projections whose live version has stopped, by name. */
  async listStopped(): Promise<StoppedProjection[]> {
    return (await this.readVersions(null)).flatMap((row) => {
      const failure = row.role === 'live' ? failureOf(row) : null;
      return failure ? [{ name: row.name, since: row.movedAt, failure }] : [];
    });
  }

  /** Makes all stopped versions retry their event. @returns false if none had stopped */
  async resume(name: string): Promise<boolean> {
    const { rows } = await this.pool.query<{ resumed: bigint }>(
      `with resumed as (update ops_checkpoint set error = null, failure = null where name = $1 and failure is not null returning 1)
       select count(*) as resumed, pg_notify('projection', $1) from resumed`,
      [name],
    );
    return rows[0]!.resumed > 0n;
  }

  private async build(rows: readonly VersionRow[]): Promise<ProjectionStatus[]> {
    const head = rows.length === 0 ? BEGINNING : await this.store.readHead();
    const live = rows.filter(({ role }) => role === 'live');
    return Promise.all(live.map((each) => this.buildOne(each, rows, head)));
  }

  private async buildOne(live: VersionRow, rows: readonly VersionRow[], head: Position): Promise<ProjectionStatus> {
    const versions = rows.filter(({ name }) => name === live.name);
    const candidate = versions.find(({ role }) => role === 'candidate');
    const error = failureOf(live);
    const [lag, skipped] = await Promise.all([
      readLag(this.store, this.codec, live.position, head),
      readSkippedEvents(this.store, this.codec, live.name),
    ]);
    const shown = candidate ? describeCandidate(candidate, head) : null;
    const beside = shown === null || shown.state === 'stopped' ? 'live' : shown.state;
    return {
      name: live.name,
      version: live.version,
      position: live.position,
      head,
      ...lag,
      rate: live.rate,
      state: error ? 'stopped' : beside,
      error,
      skipped: skipped.size,
      candidate: shown,
      previous: versions.find(({ role }) => role === 'previous')?.version ?? null,
    };
  }

  /** Reads each projection's live version, then its candidate and its previous version. @param name null for all */
  private async readVersions(name: string | null): Promise<VersionRow[]> {
    const { rows } = await this.pool.query<VersionRow>(
      `select p.name, role, c.version, position, level, error, failure,
         case when running then (applied - interval_applied) / seconds else events_per_second end as rate,
         case when running then (position - interval_position) / seconds else positions_per_second end as pace,
         (extract(epoch from moved_at) * 1000)::float8 as "movedAt"
       from ops_projection p
       cross join lateral (values (1, 'live', live_version), (2, 'candidate', candidate_version),
         (3, 'previous', previous_version)) v (rank, role, version)
       join ops_checkpoint c on c.name = p.name and c.version = v.version
       cross join lateral (select extract(epoch from now() - interval_at)::float8 as seconds) s
       cross join lateral (select seconds >= 2 as running) r
       where $1::text is null or p.name = $1 order by p.name, rank`,
      [name],
    );
    return rows;
  }
}

const failureOf = ({ error, failure }: VersionRow): ProjectionFailure | null => {
  if (!failure) return null;
  const { event_id: eventId, position, type } = failure;
  return { message: error ?? '', eventId, position, type };
};

const describeCandidate = (row: VersionRow, head: Position): CandidateStatus => {
  const { version, position, level: isLevel, rate, pace } = row;
  const left = position < head ? Number(head - position) : 0;
  const building = isLevel ? 'level' : 'rebuilding';
  const state = row.failure ? 'stopped' : building;
  if (isLevel || left === 0) return { version, position, state, rate, etaSeconds: 0, progress: 1 };
  const progress = Number(position - BEGINNING) / Number(head - BEGINNING);
  return { version, position, state, rate, etaSeconds: pace > 0 ? Math.ceil(left / pace) : null, progress };
};
