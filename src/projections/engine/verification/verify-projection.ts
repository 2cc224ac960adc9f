import type { PoolClient } from 'pg';
import { BEGINNING, type Position } from '../../../event-store/port.js';
import { withTransaction } from '../../../postgres/pool.js';
import { type Projection, tableSchema, viewSchema } from '../projection.js';
import { addCauses, type DifferenceExample } from './causes.js';
import { compareSchemas } from './compare-schemas.js';
import { Replay, type ReplayDependencies } from './replay.js';

/** Context passed to a running verification. */
export interface VerificationContext {
  readonly signal: AbortSignal;
  /** @param progress from 0 to 1 */
  readonly report: (progress: number) => void;
}

/** Result of a verification (management-api.md: `POST /projections/{name}/verify`). */
export interface VerificationResult {
  readonly position: string;
  readonly rows: number;
  readonly missing: number;
  readonly extra: number;
  readonly different: number;
  readonly examples: readonly DifferenceExample[];
}

/**
 * Compares the live version of a projection with a fresh replay of the log, at the same position. The replay fills a
 * separate schema. Its last events are applied in the transaction that compares, which sees the live tables and their
 * position in one snapshot, so the live version need not stop (ADR-147). Only one verification per projection runs at a
 * time; it first drops the tables that a killed verification left behind.
 * @returns null if the signal was aborted first
 * @throws Error if this process does not have the code of the live version
 */
export const verifyProjection = async (
  deps: ReplayDependencies,
  projection: Projection,
  { signal, report }: VerificationContext,
): Promise<VerificationResult | null> => {
  const schema = `${viewSchema(projection.name)}_fresh`;
  const replay = new Replay(deps, projection, schema);
  await replay.createTables();
  try {
    await replay.start();
    for (;;) {
      const { position } = await readLive(deps.pool, projection);
      if (position <= replay.position) break;
      const isNear = await replay.isWithinBatch(position);
      if (isNear) break;
      while (replay.position < position) {
        if (signal.aborted) return null;
        await withTransaction(deps.pool, (tx) => replay.advance(tx, position));
        report(Number(replay.position - BEGINNING) / Number(position - BEGINNING));
      }
    }
    const { position, comparison } = await withTransaction(
      deps.pool,
      async (tx) => {
        await tx.query('set local statement_timeout = 0');
        const live = await readLive(tx, projection);
        while (replay.position < live.position) await replay.advance(tx, live.position);
        if (replay.position > live.position) throw new Error(`${projection.name} has gone back to ${live.position}`);
        const tables = tableSchema(projection.name, live.version);
        await replay.carryOver(tx, tables);
        return { position: live.position, comparison: await compareSchemas(tx, tables, schema, projection) };
      },
      'repeatable read',
    );
    const { differences, ...totals } = comparison;
    const examples = await addCauses(deps.store, differences, position, signal);
    return { position: String(position), ...totals, examples };
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
