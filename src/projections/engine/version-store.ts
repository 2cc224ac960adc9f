import type { Pool, PoolClient } from 'pg';
import { BEGINNING } from '../../event-store/port.js';
import { withTransaction } from '../../postgres/pool.js';
import { type Projection, type ReadModel, readSchema, tableSchema, viewSchema } from './projection.js';
import { needsCandidate, ownVersions, type Version, versionToRead, type Versions } from './version-plan.js';

/** Time for which a change of views or a removal waits for running queries, before it is tried again later. */
const LOCK_TIMEOUT = `set local lock_timeout = '2s'`;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * The versions of one read model in the database. Each change is one transaction, so that a crash leaves the state before
 * or after it: tables and checkpoint, views and state never disagree.
 */
export class VersionStore {
  constructor(
    private readonly pool: Pool,
    private readonly projection: Projection,
  ) {}

  /** Returns the versions that this process fills. Creates the first version, or a candidate, if this code needs one. */
  async findOwn(): Promise<number[]> {
    const { name, version: code } = this.projection;
    const known = await readVersions(this.pool, name);
    if (known && !needsCandidate(known, code)) return ownVersions(known, code);
    return this.change(async (tx) => {
      const versions = await readVersions(tx, name);
      if (!versions) return [await this.createFirst(tx)];
      return needsCandidate(versions, code) ? [await this.createCandidate(tx)] : ownVersions(versions, code);
    });
  }

  /**
   * Makes the candidate live: its state and all views change in one transaction. The version that was live becomes the
   * previous one.
   * @returns false if queries hold the views: try again
   * @throws Error if the version is no candidate any more
   */
  async promote(version: number): Promise<boolean> {
    const { name, views } = this.projection;
    const promotion = this.change(async (tx) => {
      const { rowCount } = await tx.query(
        `update ops_projection set previous_version = live_version, live_version = $2, candidate_version = null
         where name = $1 and candidate_version = $2`,
        [name, version],
      );
      if (rowCount !== 1) throw new Error(`version ${version} of ${name} is no candidate any more`);
      await pointViews(tx, viewSchema(name), tableSchema(name, version), views);
      await openReadViews(tx, this.projection);
    });
    return succeedsUnlessLocked(promotion);
  }

  /** Drops the versions that are neither live nor candidate nor previous. What running queries hold is left for later. */
  async dropUnused(): Promise<void> {
    const { name } = this.projection;
    const unused = `select version from ops_checkpoint c join ops_projection p using (name)
      where name = $1 and version <> all (array_remove(array[live_version, candidate_version, previous_version], null))`;
    const found = await this.pool.query<{ version: number }>(unused, [name]);
    for (const { version } of found.rows) {
      const removal = this.change(async (tx) => {
        const gone = await tx.query(`delete from ops_checkpoint where name = $1 and version = $2 returning 1`, [
          name,
          version,
        ]);
        if (gone.rowCount === 1) await this.dropSchemas(tx, version);
      });
      await succeedsUnlessLocked(removal);
    }
  }

  /** Drops a version's tables, with the views that show them. */
  private async dropSchemas(tx: PoolClient, version: number): Promise<void> {
    const { name } = this.projection;
    await tx.query(`drop schema if exists ${tableSchema(name, version)} cascade`);
    const { rows } = await tx.query<{ schema: string }>(
      `select nspname as schema from pg_namespace n where nspname ~ ('^' || $1 || '_c[0-9]+$')
         and not exists (select from ops_projection_reader r where nspname = $1 || '_c' || r.code and r.name = $2)`,
      [viewSchema(name), name],
    );
    for (const { schema } of rows) await tx.query(`drop schema ${schema} cascade`);
  }

  private async createFirst(tx: PoolClient): Promise<number> {
    const { name, views } = this.projection;
    await this.createTables(tx, 1);
    await tx.query('insert into ops_projection (name, live_version, last_version) values ($1, 1, 1)', [name]);
    await pointViews(tx, viewSchema(name), tableSchema(name, 1), views);
    await openReadViews(tx, this.projection);
    return 1;
  }

