import { setTimeout as sleep } from 'node:timers/promises';
import { BEGINNING, type Position, Unavailable } from '../../../event-store/port.js';
import type { Job, JobContext, JobHandler } from '../../../jobs/job.js';
import type { Json } from '../../../kernel/ids.js';
import { withTransaction } from '../../../postgres/pool.js';
import { type Projection, tableSchema } from '../projection.js';
import {
  addCauses,
  compareSchemas,
  type ComparisonAt,
  Replay,
  type ReplayDependencies,
  type VerificationResult,
} from '../verification/verify-projection.js';
import { VersionsRefused } from '../version-store.js';
import { REBUILD_MESSAGES } from './messages.js';
import { REBUILD_PROJECTION, type RebuildParams, type Rebuilds } from './rebuilds.js';

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

/** Result of a rebuild: whether its version is live, and how it differed from the previously live version. */
type RebuildResult = { readonly version: number; readonly promoted: boolean } & Partial<VerificationResult>;

const LOOK_MS = 200;

/** The versions of a projection, and the progress of this job's version. */
interface FoundCandidate {
  readonly live: number;
  readonly candidate: number | null;
  readonly previous: number | null;
  readonly livePosition: Position;
  /** Null if the version was dropped. */
  readonly position: Position | null;
  readonly level: boolean;
  readonly stopped: boolean;
  readonly code: number;
}

/**
 * Creates the rebuild job handler. It waits until the candidate has caught up, compares it with the live version, and
 * promotes it if requested. Its state is in the database, so an interrupted job can resume.
 */
export const createRebuildHandler = (
  deps: ReplayDependencies,
  rebuilds: Rebuilds,
  projections: readonly Projection[],
): JobHandler => ({
  kind: REBUILD_PROJECTION,
  async run(job, context) {
    const params = job.params as unknown as RebuildParams;
    const { version } = params;
    const projection = projections.find(({ name }) => name === params.projection);
    const waiting = await waitUntilLevel(deps, params, projection, context);
    if (!waiting) return null; // aborted
    if (waiting.hasEnded) return { version, promoted: true };
    await rebuilds.carryOver(projection!.name, version);
    const versions = { live: waiting.live, candidate: version };
    const verification = await compareCandidate(deps, projection!, versions, context.signal);
    if (context.signal.aborted) return null;
    const promoted = params.promote === 'auto';
    const result: RebuildResult = { version, promoted, ...verification };
    return (promoted ? await promote(rebuilds, job, params, result, context) : result) as Json;
  },
});

/**
 * @returns null if the signal was aborted
 * @throws Error if the candidate is gone
 * @throws Unavailable if another program fills the candidate
 */
const waitUntilLevel = async (
  { pool }: ReplayDependencies,
  { projection: name, version }: RebuildParams,
  projection: Projection | undefined,
  { signal, report }: JobContext,
): Promise<{ readonly hasEnded: boolean; readonly live: number } | null> => {
  while (!signal.aborted) {
    const found = await findCandidate(pool, name, version);
    const { live, position, level, stopped, code } = found;
    if (live === version || found.previous === version) return { hasEnded: true, live };
    if (found.candidate !== version || position === null) throw new Error(REBUILD_MESSAGES.replaced);
    if (projection?.version !== code)
      throw new Unavailable(REBUILD_MESSAGES.otherProgram({ version, projection: name }));
    if (level && !stopped) return { hasEnded: false, live };
    const all = Number(found.livePosition - BEGINNING);
    report(all === 0 ? 0 : Math.min(0.99, Number(position - BEGINNING) / all));
    await sleep(LOOK_MS);
  }
  return null;
};

const findCandidate = async (
  pool: ReplayDependencies['pool'],
  name: string,
  version: number,
): Promise<FoundCandidate> => {
  const { rows } = await pool.query<FoundCandidate>(
    `select p.live_version as live, p.candidate_version as candidate, p.previous_version as previous,
       l.position as "livePosition", o.position, o.level, o.failure is not null as stopped, o.code
     from ops_projection p join ops_checkpoint l on l.name = p.name and l.version = p.live_version
     left join ops_checkpoint o on o.name = p.name and o.version = $2 where p.name = $1`,
    [name, version],
  );
  if (!rows[0]) throw new Error(REBUILD_MESSAGES.replaced);
  return rows[0];
};

const promote = async (
  rebuilds: Rebuilds,
  job: Job,
  params: RebuildParams,
  result: RebuildResult,
  { signal }: JobContext,
): Promise<RebuildResult | null> => {
  while (!signal.aborted) {
    try {
      await rebuilds.promoteByJob(job, params, result);
      return result;
    } catch (error) {
      if (!(error instanceof VersionsRefused)) throw error;
      // The operator has promoted or discarded the candidate, so read the job again.
      if (error.refusal === 'no_candidate') throw new Unavailable(error.message);
      await sleep(LOOK_MS); // the views may be in use, or the candidate may be behind or have just stopped
    }
  }
  return null;
};
