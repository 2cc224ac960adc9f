import type { ColumnType } from '../engine/column-arrays.js';
import { readSchema } from '../engine/projection.js';

/** Version of the tables and of the code that fills them; a change of either raises it (ADR-101). */
export const REQUESTS_VERSION = 3;

/** Schema of the views that queries read: the columns are those of this version. */
export const REQUESTS = readSchema('request-log', REQUESTS_VERSION);
/** Number of requests that the log of an endpoint keeps (publish-api.md: Limits). */
export const KEPT_REQUESTS = 100;

/** An entry of an endpoint's request log (D-33). */
export interface RequestRow {
  readonly request_id: string;
  readonly endpoint_id: string;
  /** Order of entries with the same time: position of the event, then the entry's index in it. */
  readonly position: string;
  readonly place: number;
  readonly at: number;
  readonly ip: string;
  readonly user_agent: string | null;
  readonly route: string;
  readonly decision: string;
  readonly reason: string | null;
  readonly http_status: number;
  readonly latency_ms: number;
  readonly payload_bytes: number;
  readonly trace_id: string | null;
  readonly post_id: string | null;
  readonly why: object | null;
}

/** Tables of the request log. */
export const requestLogTables = `
    create table request (
      endpoint_id text not null,
      position bigint not null,
      place int not null,
      request_id text not null,
      at bigint not null,
      ip text not null,
      user_agent text,
      route text not null,
      decision text not null,
      reason text,
      http_status int not null,
      latency_ms double precision not null,
      payload_bytes int not null,
      trace_id text,
      post_id text,
      why jsonb,
      primary key (endpoint_id, at, position, place)
    );

    -- Places of the events that the stream of an endpoint's log retains, so that an event is found by its id.
    create table batch (
      endpoint_id text not null,
      revision bigint not null,
      position bigint not null,
      event_id uuid not null,
      primary key (endpoint_id, revision)
    );
    create index batch_event on batch (event_id);
  `;

/** SQL types of the columns. */
export const requestTypes: Readonly<Record<keyof RequestRow, ColumnType>> = {
  ...({ endpoint_id: 'text', position: 'bigint', place: 'int', request_id: 'text', at: 'bigint', ip: 'text' } as const),
  ...({ user_agent: 'text', route: 'text', decision: 'text', reason: 'text', http_status: 'int' } as const),
  ...({
    latency_ms: 'double precision',
    payload_bytes: 'int',
    trace_id: 'text',
    post_id: 'text',
    why: 'jsonb',
  } as const),
};
