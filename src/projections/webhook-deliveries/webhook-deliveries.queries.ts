import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { DeliveryStatus } from '../../domain/delivery/delivery.events.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import type { Instant } from '../../kernel/instant.js';
import type { PartOfList } from '../../kernel/part-of-list.js';
import { POOL } from '../../postgres/tokens.js';
import { ProjectionProgress } from '../engine/progress.js';
import { boundedList, IS_CUT, SHOWN_BYTES } from '../list-bounds.js';
import { DELIVERIES, type DeliveryRow } from './webhook-deliveries.tables.js';

/** A delivery with its body, unless the body is stored in parts or its retention has passed. */
export type DeliveryWithBody = DeliveryRow & { readonly body: string | null };

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
    private readonly progress: ProjectionProgress,
  ) {}

  async execute(deliveryId: string, ownerId: string | null): Promise<DeliveryWithBody | null> {
    await this.progress.waitUntilCaughtUp(['webhook-deliveries'], this.store);
    const { rows } = await this.pool.query<{ row: DeliveryWithBody }>({
      name: 'find delivery',
      text: `${SELECTION} where d.delivery_id = $1 and ($2::text is null or d.owner_id = $2)`,
      values: [deliveryId, ownerId],
    });
    return rows[0]?.row ?? null;
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
    return { rows: rows.map(({ row }) => row), isCut: rows[0]?.is_cut ?? false };
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
             where output_id = $1 and state in ('pending', 'failed') and failed_at >= $2 and position > $3
             order by delivery.position limit $4`,
      values: [outputId, since, after, limit],
    });
    return rows;
  }
}
