import {
  bigint,
  bigintDigits,
  describeColumns,
  double,
  int,
  jsonb,
  nullable,
  readSchema,
  type RowOf,
  text,
  typesOf,
} from '../engine/projection.js';

/** Version of the tables and of the code that fills them; raise it when either changes (ADR-101). */
export const REQUESTS_VERSION = 3;
export const REQUESTS = readSchema('request-log', REQUESTS_VERSION);
/** Number of requests kept in an endpoint's log (publish-api.md: Limits). */
export const KEPT_REQUESTS = 100;

/** Columns of request-log entries (D-33). */
const requestColumns = {
  endpoint_id: text(),
  /** Tie-breaker for entries with the same time: position of the event, then the entry's index in it. */
  position: bigintDigits(),
  place: int(),
  request_id: text(),
  at: bigint(),
  ip: text(),
  user_agent: nullable(text()),
  route: text(),
  decision: text(),
  reason: nullable(text()),
  http_status: int(),
  latency_ms: double(),
  payload_bytes: int(),
  trace_id: nullable(text()),
  post_id: nullable(text()),
  why: nullable(jsonb<object>()),
};
/** An entry of an endpoint's request log. */
export type RequestRow = RowOf<typeof requestColumns>;
export const requestTypes = typesOf(requestColumns);

/** Tables of the request log. */
export const requestLogTables = `
    create table request (
      ${describeColumns(requestColumns)},
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
