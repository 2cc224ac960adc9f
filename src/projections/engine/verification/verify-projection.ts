import type { PoolClient } from 'pg';
import { BEGINNING, type Position } from '../../../event-store/port.js';
import type { JobContext } from '../../../jobs/job.js';
import { withTransaction } from '../../../postgres/pool.js';
import { type Projection, tableSchema, viewSchema } from '../projection.js';
import { addCauses } from './causes.js';
import { compareSchemas, type Comparison, type Difference } from './compare-schemas.js';
import { Replay, type ReplayDependencies } from './replay.js';

/** A row that differs between the live and the fresh tables. */
interface DifferenceExample extends Omit<Difference, 'key'> {
  /** Values of the primary key, joined by slashes. */
  readonly key: string;
  /** Ids of the newest events that contain the key, oldest first. */
  readonly events: readonly string[];
}

/** Result of a verification (management-api.md: `POST /projections/{name}/verify`). */
export interface VerificationResult extends Omit<Comparison, 'differences'> {
  readonly position: string;
  readonly examples: readonly DifferenceExample[];
}

/**
 * Compares the live version of a projection with a fresh replay of the log in a separate schema, at the same position.
 * The transaction that compares them first applies the remaining events. It sees the live tables and their position in
 * one snapshot, so the live version can keep running (ADR-147). Only one verification per projection may run at a time;
 * it first drops any tables left behind by a killed verification.
 * @returns null if the signal was aborted first
 * @throws Error if this process does not have the live version's code
 */
export const verifyProjection = async (
  deps: ReplayDependencies,
  projection: Projection,
  { signal, report }: JobContext,
): Promise<VerificationResult | null> => {
  const schema = `${viewSchema(projection.name)}_fresh`;
  const replay = new Replay(deps, projection, schema);
  await replay.createTables();
  try {
    await replay.start();
    for (;;) {
      const { position } = await readLive(deps.pool, projection);
      if (position <= replay.position) break;
      if (await replay.isWithinBatch(position)) break;
      while (replay.position < position) {
        if (signal.aborted) return null;
        await withTransaction(deps.pool, (tx) => replay.advance(tx, position));
        report(Number(replay.position - BEGINNING) / Number(position - BEGINNING));
      }
    }
    const compared = await withTransaction(
      deps.pool,
      async (tx) => {
        await tx.query('set local statement_timeout = 0');
        const live = await readLive(tx, projection);
        while (replay.position < live.position) await replay.advance(tx, live.position);
        if (replay.position > live.position) throw new Error(`${projection.name} has gone back to ${live.position}`);
        const tables = tableSchema(projection.name, live.version);
        await replay.carryOver(tx, tables);
        return { ...(await compareSchemas(tx, tables, schema, projection)), position: live.position };
      },
      'repeatable read',
    );
    return await addCauses(deps.store, compared, signal);
  } finally {
    await replay.drop().catch(() => undefined);
  }
};

const readLive = async (
  db: Pick<PoolClient, 'query'>,
  { name, version: code }: Projection,
): Promise<{ version: number; position: Position }> => {
  const { rows } = await db.query<{ version: number; position: Position; code: number }>(
    `select c.version, c.position, c.code from ops_projection p
     join ops_checkpoint c on c.name = p.name and c.version = p.live_version where p.name = $1`,
    [name],
  );
  if (rows[0]?.code !== code) throw new Error(`${name} is filled by another version of the program`);
  return rows[0];
};
