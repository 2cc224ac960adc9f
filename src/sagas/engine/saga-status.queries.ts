import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore, type Position } from '../../event-store/port.js';
import { type Lag, readLag } from '../../event-store/snapshots.js';
import type { Instant } from '../../kernel/clock.js';
import { POOL } from '../../postgres/tokens.js';
import { readSkippedEvents } from './parked-events.js';

/** `retrying`: an event has failed. `stopped`: the failing event cannot be read, or is older than a minute. */
export type SagaState = 'live' | 'retrying' | 'stopped';

/** The event that a saga cannot handle. */
export interface SagaFailure {
  /** The event and its error. */
  readonly message: string;
  readonly eventId: string;
  readonly position: string;
  readonly type: string;
}

/** A saga that follows the log, as operators see it. */
export interface SagaStatus extends Lag {
  readonly name: string;
  /** Position up to which it has handled events. */
  readonly position: Position;
  /** Position of the newest event. */
  readonly head: Position;
  readonly state: SagaState;
  readonly error: SagaFailure | null;
  /** Number of events that operators have skipped. */
  readonly skipped: number;
}

/** The failure as stored in `ops_checkpoint`. `at`: time of the event; null if it cannot be read. */
interface FailureRow {
  readonly event_id: string;
  readonly position: string;
  readonly type: string;
  readonly at: Instant | null;
}

interface SagaRow {
  readonly name: string;
  readonly position: Position;
  readonly error: string | null;
  readonly failure: FailureRow | null;
}

/** How old a failing event must be, in ms, before its saga counts as stopped. */
const STOPPED_AFTER_MS = 60_000;

/** True if a saga with a failing event counts as stopped. @param at time of the event; null if it cannot be read */
export const isStoppedAt = (at: Instant | null): boolean => at === null || Date.now() - at > STOPPED_AFTER_MS;

/**
 * SQL: the position up to which the saga of a checkpoint `c` has handled all events. Its checkpoint is ahead if events
 * are parked (ADR-253).
 */
export const HANDLED_POSITION = `coalesce(
  (select min(p.position) - 1 from ops_parked_event p where p.saga = c.name), c.position)`;

/** Reports the progress and the failing events of sagas that follow the log. */
@Injectable()
export class SagaStatuses {
  constructor(
    @Inject(POOL) private readonly pool: Pick<Pool, 'query'>,
    @Inject(EVENT_STORE) private readonly store: Pick<EventStore, 'readAll' | 'readHead' | 'readStream'>,
    private readonly codec: EventCodec,
  ) {}

  /** Lists all sagas by name. */
  async list(): Promise<SagaStatus[]> {
    const rows = await this.readRows(null);
    const head = await this.store.readHead();
    return Promise.all(rows.map((row) => this.build(row, head)));
  }

  /** Finds a saga; null if there is none with this name. */
  async find(name: string): Promise<SagaStatus | null> {
    const [row] = await this.readRows(name);
    return row ? this.build(row, await this.store.readHead()) : null;
  }

  /** Finds the event that a saga cannot handle; null if there is none. */
  async findFailure(name: string): Promise<SagaFailure | null> {
    const [row] = await this.readRows(name);
    return row ? failureOf(row) : null;
  }

  /** Notifies a saga of a decision to skip an event, and removes the event's failure from its checkpoint. */
  async resume(name: string, eventId: string): Promise<void> {
    await this.pool.query(
      `with resumed as (update ops_checkpoint set error = null, failure = null
         where name = $1 and version = 1 and failure->>'event_id' = $2)
       select pg_notify('saga', $3)`,
      [keyOf(name), eventId, name],
    );
  }

  private async build({ name, position, error, failure }: SagaRow, head: Position): Promise<SagaStatus> {
    const [lag, skipped] = await Promise.all([
      readLag(this.store, this.codec, position, head),
      readSkippedEvents(this.store, this.codec, name),
    ]);
    const failing = failure && isStoppedAt(failure.at) ? 'stopped' : 'retrying';
    return {
      name,
      position,
      head,
      ...lag,
      state: error === null ? 'live' : failing,
      error: failureOf({ error, failure }),
      skipped: skipped.size,
    };
  }

  private async readRows(name: string | null): Promise<SagaRow[]> {
    const { rows } = await this.pool.query<SagaRow>(
      `select substr(name, ${PREFIX.length + 1}) as name, ${HANDLED_POSITION} as position, error, failure
       from ops_checkpoint c
       where starts_with(name, '${PREFIX}') and version = 1 and ($1::text is null or name = $1) order by 1`,
      [name === null ? null : keyOf(name)],
    );
    return rows;
  }
}

const PREFIX = 'saga/';
const keyOf = (name: string): string => `${PREFIX}${name}`;

const failureOf = ({ error, failure }: Pick<SagaRow, 'error' | 'failure'>): SagaFailure | null =>
  failure && {
    message: error ?? '',
    eventId: failure.event_id,
    position: failure.position,
    type: failure.type,
  };
