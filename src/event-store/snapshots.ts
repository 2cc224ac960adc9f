import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { LOG, type Log } from '../kernel/log.js';
import { POOL } from '../postgres/tokens.js';
import { RepeatedFailure } from '../runtime/failing-work.js';
import type { EventCodec } from './codec.js';
import { type EventStore, isFullPage, type Position, type StoredEvent } from './port.js';

/** The state of an aggregate at a revision of its stream. It can be recomputed from the events at any time. */
export interface Snapshot {
  readonly revision: bigint;
  /** Hash of the event at that revision, to detect a snapshot of a different stream. */
  readonly hash: string;
  /** JSON text. */
  readonly state: string;
}

/** Snapshots by stream. Neither method throws: without a snapshot a stream is read from its start. */
export interface Snapshots {
  /** @param version version of the state's format; snapshots with other versions are not found */
  find(stream: string, version: number): Promise<Snapshot | null>;
  /** Replaces an earlier snapshot of the stream. */
  save(stream: string, version: number, snapshot: Snapshot): Promise<void>;
}

/** Snapshots in the table `ops_snapshot`. Its rows may be deleted at any time. */
@Injectable()
export class SnapshotTable implements Snapshots {
  private readonly failure = new RepeatedFailure();

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async find(stream: string, version: number): Promise<Snapshot | null> {
    const text = 'select revision, hash, state from ops_snapshot where stream = $1 and version = $2';
    return this.withoutFailure(async () => (await this.pool.query<Snapshot>(text, [stream, version])).rows[0] ?? null);
  }

  async save(stream: string, version: number, { revision, hash, state }: Snapshot): Promise<void> {
    // Each version of the format has its own row; an identical snapshot is not written again.
    const text = `
      insert into ops_snapshot as s (stream, version, revision, hash, state) values ($1, $2, $3, $4, $5)
      on conflict (stream, version) do update
        set revision = excluded.revision, hash = excluded.hash, state = excluded.state
        where s.revision < excluded.revision or s.hash <> excluded.hash`;
    await this.withoutFailure(() => this.pool.query(text, [stream, version, revision, hash, state]));
  }

  private async withoutFailure<T>(call: () => Promise<T>): Promise<T | null> {
    try {
      return await call();
    } catch (error) {
      this.failure.warn(this.log, error, 'a snapshot cannot be used; the stream is read from its start');
      return null;
    }
  }
}

/** Distance from a position to the end of the log. */
export interface Lag {
  /** Number of events after the position; from 1,000 on, the difference between the positions, but at least 1,000. */
  readonly lagEvents: number;
  /** Age of the oldest event after the position, in seconds; 0 if there is none. */
  readonly lagSeconds: number;
}

/** Maximum number of events that are counted individually. */
const COUNTED = 1_000;
const NONE: Lag = { lagEvents: 0, lagSeconds: 0 };

/**
 * Reads how far a position is behind the end of the log.
 * @param head position of the newest event
 * @throws Unavailable
 */
export const readLag = async (
  store: Pick<EventStore, 'readAll'>,
  codec: EventCodec,
  position: Position,
  head: Position,
): Promise<Lag> => {
  if (position >= head) return NONE;
  let [count, at]: [number, number | null] = [0, null];
  for (let after = position; count < COUNTED;) {
    const limit = COUNTED - count;
    const page = await store.readAll({ after, limit });
    count += page.length;
    at ??= page.map((event) => readTime(codec, event)).find((time) => time !== null) ?? null;
    if (!isFullPage(page, limit)) break;
    after = page.at(-1)!.position;
  }
  if (count === 0) return NONE;
  const lagEvents = count < COUNTED ? count : Math.max(COUNTED, Number(head - position));
  at ??= Date.now();
  return { lagEvents, lagSeconds: Math.max(0, Math.round((Date.now() - at) / 1_000)) };
};

/** Reads the time of an event; null if its envelope is damaged. */
const readTime = (codec: EventCodec, event: StoredEvent): number | null => {
  try {
    const { at } = codec.readEnvelope(event);
    return Number.isFinite(at) ? at : null;
  } catch {
    return null;
  }
};
