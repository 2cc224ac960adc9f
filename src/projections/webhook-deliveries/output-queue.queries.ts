import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Instant } from '../../kernel/instant.js';
import { POOL } from '../../postgres/tokens.js';
import { Batcher } from '../../runtime/batcher.js';
import type { DeliveryWithBody } from './webhook-deliveries.queries.js';
import { DELIVERIES, type DeliveryOutputRow, deliveryRows } from './webhook-deliveries.tables.js';

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
