import type { Pool } from 'pg';
import type { Position } from '../../event-store/port.js';
import { unhurried, withTransaction } from '../../postgres/pool.js';
import { type Projection, type ReadModel, tableSchema } from './projection.js';
import { type Version, versionToRead } from './version-plan.js';
import { readVersions, refreshReadViews } from './version-store.js';

/** The version behind the views that this process reads. */
export interface ReadVersion {
  readonly name: string;
  readonly version: number;
  /** Version of the code that fills it. */
  readonly code: number;
  readonly position: Position;
}

/** Finds the versions that this process reads. Points its views at other versions if necessary. */
export const findReadVersions = async (pool: Pool, models: readonly ReadModel[]): Promise<ReadVersion[]> => {
  const found = await readPointers(pool, models);
  const outdated = models.filter((model) => found.find(({ name }) => name === model.name)?.isRight !== true);
  let moved = false;
  for (const model of outdated) {
    if ((await readVersions(pool, model.name)) === null) continue; // no process has created it yet
    await refreshReadViews(pool, model);
    moved = true;
  }
  return moved ? readPointers(pool, models) : found;
};

const readPointers = async (
  pool: Pool,
  models: readonly ReadModel[],
): Promise<(ReadVersion & { readonly isRight: boolean })[]> => {
  const { rows } = await pool.query<ReadVersion & { live: Version; previous: Version | null }>({
    name: 'read versions',
    text: `
      select r.name, r.version, c.code, c.position,
        json_build_object('version', live.version, 'code', live.code) as live,
        case when previous.version is not null
          then json_build_object('version', previous.version, 'code', previous.code) end as previous
      from unnest($1::text[], $2::int[]) own(name, code)
      join ops_projection_reader r on r.name = own.name and r.code = own.code
      join ops_checkpoint c on c.name = r.name and c.version = r.version
      join ops_projection p on p.name = r.name
      join ops_checkpoint live on live.name = p.name and live.version = p.live_version
      left join ops_checkpoint previous on previous.name = p.name and previous.version = p.previous_version`,
    values: [models.map(({ name }) => name), models.map(({ version }) => version)],
  });
  return rows.map(({ live, previous, ...read }) => {
    const own = models.find(({ name }) => name === read.name)!.version;
    return { ...read, isRight: versionToRead({ live, previous, candidate: null }, own).version === read.version };
  });
};

/** Creates the readers' indexes that a version does not have yet, however long it takes. */
export const createReadIndexes = async (
  pool: Pool,
  { name, readIndexes }: Projection,
  version: number,
): Promise<void> => {
  if (readIndexes === undefined) return;
  await withTransaction(pool, async (tx) => {
    await tx.query(`set local statement_timeout = 0; set local search_path to ${tableSchema(name, version)}`);
    await tx.query(unhurried(readIndexes));
  });
};
