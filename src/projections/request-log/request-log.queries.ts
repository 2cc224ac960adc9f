import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { requestLogStream } from '../../domain/request-log/request-log.events.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import type { Instant } from '../../kernel/clock.js';
import { POOL } from '../../postgres/tokens.js';
import { ProjectionProgress } from '../engine/progress.js';
import { type RequestRow, REQUESTS } from './request-log.projection.js';

export type { RequestRow } from './request-log.projection.js';

/**
 * The position of an entry in its endpoint's log. Rejections are appended slightly later than posts, so the time comes
 * first.
 */
export interface RequestPlace {
  readonly at: Instant;
  readonly position: string;
  readonly place: number;
}

/** Log entry filter; an absent field matches all entries. */
interface RequestFilter {
  readonly status?: number;
  readonly decision?: string;
  /** Before this time. */
  readonly before?: Instant;
}

/**
 * Lists an endpoint's last requests, newest first (D-33).
 * @param page.after last entry of the previous page; null to start with the newest
 */
@Injectable()
export class ListRequests {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly progress: ProjectionProgress,
  ) {}

  async execute(
    endpointId: string,
    { status, decision, before }: RequestFilter,
    page: { readonly after: RequestPlace | null; readonly limit: number },
  ): Promise<RequestRow[]> {
    await this.progress.waitUntilCaughtUp(['request-log'], this.store);
    // An endpoint has at most 100 entries, so filtering them costs less than planning a statement for each filter.
    const { rows } = await this.pool.query<{ row: RequestRow }>({
      name: 'list requests',
      text: `
        select to_jsonb(r) || jsonb_build_object('position', r.position::text) as row from ${REQUESTS}.request r
        where endpoint_id = $1 and ($2::int is null or http_status = $2) and ($3::text is null or decision = $3)
          and ($4::bigint is null or at < $4)
          and ($5::bigint is null or (at, position, place) < ($5::bigint, $6::bigint, $7::int))
        order by at desc, position desc, place desc limit $8`,
      values: [
        endpointId,
        ...[status ?? null, decision ?? null, before ?? null],
        ...[page.after?.at ?? null, page.after?.position ?? null, page.after?.place ?? null, page.limit],
      ],
    });
    return rows.map(({ row }) => row);
  }
}

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
