import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type {
  BodyParts,
  DeliveryBodyPartStored,
  DeliveryEvent,
  DeliveryScheduled,
  DeliveryStatus,
} from '../../domain/delivery/delivery.events.js';
import { EventCodec, isDamaged } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore, type StoredEvent } from '../../event-store/port.js';
import type { Instant } from '../../kernel/clock.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import type { PartOfList } from '../../kernel/ids.js';
import { POOL } from '../../postgres/tokens.js';
import { Batcher } from '../../runtime/batcher.js';
import { ProjectionProgress, READER_TIMEOUT_MS } from '../engine/progress.js';
import { boundedList, IS_CUT, SHOWN_BYTES } from '../list-bounds.js';
import { PostHorizon } from '../posts/archived-posts.queries.js';
import { foldDelivery } from './webhook-deliveries.projection.js';
import { DELIVERIES, type DeliveryOutputRow, type DeliveryRow, deliveryRows } from './webhook-deliveries.tables.js';

/** A delivery with its body, unless the body is stored in parts or its retention has passed. */
export type DeliveryWithBody = DeliveryRow & { readonly body: string | null };

/** A delivery by its id. */
export type FoundDelivery = DeliveryWithBody & {
  /** True if its row has left, so that it can be read and not be sent again (D-101). */
  readonly isArchived: boolean;
};

/** A delivery in a list. A body that is large or only in the event store is omitted. */
export type ListedDelivery = DeliveryWithBody & { readonly body_truncated: boolean };

/** Approximate size in bytes of a delivery in a response, without its attempts and body. */
const DELIVERY_BYTES = 500;

const SELECTION = `
  select to_jsonb(d) || jsonb_build_object('position', d.position::text, 'body', b.body) as row
  from ${DELIVERIES}.delivery d left join ${DELIVERIES}.delivery_body b using (delivery_id)`;

/**
 * Finds a delivery; null if there is none.
 * @param ownerId owner that it must belong to; null for any owner
 */
@Injectable()
export class FindDelivery {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly codec: EventCodec,
    private readonly progress: ProjectionProgress,
  ) {}

  async execute(deliveryId: string, ownerId: string | null): Promise<FoundDelivery | null> {
    await this.progress.waitUntilCaughtUp(['webhook-deliveries'], this.store);
    return (await this.findRow(deliveryId, ownerId)) ?? this.findArchived(deliveryId, ownerId);
  }

  private async findRow(deliveryId: string, ownerId: string | null): Promise<FoundDelivery | null> {
    const { rows } = await this.pool.query<{ row: DeliveryWithBody }>({
      name: 'find delivery',
      text: `${SELECTION} where d.delivery_id = $1 and ($2::text is null or d.owner_id = $2)`,
      values: [deliveryId, ownerId],
    });
    return rows[0] ? { ...rows[0].row, isArchived: false } : null;
  }

  private async findArchived(deliveryId: string, ownerId: string | null): Promise<FoundDelivery | null> {
    const stored = await this.store.readStream(`delivery-${deliveryId}`);
    const events = stored.map((event) => this.codec.decode(event) as RecordedEventOf<DeliveryEvent>);
    const [first] = events;
    if (first?.type !== 'DeliveryScheduled') return null;
    // If the read model has applied the first event but has no row, it has let go of the delivery.
    if (!(await this.progress.waitFor(['webhook-deliveries'], first.position, READER_TIMEOUT_MS))) return null;
    const late = await this.findRow(deliveryId, ownerId);
    if (late) return late;
    const { rows } = await this.pool.query<{ row: DeliveryOutputRow }>({
      name: 'output of an archived delivery',
      text: `select to_jsonb(o) as row from ${DELIVERIES}.output o
             where o.output_id = $1 and ($2::text is null or o.owner_id = $2)`,
      values: [first.data.outputId, ownerId],
    });
    const row = rows[0] && (await foldDelivery(rows[0].row, events));
    return row ? { ...row, body: null, isArchived: true } : null;
  }
}

/**
 * Lists the deliveries of a webhook output, newest first, as many as fit in one response.
 * @param page.before position, exclusive; null to start with the newest
 */
