import type { HorizonMoved } from '../../domain/archive/archive.events.js';
import type { DeliveryAttemptFailed, DeliveryEvent, DeliverySucceeded } from '../../domain/delivery/delivery.events.js';
import type { OwnerContentErased } from '../../domain/owner/owner.events.js';
import type { WebhookOutputEvent } from '../../domain/webhook-output/webhook-output.events.js';
import type { Instant } from '../../kernel/clock.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import { inRanges, isErased, monthAt, otherMonth, type OwnRows } from '../engine/erased-content.js';
import { NO_ROWS, type Projection, type Tx } from '../engine/projection.js';
import { Rows, toJsonText } from '../engine/rows.js';
import {
  BODIES_EXPIRED_BEFORE,
  DELIVERIES_VERSION,
  deliveriesTables,
  type DeliveryAttempt,
  type DeliveryOutputRow,
  type DeliveryRow,
  deliveryRows,
  outputRows,
} from './webhook-deliveries.tables.js';

type HandledEvent = RecordedEventOf<WebhookOutputEvent | DeliveryEvent>;

interface LoadedRows {
  readonly tx: Tx;
  readonly outputs: Rows<DeliveryOutputRow>;
  readonly deliveries: Rows<DeliveryRow>;
  readonly bodies: { readonly delivery_id: string; readonly body: string }[];
  /** Ids of deleted outputs; their deliveries are deleted too. */
  readonly deleted: string[];
}

const TYPES =
  /^(WebhookOutput|Delivery(Scheduled|Succeeded|AttemptFailed|RetryRequested)$|OwnerContentErased$|HorizonMoved$)/;

/** Minimum response time, in ms, of an output that counts as slow. */
const SLOW_MS = 2_000;
/** How many of a delivery's latest attempts to keep; a server that is down may be probed many times. */
const SHOWN_ATTEMPTS = 50;

/**
 * Webhook outputs and their deliveries, one row each, and each output's due time (D-30): both a read model and a work
 * queue. A rebuild never delivers anything twice, because outcomes are events.
 */
export const webhookDeliveries: Projection = {
  name: 'webhook-deliveries',
  version: DELIVERIES_VERSION,
  tables: deliveriesTables,
  views: ['output', 'delivery', 'delivery_body'],
  keepsAnchor: true,
  expired: {
    delivery_body: (schema) => `exists (
      select from ${schema}.delivery d join public.ops_setting s on s.name = '${BODIES_EXPIRED_BEFORE}'
      where d.delivery_id = t.delivery_id and d.created_at < s.value::bigint)`,
  },
  handles: (type) => TYPES.test(type),

  async apply(tx, events, cache) {
    const handled = events as readonly HandledEvent[];
    const outputIds = new Set(handled.map(({ data }) => data.outputId));
    const rows: LoadedRows = {
      tx,
      outputs: await Rows.load(tx, outputRows, outputIds, cache),
      deliveries: await Rows.load(tx, deliveryRows, handled.flatMap(deliveryIdOf), cache),
      bodies: [],
      deleted: [],
    };
    for (const event of handled) await handle(event, rows);
    await rows.outputs.flush();
    await rows.deliveries.flush();
    await insertBodies(tx, rows.bodies);
    if (rows.deleted.length > 0) await deleteDeliveries(rows);
    await updateNextDue(tx, [...outputIds]);
  },

  erase: (tx, erased) => eraseContent(tx, erased),

  letGo: (tx, horizon) => letGo(tx, horizon),
};

/** Computes the row of a delivery to an existing output from all its events (D-101). */
export const foldDelivery = async (
  output: DeliveryOutputRow,
  events: readonly RecordedEventOf<DeliveryEvent>[],
): Promise<DeliveryRow | undefined> => {
  const tx = NO_ROWS;
  const [outputs, deliveries] = [await Rows.load(tx, outputRows, []), await Rows.load(tx, deliveryRows, [])];
  outputs.put(output);
  const handled = events.filter(({ type }) => TYPES.test(type)) as HandledEvent[];
  for (const event of handled) await handle(event, { tx, outputs, deliveries, bodies: [], deleted: [] });
  const [row] = deliveries.values();
  // What could not be read any more is not sent again either.
  const isErased = events[0]?.contentErased === true;
  return row && isErased ? { ...row, content_erased: true } : row;
};

/** Deletes the deliveries that were scheduled before a time and have ended. */
const letGo = async (tx: Tx, { before, position }: HorizonMoved['data']): Promise<void> => {
  await tx.query({
    name: 'let go of deliveries',
    text: `
      with old as (
        delete from delivery d using output o
        where d.output_id = o.output_id and d.position <= $2 and d.created_at < $1 and d.state <> 'pending'
        returning d.delivery_id)
      delete from delivery_body b using old where b.delivery_id = old.delivery_id`,
    values: [before, position],
  });
};