  /** Creates a candidate; it takes the place of a candidate of older code, which is dropped as unused. */
  private async createCandidate(tx: PoolClient): Promise<number> {
    const { rows } = await tx.query<{ version: number }>(
      `update ops_projection set last_version = last_version + 1, candidate_version = last_version + 1
       where name = $1 returning candidate_version as version`,
      [this.projection.name],
    );
    const { version } = rows[0]!;
    await this.createTables(tx, version);
    await openReadViews(tx, this.projection);
    return version;
  }

  private async createTables(tx: PoolClient, version: number): Promise<void> {
    const { name, version: code, tables } = this.projection;
    const schema = tableSchema(name, version);
    await tx.query(`create schema ${schema}; set local search_path to ${schema}; ${tables}`);
    await tx.query('set local search_path to default');
    await tx.query('insert into ops_checkpoint (name, version, code, position) values ($1, $2, $3, $4)', [
      name,
      version,
      code,
      BEGINNING,
    ]);
  }

  private change<T>(work: (tx: PoolClient) => Promise<T>): Promise<T> {
    return changeVersions(this.pool, this.projection.name, work);
  }
}

/** Runs a transaction that changes the versions of a read model; one at a time over all processes. Processes are notified. */
const changeVersions = <T>(pool: Pool, name: string, work: (tx: PoolClient) => Promise<T>): Promise<T> =>
  withTransaction(pool, async (tx) => {
    await tx.query(LOCK_TIMEOUT);
    await tx.query(`select pg_advisory_xact_lock(hashtext('projection ' || $1))`, [name]);
    const result = await work(tx);
    await tx.query(`select pg_notify('projection', $1)`, [name]);
    return result;
  });

/** Reads the versions of a read model; null if it has none yet. */
export const readVersions = async (db: Pick<Pool, 'query'>, name: string): Promise<Versions | null> => {
  const of = (version: string) =>
    `(select json_build_object('version', c.version, 'code', c.code) from ops_checkpoint c
      where c.name = p.name and c.version = p.${version})`;
  const { rows } = await db.query<{ live: Version; candidate: Version | null; previous: Version | null }>(
    `select ${of('live_version')} as live, ${of('candidate_version')} as candidate, ${of('previous_version')} as previous
     from ops_projection p where p.name = $1`,
    [name],
  );
  return rows[0] ?? null;
};

/**
 * Points the views that this program reads at the version it should read now. Does nothing if they are so already, or if
 * the read model does not exist yet.
 */
export const refreshReadViews = async (pool: Pool, model: ReadModel): Promise<void> => {
  await succeedsUnlessLocked(changeVersions(pool, model.name, (tx) => openReadViews(tx, model)));
};

const openReadViews = async (tx: PoolClient, { name, version: code, views }: ReadModel): Promise<void> => {
  const versions = await readVersions(tx, name);
  if (!versions) return;
  const { version } = versionToRead(versions, code);
  const { rowCount } = await tx.query(
    `insert into ops_projection_reader as r (name, code, version) values ($1, $2, $3)
     on conflict (name, code) do update set version = excluded.version where r.version <> excluded.version`,
    [name, code, version],
  );
  if (rowCount === 1) await pointViews(tx, readSchema(name, code), tableSchema(name, version), views);
};

/** Points views at a version's tables and at views of them. One that this version does not have gets no view. */
const pointViews = async (tx: PoolClient, schema: string, tables: string, views: readonly string[]): Promise<void> => {
  const { rows } = await tx.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = to_regnamespace($1) and relkind in ('r', 'v')`,
    [tables],
  );
  const existing = views.filter((view) => rows.some(({ name }) => name === view));
  const create = existing.map((view) => `create view ${schema}.${view} as select * from ${tables}.${view};`);
  await tx.query(`drop schema if exists ${schema} cascade; create schema ${schema}; ${create.join(' ')}`);
};

/** Returns false if a change failed because running queries hold what it changes. */
const succeedsUnlessLocked = (change: Promise<unknown>): Promise<boolean> =>
  change.then(
    () => true,
    (error: unknown) => {
      if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) return false;
      throw error;
    },
  );
