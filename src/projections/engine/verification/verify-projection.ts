import type { PoolClient } from 'pg';
import { BEGINNING, type EventStore, type Position } from '../../../event-store/port.js';
import type { JobContext, JobHandler } from '../../../jobs/job.js';
import type { Json } from '../../../kernel/json.js';
import { withTransaction } from '../../../postgres/pool.js';
import { type Projection, tableSchema, viewSchema } from '../projection.js';
import { VERIFY_PROJECTION } from '../projection-status.queries.js';
import { compareSchemas, type Comparison, type Difference } from './compare-schemas.js';
import { Replay, type ReplayDependencies } from './replay.js';

/** A comparison of two versions, and the position at which they were compared. */
export interface ComparisonAt extends Comparison {
  readonly position: Position;
}

const BATCH = 500;
/** Maximum number of events per example. */
const CAUSES = 20;

/** Adds to each difference the events that contain its key, found in one pass over the log. */
export const addCauses = async (
  store: Pick<EventStore, 'readAll'>,
  { position: until, differences, ...totals }: ComparisonAt,
  signal: AbortSignal,
): Promise<VerificationResult> => {
  const causes = new Map<string, string[]>();
  for (const { key } of differences) for (const needle of needlesOf(key)) causes.set(needle, []);
  let after = BEGINNING;
  while (causes.size > 0 && after < until && !signal.aborted) {
    const events = await store.readAll({ after, limit: BATCH });
    if (events.length === 0) break;
    after = events.at(-1)!.position;
    for (const event of events) {
      if (event.position > until) break;
      for (const [needle, ids] of causes) {
        if (String(event.position) !== needle && !event.stream.includes(needle) && !event.data.includes(needle))
          continue;
        ids.push(event.id);
        if (ids.length > CAUSES) ids.shift();
      }
    }
  }
  const examples = differences.map(({ key, ...difference }) => ({
    ...difference,
    key: key.map(textOf).join('/'),
    events: needlesOf(key).flatMap((needle) => causes.get(needle) ?? []),
  }));
  return { position: String(until), ...totals, examples };
};

/**
 * Returns the part of a key that best identifies its row: the text before the first slash, such as the owner in
 * `<owner>/<month>`.
 */
const needlesOf = ([first]: readonly Json[]): readonly string[] =>
  first === undefined ? [] : [textOf(first).split('/')[0]!];

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

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

/**
 * Creates the verification job handler. An interrupted verification restarts under the same job, which is safe because
 * it writes only to its own tables.
 */
export const createProjectionVerification = (
  deps: ReplayDependencies,
  projections: readonly Projection[],
): JobHandler => ({
  kind: VERIFY_PROJECTION,
  run: async ({ params }, context) => {
    const projection = projections.find(({ name }) => name === params.projection);
    if (!projection) throw new Error(`this program has no projection ${JSON.stringify(params.projection)}`);
    return (await verifyProjection(deps, projection, context)) as unknown as Json;
  },
});
