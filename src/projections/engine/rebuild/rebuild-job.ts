import { setTimeout as sleep } from 'node:timers/promises';
import type { Position } from '../../../event-store/port.js';
import { BEGINNING, Unavailable } from '../../../event-store/port.js';
import type { Job, JobContext, JobHandler } from '../../../jobs/job.js';
import type { Json } from '../../../kernel/json.js';
import type { Projection } from '../projection.js';
import type { ReplayDependencies } from '../verification/replay.js';
import type { VerificationResult } from '../verification/verify-projection.js';
import { VersionsRefused } from '../version-store.js';
import { compareCandidate } from './compare-candidate.js';
import { REBUILD_MESSAGES } from './messages.js';
import { REBUILD_PROJECTION, type RebuildParams, type Rebuilds } from './rebuilds.js';

/** Result of a rebuild: whether its version is live, and how it differed from the previously live version. */
type RebuildResult = { readonly version: number; readonly promoted: boolean } & Partial<VerificationResult>;

const LOOK_MS = 200;

/** The versions of a projection, as a rebuild's job finds them. */
interface FoundCandidate {
  readonly live: number;
  readonly candidate: number | null;
  readonly previous: number | null;
  /** This job's version; null if it was dropped. */
  readonly own: {
    readonly position: Position;
    readonly level: boolean;
    readonly stopped: boolean;
    readonly code: number;
  } | null;
  readonly livePosition: Position;
}

/**
 * Creates the handler of rebuilds, which waits until the candidate has caught up, compares it with the live version,
 * and promotes it if requested. Its state is in the database, so an interrupted job can resume.
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
    const verification = await compareCandidate(
      deps,
      projection!,
      { live: waiting.found.live, candidate: version },
      context.signal,
    );
    if (context.signal.aborted) return null;
    const describe = (promoted: boolean): RebuildResult => ({ version, promoted, ...verification });
    if (params.promote === 'auto') return (await promote(rebuilds, job, params, describe(true), context)) as Json;
    return describe(false) as unknown as Json;
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
): Promise<{ readonly hasEnded: boolean; readonly found: FoundCandidate } | null> => {
  while (!signal.aborted) {
    const found = await findCandidate(pool, name, version);
    if (found.live === version || found.previous === version) return { hasEnded: true, found };
    if (found.candidate !== version || !found.own) throw new Error(REBUILD_MESSAGES.replaced);
    const { position, level, stopped, code } = found.own;
    if (projection?.version !== code)
      throw new Unavailable(REBUILD_MESSAGES.otherProgram({ version, projection: name }));
    if (level && !stopped) return { hasEnded: false, found };
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
  const { rows } = await pool.query<
    Omit<FoundCandidate, 'own'> & { position: Position | null; level: boolean; stopped: boolean; code: number }
  >(
    `select p.live_version as live, p.candidate_version as candidate, p.previous_version as previous,
       l.position as "livePosition", o.position, o.level, o.failure is not null as stopped, o.code
     from ops_projection p join ops_checkpoint l on l.name = p.name and l.version = p.live_version
     left join ops_checkpoint o on o.name = p.name and o.version = $2 where p.name = $1`,
    [name, version],
  );
  if (!rows[0]) throw new Error(REBUILD_MESSAGES.replaced);
  const { position, level, stopped, code, ...found } = rows[0];
  return { ...found, own: position === null ? null : { position, level, stopped, code } };
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
      await sleep(LOOK_MS); // the views may be in use, or the candidate behind or just stopped
    }
  }
  return null;
};
