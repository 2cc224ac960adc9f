import type { Pool } from 'pg';
import type { Instant } from '../../kernel/instant.js';
import type { DeliveryWithBody } from './webhook-deliveries.queries.js';
import { DELIVERIES, type DeliveryOutputRow } from './webhook-deliveries.tables.js';

/** The due deliveries of a webhook output, in order, with what is needed to send them. */
export interface OutputQueue {
  readonly output: DeliveryOutputRow;
  readonly due: readonly DeliveryWithBody[];
  /** The first delivery that waits because the server seems to be down, if it comes before those that are due. */
  readonly probe: DeliveryWithBody | null;
}

const BATCH_SIZE = 50;
const ROW = `to_jsonb(d) || jsonb_build_object('position', d.position::text, 'body', b.body)`;

/** Reads the queue of an output. */
export class OutputQueues {
  constructor(private readonly pool: Pool) {}

  /** Reads what is due at a time. @returns null if the output does not exist or waits for nothing */
  async readQueue(outputId: string, now: Instant): Promise<OutputQueue | null> {
    const { rows } = await this.pool.query<{ output: DeliveryOutputRow; due: DeliveryWithBody[] }>({
      name: 'read output queue',
      text: `
        select to_jsonb(o) as output, coalesce((
          select json_agg(q.row order by q.position) from (
            select ${ROW} as row, d.position from ${DELIVERIES}.delivery d
            left join ${DELIVERIES}.delivery_body b using (delivery_id)
            where d.output_id = o.output_id and d.state = 'pending' and d.next_at <= $2
              and (o.disabled_by is null or (o.disabled_by <> 'plan' and d.kind = 'test.ping'))
            order by d.position limit ${BATCH_SIZE}) q), '[]') as due
        from ${DELIVERIES}.output o where o.output_id = $1`,
      values: [outputId, now],
    });
    const [found] = rows;
    if (!found || found.due.length === 0) return null;
    const { output, due } = found;
    const isDown = output.down_delivery_id !== null && output.disabled_by === null;
    return { output, due, probe: isDown ? await this.findProbe(outputId, due[0]!.position) : null };
  }

  private async findProbe(outputId: string, before: string): Promise<DeliveryWithBody | null> {
    const { rows } = await this.pool.query<{ row: DeliveryWithBody }>({
      name: 'find probe',
      text: `
        select ${ROW} as row from ${DELIVERIES}.delivery d left join ${DELIVERIES}.delivery_body b using (delivery_id)
        where d.output_id = $1 and d.state = 'pending' and d.was_server_down and d.position < $2
        order by d.position limit 1`,
      values: [outputId, before],
    });
    return rows[0]?.row ?? null;
  }
}
