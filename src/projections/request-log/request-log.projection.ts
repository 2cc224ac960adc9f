import type { EndpointCreated } from '../../domain/endpoint/endpoint.events.js';
import type { OwnerContentErased } from '../../domain/owner/owner.events.js';
import type { PostAccepted, PostSkipped } from '../../domain/post/post.events.js';
import { type RequestsLogged, RETAINED_EVENTS } from '../../domain/request-log/request-log.events.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import { monthAt } from '../engine/erased-content.js';
import {
  bigint,
  bigintDigits,
  describeColumns,
  double,
  int,
  jsonb,
  nullable,
  type Projection,
  readSchema,
  type RowOf,
  text,
  type Tx,
  typesOf,
} from '../engine/projection.js';
import { encodeColumns } from '../engine/rows.js';

/** Version of the tables and of the code that fills them; raise it when either changes (ADR-101). */
export const REQUESTS_VERSION = 4;
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

    create table endpoint (endpoint_id text primary key, owner_id text not null);
    create index endpoint_owner on endpoint (owner_id);
  `;

type HandledEvent = RecordedEventOf<PostAccepted | PostSkipped | RequestsLogged | EndpointCreated>;

const TYPES: ReadonlySet<string> = new Set<HandledEvent['type'] | OwnerContentErased['type']>([
  'PostAccepted',
  'PostSkipped',
  'RequestsLogged',
  'EndpointCreated',
  'OwnerContentErased',
]);

const COLUMNS = Object.keys(requestTypes) as (keyof RequestRow)[];

/**
 * Each endpoint's last 100 requests by time (D-33). The event of an accepted request contains its entry. Other requests
 * are logged in batches, possibly after posts that arrived later, so log order does not decide which entries stay.
 *
 * An erasure deletes the entries of all months up to the last that it names: how many requests an erased event held is not
 * known any more, so older entries could not be counted (ADR-414).
 */
export const requestLog: Projection = {
  name: 'request-log',
  version: REQUESTS_VERSION,
  tables: requestLogTables,
  views: ['request', 'batch'],
  handles: (type) => TYPES.has(type),
  batchIntervalMs: 100,

  async apply(tx, events) {
    const handled = events as readonly HandledEvent[];
    await keepBatches(tx, handled);
    await keepEndpoints(tx, handled);
    const newest = keepNewestOfEach(handled.flatMap(toRows));
    if (newest.length === 0) return;
    const { values, source, valueOf } = encodeColumns(COLUMNS, requestTypes, newest);
    await tx.query({
      name: 'insert requests',
      text: `insert into request (${COLUMNS.join(', ')}) select ${COLUMNS.map(valueOf).join(', ')} from ${source}`,
      values,
    });
    const added = new Map<string, number>();
    for (const { endpoint_id } of newest) added.set(endpoint_id, (added.get(endpoint_id) ?? 0) + 1);
    // Each added entry replaces at most one old entry. Searching for more would scan all deleted rows while an old
    // snapshot is open (ADR-96).
    await tx.query({
      name: 'delete old requests',
      text: `
        delete from request r using (
          select e.endpoint_id, o.at, o.position, o.place from unnest($1::text[], $2::bigint[]) e(endpoint_id, added)
          cross join lateral (
            select at, position, place from request n where n.endpoint_id = e.endpoint_id
            order by at desc, position desc, place desc offset ${KEPT_REQUESTS} limit e.added) o) old
        where r.endpoint_id = old.endpoint_id and r.at = old.at and r.position = old.position and r.place = old.place`,
      values: [[...added.keys()], [...added.values()]],
    });
  },

  async erase(tx, { ownerId, months }) {
    await tx.query(
      `delete from request r using endpoint e where e.owner_id = $1 and r.endpoint_id = e.endpoint_id
         and ($2::text[] is null or ${monthAt('r.at')} <= (select max(m) from unnest($2) m))`,
      [ownerId, months],
    );
  },
};

const keepEndpoints = async (tx: Tx, events: readonly HandledEvent[]): Promise<void> => {
  const created = events.filter((event) => event.type === 'EndpointCreated');
  if (created.length === 0) return;
  await tx.query('insert into endpoint select * from unnest($1::text[], $2::text[]) on conflict do nothing', [
    created.map(({ data }) => data.endpointId),
    created.map(({ data }) => data.ownerId),
  ]);
};

/**
 * Stores the locations of request-log events. Deletes the locations of events that are no longer retained in their
 * streams.
 */
const keepBatches = async (tx: Tx, events: readonly HandledEvent[]): Promise<void> => {
  const logged = events.filter((event) => event.type === 'RequestsLogged');
  if (logged.length === 0) return;
  await tx.query({
    name: 'insert batches',
    text: `insert into batch (endpoint_id, revision, position, event_id)
      select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::uuid[])`,
    values: [
      logged.map(({ data }) => data.endpointId),
      logged.map(({ revision }) => String(revision)),
      logged.map(({ position }) => String(position)),
      logged.map(({ id }) => id),
    ],
  });
  const newest = new Map(logged.map(({ data, revision }) => [data.endpointId, revision]));
  await tx.query({
    name: 'delete old batches',
    text: `delete from batch b using unnest($1::text[], $2::bigint[]) n(endpoint_id, revision)
      where b.endpoint_id = n.endpoint_id and b.revision <= n.revision - ${RETAINED_EVENTS}`,
    values: [[...newest.keys()], [...newest.values()].map(String)],
  });
};

const toRows = (event: HandledEvent): RequestRow[] => {
  const position = String(event.position);
  switch (event.type) {
    case 'PostAccepted':
    case 'PostSkipped': {
      const { endpointId, traceId, request, acceptedAt } = event.data;
      if (request.ip === null) return []; // erased (D-100)
      const noTargets = request.switchedOff ? explainNoTargets(request.switchedOff) : null;
      return [
        {
          request_id: event.requestId,
          endpoint_id: endpointId,
          position,
          place: 0,
          at: acceptedAt,
          ip: request.ip,
          user_agent: request.userAgent,
          route: request.route,
          decision: event.type === 'PostAccepted' ? 'accepted' : 'accepted_no_project',
          reason: noTargets?.rule ?? null,
          http_status: 200,
          latency_ms: request.latencyMs,
          payload_bytes: request.payloadBytes,
          trace_id: traceId,
          post_id: event.type === 'PostAccepted' ? event.data.postId : null,
          why: noTargets,
        },
      ];
    }
    case 'RequestsLogged': {
      const { endpointId, requests } = event.data;
      return (requests ?? []).map((request, place) => ({ endpoint_id: endpointId, position, place, ...request }));
    }
    case 'EndpointCreated':
      return [];
  }
};

/** Explains why nothing is queued for an accepted post (D-36). @param channels its intended channels, all disabled */
const explainNoTargets = (channels: readonly string[]) => ({
  rule: channels.length > 0 ? 'targets_switched_off' : 'no_channels',
  figures: { channels },
  event_id: null,
});

/** Returns the newest {@link KEPT_REQUESTS} entries of each endpoint in a batch. */
const keepNewestOfEach = (rows: readonly RequestRow[]): RequestRow[] => {
  const seen = new Map<string, number>();
  return rows
    .toSorted((a, b) => a.at - b.at) // stable: entries with the same time stay in log order
    .toReversed()
    .filter(({ endpoint_id }) => {
      const count = (seen.get(endpoint_id) ?? 0) + 1;
      seen.set(endpoint_id, count);
      return count <= KEPT_REQUESTS;
    });
};
