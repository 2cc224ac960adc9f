import type { Pool, PoolClient } from 'pg';
import type { ProjectionEvent } from '../../../domain/projection/projection.events.js';
import type { CommandContext } from '../../../event-store/codec.js';
import type { Position } from '../../../event-store/port.js';

/** A decision about the versions of a projection, with its event and the context of its command. */
export interface Decision {
  readonly projection: string;
  readonly event: ProjectionEvent;
  readonly context: CommandContext;
}

/** Appends the event for a decision; repeated calls append nothing. @returns the event's position */
export type RecordDecision = (decision: Decision) => Promise<Position>;

/** How long a decision is kept after its event was appended: longer than an Idempotency-Key remains valid. */
const KEPT = "interval '7 days'";

/**
 * Records decisions in the event store once the database has carried them out. The transaction that swaps versions
 * notes the decision. Its event is then appended by the process that made the decision, or by a worker that finds the
 * note (ADR-148).
 */
export class Decisions {
  constructor(
    private readonly pool: Pool,
    private readonly record: RecordDecision,
  ) {}

  /** Notes a decision in the transaction that carries it out. */
  static async note(tx: Pick<PoolClient, 'query'>, { projection, event, context }: Decision): Promise<void> {
    await tx.query(
      'insert into ops_projection_decision (command_id, projection, event, context) values ($1, $2, $3, $4)',
      [context.commandId, projection, JSON.stringify(event), JSON.stringify(context)],
    );
  }

  /** True if a command's decision has been carried out. */
  static async isNoted(db: Pick<Pool, 'query'>, commandId: string): Promise<boolean> {
    const { rowCount } = await db.query('select from ops_projection_decision where command_id = $1', [commandId]);
    return rowCount !== 0;
  }

  /**
   * Appends the events of a projection's pending decisions, in order.
   * @returns the position of the last event; -1n if there was none
   */
  async append(projection: string): Promise<Position> {
    const { rows } = await this.pool.query<Decision & { readonly number: bigint }>(
      `select number, projection, event, context from ops_projection_decision
       where projection = $1 and recorded_at is null order by number`,
      [projection],
    );
    let position = -1n;
    for (const { number, ...decision } of rows) {
      position = await this.record(decision);
      await this.pool.query('update ops_projection_decision set recorded_at = now() where number = $1', [number]);
    }
    if (rows.length > 0)
      await this.pool.query(`delete from ops_projection_decision where recorded_at < now() - ${KEPT}`);
    return position;
  }
}
