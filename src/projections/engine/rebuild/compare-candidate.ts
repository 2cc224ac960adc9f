import { setTimeout as sleep } from 'node:timers/promises';
import type { Position } from '../../../event-store/port.js';
import { withTransaction } from '../../../postgres/pool.js';
import { type Projection, tableSchema } from '../projection.js';
import { addCauses, type ComparisonAt } from '../verification/causes.js';
import { compareSchemas } from '../verification/compare-schemas.js';
import { Replay, type ReplayDependencies } from '../verification/replay.js';
import type { VerificationResult } from '../verification/verify-projection.js';

/** How long to keep trying, in ms. A stopped live version may never reach the candidate's position. */
const TRY_FOR_MS = 30_000;
const RETRY_MS = 25;
/** Raised when a lane has committed since the snapshot was taken. */
const SERIALIZATION_FAILURE = '40001';

/**
 * Compares a candidate with the live version at the same position, in one snapshot. It locks the candidate's
 * checkpoint, applies the events up to the live position to the candidate, compares the rows, and rolls everything
 * back. Only the candidate's lane waits.
 * @returns null if the versions could not be compared in time, or the signal was aborted
 */
export const compareCandidate = async (
  deps: ReplayDependencies,
  projection: Projection,
  versions: { readonly live: number; readonly candidate: number },
  signal: AbortSignal,
): Promise<VerificationResult | null> => {
  const until = performance.now() + TRY_FOR_MS;
  while (!signal.aborted && performance.now() <= until) {
    const compared = await tryToCompare(deps, projection, versions);
    if (compared) return addCauses(deps.store, compared, signal);
    await sleep(RETRY_MS);
  }
  return null;
};

/** @returns null if the live version is behind, or a lane has just committed */
const tryToCompare = async (
  deps: ReplayDependencies,
  projection: Projection,
  { live, candidate }: { readonly live: number; readonly candidate: number },
): Promise<ComparisonAt | null> => {
  const schema = tableSchema(projection.name, candidate);
  try {
    return await withTransaction(
      deps.pool,
      async (tx) => {
        await tx.query('set local statement_timeout = 0');
        const read = async (version: number, lock: string): Promise<Position> => {
          const text = `select position from ops_checkpoint where name = $1 and version = $2 ${lock}`;
          const { rows } = await tx.query<{ position: Position }>(text, [projection.name, version]);
          if (!rows[0]) throw new Error(`version ${version} of ${projection.name} was dropped`);
          return rows[0].position;
        };
        const replay = new Replay(deps, projection, schema, await read(candidate, 'for update'));
        const position = await read(live, '');
        if (replay.position > position) return null;
        await replay.start();
        while (replay.position < position) await replay.advance(tx, position);
        const comparison = await compareSchemas(tx, tableSchema(projection.name, live), schema, projection);
        await tx.query('rollback'); // the candidate's lane will apply these events
        return { ...comparison, position };
      },
      'repeatable read',
    );
  } catch (error) {
    if ((error as { code?: unknown }).code === SERIALIZATION_FAILURE) return null;
    throw error;
  }
};