const WITHOUT_ANSWER = `case when ${isErased(`coalesce(a ->> 'month', ${monthAt("(a ->> 'at')::bigint")})`)}
  then jsonb_set(a, '{answer}', 'null') else a end`;

const OWN_DELIVERIES: OwnRows = { table: 'delivery', of: 'output_id', key: 'position', first: '-1' };

/** Erases bodies and answers. A delivery that was scheduled in an erased month is never sent again. */
const eraseContent = async (tx: Tx, { ownerId, months }: OwnerContentErased['data']): Promise<void> => {
  const { rows } = await tx.query<{ output_id: string }>('select output_id from output where owner_id = $1', [ownerId]);
  const outputIds = rows.map(({ output_id }) => output_id);
  for (const id of outputIds)
    await inRanges(tx, OWN_DELIVERIES, id, (...range) => eraseRange(tx, [id, months, ...range]));
  await updateNextDue(tx, outputIds);
};

const eraseRange = async (tx: Tx, values: unknown[]): Promise<void> => {
  const ofOutput = 'd.output_id = $1 and d.position > $3 and d.position <= $4';
  await tx.query(
    `update delivery d set attempts = (select jsonb_agg(${WITHOUT_ANSWER} order by n)
         from jsonb_array_elements(d.attempts) with ordinality each(a, n))
     where ${ofOutput} and d.attempts <> '[]'
       and ($2::text[] is null or ${monthAt('d.created_at')} <= (select max(m) from unnest($2) m))`,
    values,
  );
  await tx.query(
    `with erased as (
       update delivery d set content_erased = true, next_at = null,
         state = case when d.state = 'pending' then 'failed' else d.state end
       where ${ofOutput} and ${isErased(monthAt('d.created_at'))} returning d.delivery_id)
     delete from delivery_body b using erased e where b.delivery_id = e.delivery_id`,
    values,
  );
};

const deliveryIdOf = ({ data }: HandledEvent): string[] => ('deliveryId' in data ? [data.deliveryId] : []);

const handle = async (event: HandledEvent, rows: LoadedRows): Promise<void> => {
  const { outputs, deliveries } = rows;
  const { outputId } = event.data;
  switch (event.type) {
    case 'WebhookOutputCreated': {
      const { ownerId, url, signingSecretId } = event.data;
      const none = { previous_secret_id: null, previous_until: 0, disabled_by: null };
      const healthy = { pace: 'prompt', failing_since: null, down_delivery_id: null } as const;
      outputs.put({ output_id: outputId, owner_id: ownerId, url, secret_id: signingSecretId, ...none, ...healthy });
      return;
    }
    case 'WebhookOutputChanged':
      // The earlier failures concern the server at the old URL.
      if (event.data.url !== undefined)
        outputs.patch(outputId, { url: event.data.url, pace: 'prompt', failing_since: null });
      return;
    case 'WebhookOutputSecretRotated': {
      const { signingSecretId, previousSecretId, previousUntil } = event.data;
      const previous = { previous_secret_id: previousSecretId, previous_until: previousUntil };
      return void outputs.patch(outputId, { secret_id: signingSecretId, ...previous });
    }
    case 'WebhookOutputDisabled':
      return void outputs.patch(outputId, { disabled_by: event.data.by });
    case 'WebhookOutputEnabled':
      return void outputs.patch(outputId, { disabled_by: null, failing_since: null });
    case 'WebhookOutputDeleted':
      outputs.remove(outputId);
      return void rows.deleted.push(outputId);
    case 'DeliveryScheduled':
      return addDelivery(event, rows);
    case 'DeliverySucceeded': {
      const { deliveryId, latencyMs, attempt } = event.data;
      const row = deliveries.get(deliveryId);
      const outcome = { state: 'delivered', next_at: null, attempt, was_server_down: false } as const;
      if (row) deliveries.put({ ...row, ...outcome, ...lastEventOf(event), attempts: attemptsOf(row, event) });
      const pace = latencyMs >= SLOW_MS ? 'slow' : 'prompt';
      const stranded = outputs.get(outputId)?.down_delivery_id ?? null;
      outputs.patch(outputId, { pace, failing_since: null, down_delivery_id: null });
      // The server responds again, so deliveries that were waiting for it are sent at once, in order.
      if (row && stranded !== null) await releaseStranded(row, stranded, event.data.at, rows);
      return;
    }
    case 'DeliveryAttemptFailed': {
      const { deliveryId, at, attempt, retryAt, isServerDown, isProbe } = event.data;
      const row = deliveries.get(deliveryId);
      if (row) {
        const next = { state: retryAt === null ? 'failed' : 'pending', next_at: retryAt, attempt } as const;
        const failure = { failed: row.failed + (isProbe ? 0 : 1), failed_at: at, was_server_down: isServerDown };
        deliveries.put({ ...row, ...next, ...failure, ...lastEventOf(event), attempts: attemptsOf(row, event) });
      }
      const output = outputs.get(outputId);
      if (!output) return;
      const failing_since = output.failing_since ?? at;
      const down_delivery_id = isServerDown ? deliveryId : null;
      return void outputs.patch(outputId, { pace: 'slow', failing_since, down_delivery_id });
    }
    case 'DeliveryRetryRequested': {
      const again = { state: 'pending', next_at: event.data.at, failed: 0 } as const;
      return void deliveries.patch(event.data.deliveryId, { ...again, ...lastEventOf(event) });
    }
  }
};