@Injectable()
export class ListDeliveries {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly progress: ProjectionProgress,
    private readonly horizon: PostHorizon,
  ) {}

  async execute(
    outputId: string,
    state: DeliveryStatus | undefined,
    { before, limit }: { readonly before: string | null; readonly limit: number },
  ): Promise<PartOfList<ListedDelivery>> {
    await this.progress.waitUntilCaughtUp(['webhook-deliveries'], this.store);
    // Conditions that do not apply are omitted, so that each list can use an index.
    const values: unknown[] = [outputId, limit];
    const conditions = ['d.output_id = $1'];
    if (state !== undefined) conditions.push(`d.state = $${values.push(state)}`);
    if (before !== null) conditions.push(`d.position < $${values.push(before)}`);
    const select = `
      select d.*, case when octet_length(b.body) <= ${SHOWN_BYTES} then b.body end as body,
        coalesce(octet_length(b.body) > ${SHOWN_BYTES}, true) as body_truncated,
        ${DELIVERY_BYTES} + octet_length(d.attempts::text)
          + case when octet_length(b.body) <= ${SHOWN_BYTES} then octet_length(b.body) else 0 end as bytes
      from ${DELIVERIES}.delivery d left join ${DELIVERIES}.delivery_body b using (delivery_id)
      where ${conditions.join(' and ')} order by d.position desc limit $2`;
    const text = `${boundedList(select, 'position desc')}
      select to_jsonb(d) || jsonb_build_object('position', d.position::text) as row, ${IS_CUT}
      from shown d order by d.position desc`;
    const { rows } = await this.pool.query<{ row: ListedDelivery; is_cut: boolean }>(text, values);
    const part = { rows: rows.map(({ row }) => row), isCut: rows[0]?.is_cut ?? false };
    return this.horizon.endList(part, limit);
  }
}

/**
 * Finds a webhook output's undelivered deliveries with a failed attempt at or after a time, in order.
 * @param after position, exclusive
 */
@Injectable()
export class FindFailedDeliveries {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly progress: ProjectionProgress,
  ) {}

  async execute(outputId: string, since: Instant, after: string, limit: number) {
    await this.progress.waitUntilCaughtUp(['webhook-deliveries'], this.store);
    const { rows } = await this.pool.query<{ deliveryId: string; position: string }>({
      name: 'find failed deliveries',
      text: `select delivery_id as "deliveryId", position::text from ${DELIVERIES}.delivery
             where output_id = $1 and state in ('pending', 'failed') and not content_erased and failed_at >= $2 and position > $3
             order by delivery.position limit $4`,
      values: [outputId, since, after, limit],
    });
    return rows;
  }
}

/**
 * Returns the name of the stream that holds the parts of a large body (D-42).
 * @param sha256 hash of the body, if it has its own stream; omit it for the stream of the body that was stored first
 * (ADR-153)
 */
export const bodyStreamName = (deliveryId: string, sha256?: string): string =>
  `deliveryBody-${deliveryId}${sha256 === undefined ? '' : `-${sha256}`}`;

/** Reads the bodies of deliveries. */
@Injectable()
export class DeliveryBodies {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly codec: EventCodec,
  ) {}

  /**
   * Returns a delivery's body exactly as it is signed and sent; null if it is missing or differs from the scheduled
   * body. If the read model lacks the body, because its retention has passed or it is stored in parts, it is read from
   * the event store.
   * @throws Unavailable
   */
  async readBody({ delivery_id, body }: Pick<DeliveryWithBody, 'delivery_id' | 'body'>): Promise<string | null> {
    if (body !== null) return body;
    const [stored] = await this.store.readStream(`delivery-${delivery_id}`, { limit: 1 });
    const scheduled = stored && this.decode<DeliveryScheduled>(stored);
    if (!scheduled) return null;
    return scheduled.body ?? (scheduled.parts ? this.assembleParts(delivery_id, scheduled.parts) : null);
  }

  /** Returns an event's data; null if it is damaged. */
  private decode<E extends DeliveryScheduled | DeliveryBodyPartStored>(stored: StoredEvent): E['data'] | null {
    try {
      return this.codec.decode<E>(stored).data;
    } catch (error) {
      if (isDamaged(error)) return null;
      throw error;
    }
  }

  private async assembleParts(deliveryId: string, { count, sha256 }: BodyParts): Promise<string | null> {
    for (const stream of [bodyStreamName(deliveryId), bodyStreamName(deliveryId, sha256)]) {
      const stored = await this.store.readStream(stream, { limit: count });
      const chunks = stored.map((part) => this.decode<DeliveryBodyPartStored>(part)?.chunk ?? '');
      const bytes = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk, 'base64')));
      if (createHash('sha256').update(bytes).digest('hex') === sha256) return bytes.toString('utf8');
    }
    return null;
  }
}

