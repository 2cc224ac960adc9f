import type { Pool } from 'pg';
import { requestLogStream } from '../../domain/request-log/request-log.events.js';
import type { EventStore } from '../../event-store/port.js';
import type { ProjectionProgress } from '../engine/progress.js';
import { REQUESTS } from './request-log.tables.js';

/** The location of a request-log event. */
export interface RequestBatch {
  readonly endpointId: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
}

/** Finds the events of request logs, which the audit trail does not contain. */
export class RequestBatches {
  constructor(
    private readonly pool: Pool,
    private readonly store: EventStore,
    private readonly progress: ProjectionProgress,
  ) {}

  /** Locates an event; null if it belongs to no request log or is no longer retained. */
  async findBatch(eventId: string): Promise<RequestBatch | null> {
    await this.progress.waitUntilCaughtUp(['request-log'], this.store);
    const text = `select endpoint_id as "endpointId", revision, position from ${REQUESTS}.batch where event_id = $1`;
    const { rows } = await this.pool.query<Omit<RequestBatch, 'stream'>>(text, [eventId]);
    return rows[0] ? { ...rows[0], stream: requestLogStream(rows[0].endpointId) } : null;
  }
}