const addDelivery = (
  event: Extract<HandledEvent, { type: 'DeliveryScheduled' }>,
  { outputs, deliveries, bodies }: LoadedRows,
): void => {
  const { deliveryId, outputId, ownerId, kind, body, parts, at } = event.data;
  if (!outputs.get(outputId)) return; // the output was deleted in the meantime
  if (body !== null) bodies.push({ delivery_id: deliveryId, body });
  deliveries.put({
    delivery_id: deliveryId,
    output_id: outputId,
    owner_id: ownerId,
    kind,
    state: 'pending',
    position: String(event.position),
    created_at: at,
    next_at: at,
    attempt: 0,
    failed: 0,
    failed_at: null,
    was_server_down: false,
    attempts: [],
    parts: parts?.count ?? null,
    ...lastEventOf(event),
    event_id: event.id,
    request_id: event.requestId,
    correlation_id: event.correlationId,
    content_erased: false,
  });
};

const lastEventOf = ({ revision, hash }: HandledEvent) => ({ revision: String(revision), hash });

const attemptsOf = (
  { attempts }: DeliveryRow,
  event: RecordedEventOf<DeliverySucceeded | DeliveryAttemptFailed>,
): readonly DeliveryAttempt[] => {
  const { at, status, latencyMs, answer } = event.data;
  const month = otherMonth(event, at);
  const made = { at, status, latency_ms: latencyMs, answer, ...(month !== null && { month }) };
  return [...attempts, made].slice(-SHOWN_ATTEMPTS);
};

const insertBodies = async (tx: Tx, bodies: LoadedRows['bodies']): Promise<void> => {
  if (bodies.length === 0) return;
  await tx.query({
    name: 'insert delivery bodies',
    text: `insert into delivery_body select * from json_populate_recordset(null::delivery_body, $1::json)
           on conflict (delivery_id) do nothing`,
    values: [toJsonText(bodies)],
  });
};

/**
 * Makes deliveries due that were waiting because their server was down. The delivery that failed last is left alone if
 * a later delivery has succeeded, because the server may be rejecting only the failed one. Later events in the batch
 * see the change, as they would in a separate batch.
 */
const releaseStranded = async (
  { output_id, position }: DeliveryRow,
  failedLast: string,
  at: Instant,
  { tx, deliveries }: LoadedRows,
): Promise<void> => {
  await deliveries.flush();
  const { rows } = await tx.query<{ delivery_id: string }>({
    name: 'release stranded deliveries',
    text: `update delivery set next_at = $4
           where output_id = $1 and state = 'pending' and was_server_down
             and (delivery_id <> $3 or position > $2::bigint) and next_at > $4 returning delivery_id`,
    values: [output_id, position, failedLast, at],
  });
  await deliveries.reload(rows.map(({ delivery_id }) => delivery_id));
};

const deleteDeliveries = async ({ tx, deliveries, deleted }: LoadedRows): Promise<void> => {
  const { rows } = await tx.query<{ delivery_id: string }>({
    text: `with deleted as (delete from delivery where output_id = any($1) returning delivery_id),
             bodies as (delete from delivery_body b using deleted d where b.delivery_id = d.delivery_id)
           select delivery_id from deleted`,
    values: [deleted],
  });
  deliveries.evict(rows.map(({ delivery_id }) => delivery_id));
};

/**
 * Updates outputs' due times, and wakes the workers of outputs that are now due earlier. A disabled output is due only
 * for test pings; an output that its owner's plan does not allow is never due.
 */
const updateNextDue = async (tx: Tx, outputIds: readonly string[]): Promise<void> => {
  await tx.query({
    name: 'update due outputs',
    text: `
      with found as (
        select o.output_id, o.next_due as before, case
          when o.disabled_by is null then (
            select d.next_at from delivery d where d.output_id = o.output_id and d.state = 'pending'
            order by d.next_at limit 1)
          when o.disabled_by <> 'plan' then (
            select min(d.next_at) from delivery d
            where d.output_id = o.output_id and d.state = 'pending' and d.kind = 'test.ping') end as next_due
        from output o where o.output_id = any($1)),
      changed as (
        update output o set next_due = f.next_due from found f
        where o.output_id = f.output_id and o.next_due is distinct from f.next_due)
      select pg_notify('deliveries', string_agg(distinct right(output_id, 2), ' ')) from found
      where next_due < coalesce(before, 9223372036854775807) having count(*) > 0`,
    values: [outputIds],
  });
};