/** A delivery to send. */
export type DueDelivery = Omit<DeliveryWithBody, 'attempts'>;

/** A webhook output and its due deliveries. */
export interface OutputQueue {
  readonly output: DeliveryOutputRow;
  /** In scheduling order. */
  readonly due: readonly DueDelivery[];
  /** The first delivery that is waiting because the server seems to be down, if it precedes the due deliveries. */
  readonly probe: DueDelivery | null;
}

interface QueueRequest {
  readonly outputId: string;
  readonly now: Instant;
}

type QueueRow = Omit<OutputQueue, 'probe'>;

/** Maximum number of deliveries to read per output, and the total body size at which a read stops early. */
const MOST = { deliveries: 50, bytes: 262_144 };
/** Number of outputs that share a read; their bodies total at most 5 MB. */
const MOST_OUTPUTS = 20;

/** SQL: the columns of a delivery `d` and its body `b`, without the attempts, which may be long. */
const COLUMNS = [
  ...deliveryRows.columns
    .filter((column) => column !== 'attempts')
    .map((column) => (column === 'position' ? 'd.position::text' : `d.${column}`)),
  'b.body',
].join(', ');

/** Reads the queues of outputs. Concurrent reads share a query. */
@Injectable()
export class OutputQueues {
  private readonly reads = new Batcher<QueueRequest, QueueRow | null>((requests) => this.readQueues(requests), {
    maxBatchSize: MOST_OUTPUTS,
    concurrency: 2,
  });

  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /**
   * Reads the deliveries that are due at the given time.
   * @returns null if the output does not exist or nothing is due
   */
  async readQueue(outputId: string, now: Instant): Promise<OutputQueue | null> {
    const found = await this.reads.submit({ outputId, now });
    if (!found) return null;
    const { output, due } = found;
    const isDown = output.down_delivery_id !== null && output.disabled_by === null;
    return { output, due, probe: isDown ? await this.findProbe(outputId, due[0]!.position) : null };
  }

  private async readQueues(requests: readonly QueueRequest[]): Promise<(QueueRow | null)[]> {
    const { rows } = await this.pool.query<QueueRow>({
      name: 'read output queues',
      text: `
        select to_json(o) as output, q.due
        from unnest($1::text[], $2::bigint[]) request(output_id, now) join ${DELIVERIES}.output o using (output_id)
        cross join lateral (
          select json_agg(f.row order by f.number) as due from (
            select r.row, r.number, sum(r.bytes) over (order by r.number) - r.bytes as bytes_before from (
              select to_json(w) as row, w.position::bigint as number, coalesce(octet_length(w.body), 0) as bytes from (
                select ${COLUMNS} from ${DELIVERIES}.delivery d left join ${DELIVERIES}.delivery_body b using (delivery_id)
                where d.output_id = o.output_id and d.state = 'pending' and d.next_at <= request.now
                  and (o.disabled_by is null or (o.disabled_by <> 'plan' and d.kind = 'test.ping'))
                order by d.position limit ${MOST.deliveries}) w) r) f
          where f.bytes_before < ${MOST.bytes}) q
        where q.due is not null`,
      values: [requests.map(({ outputId }) => outputId), requests.map(({ now }) => now)],
    });
    const byOutput = new Map(rows.map((row) => [row.output.output_id, row]));
    return requests.map(({ outputId }) => byOutput.get(outputId) ?? null);
  }

  private async findProbe(outputId: string, before: string): Promise<DueDelivery | null> {
    const { rows } = await this.pool.query<{ row: DueDelivery }>({
      name: 'find probe',
      text: `
        select to_json(w) as row from (
          select ${COLUMNS} from ${DELIVERIES}.delivery d left join ${DELIVERIES}.delivery_body b using (delivery_id)
          where d.output_id = $1 and d.state = 'pending' and d.was_server_down and d.position < $2
          order by d.position limit 1) w`,
      values: [outputId, before],
    });
    return rows[0]?.row ?? null;
  }
}
