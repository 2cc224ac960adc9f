import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { BEGINNING, type EventStore, type Position } from '../../event-store/port.js';
import { withTransaction } from '../../postgres/pool.js';
import { isDeleted, type Projection, type ReadModel, readSchema, tableSchema, viewSchema } from './projection.js';
import {
  type Candidate,
  needsCandidate,
  ownVersions,
  type Version,
  type Versions,
  versionToRead,
} from './version-plan.js';

/** How long a change waits for locks held by running queries before it fails; it is retried later. */
const LOCK_TIMEOUT = `set local lock_timeout = '2s'`;
const LOCK_NOT_AVAILABLE = '55P03';
/** How long a swap waits for the other version to reach the position that the live version had at the start, in ms. */
const NEAR_WAIT_MS = 5_000;
/** How long a swap holds back the live version while the other version catches up, in ms. */
const LEVEL_WAIT_MS = 1_000;
const LEVEL_LOOK_MS = 10;

/**
 * Reason why a version change was refused. `in_use` (queries are locking the views) and `behind` (the other version has
 * almost caught up) are temporary.
 */
export type VersionRefusal =
  | 'other_program'
  | 'candidate_exists'
  | 'no_candidate'
  | 'deployed'
  | 'no_previous'
  | 'not_level'
  | 'behind'
  | 'in_use';

/** Thrown when a version change is refused; its transaction is rolled back. */
export class VersionsRefused extends Error {
  constructor(readonly refusal: VersionRefusal) {
    super(`versions are not changed: ${refusal}`);
  }

  /** True if retrying the change may soon succeed. */
  get mayPass(): boolean {
    return this.refusal === 'in_use' || this.refusal === 'behind';
  }
}

/** Two versions that were swapped: `version` is live now. */
export interface Exchange {
  readonly version: number;
  readonly previousVersion: number;
}

/** Additional work in the transaction that changes versions. */
type Within<T> = (tx: PoolClient, change: T) => Promise<void>;

/**
 * Manages the versions of one read model in the database. Each change is one transaction, so even after a crash, the
 * tables match the checkpoint and the views match the state.
 */
export class VersionStore {
  constructor(
    private readonly pool: Pool,
    private readonly projection: Projection,
    private readonly store: Pick<EventStore, 'readStream'>,
  ) {}

  /** Returns the versions that this process fills. Creates the first version or a candidate if its code needs one. */
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
   * Makes a candidate with newer code live; the live version becomes the previous version.
   * @returns false if queries lock the views; the caller then retries
   * @throws Error if the version is no longer a candidate
   */
  async promote(version: number): Promise<boolean> {
    const { name, views } = this.projection;
    const promotion = this.change(async (tx) => {
      const { rowCount } = await tx.query(
        `update ops_projection
         set previous_version = live_version, live_version = $2, candidate_version = null, candidate_job = null
         where name = $1 and candidate_version = $2 and candidate_job is null`,
        [name, version],
      );
      if (rowCount !== 1) throw new Error(`version ${version} of ${name} is no longer a candidate`);
      await pointViews(tx, viewSchema(name), tableSchema(name, version), views);
      await openReadViews(tx, this.projection);
    });
    return succeedsUnlessLocked(promotion);
  }

  /**
   * Creates a candidate and the job that decides whether to promote it.
   * @param startJob starts the job in the same transaction and returns its id
   * @throws VersionsRefused
   */
  async createRebuild(startJob: (tx: PoolClient, version: number) => Promise<string>): Promise<void> {
    const { name, version: code } = this.projection;
    await this.change(async (tx) => {
      const versions = await readVersions(tx, name);
      if (versions?.live.code !== code) throw new VersionsRefused('other_program');
      if (versions.candidate) throw new VersionsRefused('candidate_exists');
      const version = await this.createCandidate(tx);
      const job = await startJob(tx, version);
      await tx.query('update ops_projection set candidate_job = $2 where name = $1', [name, job]);
    });
  }

  /**
   * Makes a job's candidate live, like {@link exchange}.
   * @param version null for any version
   * @throws VersionsRefused
   */
  promoteRebuild(version: number | null, within: Within<Exchange>): Promise<Exchange> {
    return this.exchange((versions) => {
      const { candidate } = versions;
      if (!candidate || (version !== null && candidate.version !== version)) throw new VersionsRefused('no_candidate');
      if (candidate.job === null) throw new VersionsRefused('deployed');
      return candidate;
    }, within);
  }

  /** Makes the previous version live again, like {@link exchange}. @throws VersionsRefused */
  rollBack(within: Within<Exchange>): Promise<Exchange> {
    return this.exchange(({ previous }) => {
      if (!previous) throw new VersionsRefused('no_previous');
      return previous;
    }, within);
  }

  /** Discards a job's candidate; {@link dropUnused} then drops its tables. @throws VersionsRefused */
  async discard(within: Within<Candidate>): Promise<void> {
    const { name } = this.projection;
    await this.change(async (tx) => {
      const candidate = (await readVersions(tx, name))?.candidate;
      if (!candidate) throw new VersionsRefused('no_candidate');
      if (candidate.job === null) throw new VersionsRefused('deployed');
      const text = 'update ops_projection set candidate_version = null, candidate_job = null where name = $1';
      await tx.query(text, [name]);
      await within(tx, candidate);
    });
  }

  /**
   * Copies rows from the live version to another version if their events are gone, up to the other version's position
   * (ADR-150). The other version's lane waits in the meantime.
   */
  async carryOver(version: number): Promise<void> {
    const { name } = this.projection;
    if (!this.projection.carryOver) return;
    await withTransaction(this.pool, async (tx) => {
      await tx.query('set local statement_timeout = 0');
      const { rows } = await tx.query<{ position: bigint; live: number }>(
        `select c.position, p.live_version as live from ops_checkpoint c join ops_projection p using (name)
         where c.name = $1 and c.version = $2 for update of c`,
        [name, version],
      );
      if (!rows[0] || rows[0].live === version) return;
      await tx.query(`set local search_path to ${tableSchema(name, version)}, public`);
      const from = tableSchema(name, rows[0].live);
      await this.projection.carryOver?.(tx, from, rows[0].position, (stream) => isDeleted(this.store, stream));
    });
  }

  /**
   * Replaces the live version with another version at the same position; state and views change in one transaction. The
   * live version is held back until the other version has caught up, so readers never go back to an older state.
   * @throws VersionsRefused
   */
  private async exchange(choose: (versions: Versions) => Version, within: Within<Exchange>): Promise<Exchange> {
    const { name, version: code, views } = this.projection;
    let exchanged: Exchange | null = null;
    const chooseFrom = async (db: Pick<Pool, 'query'>): Promise<Exchange> => {
      const versions = await readVersions(db, name);
      if (!versions) throw new VersionsRefused('other_program');
      const chosen = choose(versions);
      // This program creates the views, so it must know all columns of the version.
      if (chosen.code > code) throw new VersionsRefused('other_program');
      return { version: chosen.version, previousVersion: versions.live.version };
    };
    await this.prepareExchange(await chooseFrom(this.pool));
    const change = this.change(async (tx) => {
      const exchange = await chooseFrom(tx);
      const { version } = exchange;
      await this.holdLevel(tx, exchange);
      await tx.query(
        `update ops_projection set live_version = $2, previous_version = live_version,
           candidate_version = nullif(candidate_version, $2),
           candidate_job = case when candidate_version = $2 then null else candidate_job end
         where name = $1`,
        [name, version],
      );
      await within(tx, exchange);
      await pointViews(tx, viewSchema(name), tableSchema(name, version), views);
      await openReadViews(tx, this.projection);
      exchanged = exchange;
    });
    if (!(await succeedsUnlessLocked(change))) throw new VersionsRefused('in_use');
    return exchanged!;
  }

  /**
   * Waits until a version has reached the live version's current position, without holding the live version back. Then
   * copies rows whose events were deleted in the meantime; the version's lane may have been held back for minutes.
   * @throws VersionsRefused
   */
  private async prepareExchange({ version, previousVersion: live }: Exchange): Promise<void> {
    const { position } = await this.readCheckpoint(this.pool, live);
    const until = performance.now() + NEAR_WAIT_MS;
    for (;;) {
      const other = await this.readCheckpoint(this.pool, version);
      if (!other.level) throw new VersionsRefused('not_level');
      if (other.position >= position) return this.carryOver(version);
      if (other.stopped || performance.now() > until) throw new VersionsRefused('not_level');
      await sleep(LEVEL_LOOK_MS);
    }
  }

  /** Locks both checkpoints once the other version has caught up with the live version. @throws VersionsRefused */
  private async holdLevel(tx: PoolClient, { version, previousVersion: live }: Exchange): Promise<void> {
    const { position } = await this.readCheckpoint(tx, live, 'for update');
    const until = performance.now() + LEVEL_WAIT_MS;
    while ((await this.readCheckpoint(tx, version)).position < position) {
      if (performance.now() > until) throw new VersionsRefused('behind');
      await sleep(LEVEL_LOOK_MS);
    }
    await this.readCheckpoint(tx, version, 'for update');
  }

  private async readCheckpoint(db: Pick<Pool, 'query'>, version: number, lock = '') {
    const { rows } = await db.query<{ position: Position; level: boolean; stopped: boolean }>(
      `select position, level, failure is not null as stopped from ops_checkpoint where name = $1 and version = $2 ${lock}`,
      [this.projection.name, version],
    );
    if (!rows[0]) throw new VersionsRefused('behind'); // it has just been dropped
    return rows[0];
  }

  /** Drops versions that are neither live, candidate nor previous. Versions in use by queries are dropped later. */
  async dropUnused(): Promise<void> {
    const { name } = this.projection;
    const unused = `select version from ops_checkpoint c join ops_projection p using (name)
      where name = $1 and version <> all (array_remove(array[live_version, candidate_version, previous_version], null))`;
    const found = await this.pool.query<{ version: number }>(unused, [name]);
    for (const { version } of found.rows) {
      const removal = this.change(async (tx) => {
        const text = 'delete from ops_checkpoint where name = $1 and version = $2';
        const { rowCount } = await tx.query(text, [name, version]);
        if (rowCount === 1) await this.dropSchemas(tx, version);
      });
      await succeedsUnlessLocked(removal);
    }
  }

  /** Drops a version's tables with their views, and any view schemas that no program reads any more. */
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
    await this.createTables(tx, 1, this.projection.readIndexes);
    await tx.query('insert into ops_projection (name, live_version, last_version) values ($1, 1, 1)', [name]);
    await pointViews(tx, viewSchema(name), tableSchema(name, 1), views);
    await openReadViews(tx, this.projection);
    return 1;
  }

  /** Creates a candidate. It replaces any candidate with older code, which is later dropped as unused. */
  private async createCandidate(tx: PoolClient): Promise<number> {
    const { rows } = await tx.query<{ version: number }>(
      `update ops_projection set last_version = last_version + 1, candidate_version = last_version + 1, candidate_job = null
       where name = $1 returning candidate_version as version`,
      [this.projection.name],
    );
    const { version } = rows[0]!;
    await this.createTables(tx, version);
    await openReadViews(tx, this.projection);
    return version;
  }

  private async createTables(tx: PoolClient, version: number, readIndexes = ''): Promise<void> {
    const { name, version: code, tables } = this.projection;
    const schema = tableSchema(name, version);
    await tx.query(`create schema ${schema}; set local search_path to ${schema}; ${tables} ${readIndexes}`);
    await tx.query('set local search_path to default');
    const text = 'insert into ops_checkpoint (name, version, code, position) values ($1, $2, $3, $4)';
    await tx.query(text, [name, version, code, BEGINNING]);
  }

  private change<T>(work: (tx: PoolClient) => Promise<T>): Promise<T> {
    return changeVersions(this.pool, this.projection.name, work);
  }
}

/**
 * Changes a read model's versions in a transaction and notifies all processes. Only one change per read model runs at a
 * time, across all processes.
 */
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
  const of = (version: string, more = '') =>
    `(select json_build_object('version', c.version, 'code', c.code${more}) from ops_checkpoint c
      where c.name = p.name and c.version = p.${version})`;
  const { rows } = await db.query<Versions>(
    `select ${of('live_version')} as live, ${of('candidate_version', `, 'job', p.candidate_job`)} as candidate,
       ${of('previous_version')} as previous from ops_projection p where p.name = $1`,
    [name],
  );
  return rows[0] ?? null;
};

/**
 * Points this program's views at the version that it should read now. Does nothing if running queries lock the views or
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

/** Points views at a version's tables and views, skipping any that do not exist. */
const pointViews = async (tx: PoolClient, schema: string, tables: string, views: readonly string[]): Promise<void> => {
  const { rows } = await tx.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = to_regnamespace($1) and relkind in ('r', 'v')`,
    [tables],
  );
  const existing = views.filter((view) => rows.some(({ name }) => name === view));
  const create = existing.map((view) => `create view ${schema}.${view} as select * from ${tables}.${view};`);
  await tx.query(`drop schema if exists ${schema} cascade; create schema ${schema}; ${create.join(' ')}`);
};

/** Returns false if a change failed because of locks held by running queries. */
const succeedsUnlessLocked = (change: Promise<unknown>): Promise<boolean> =>
  change.then(
    () => true,
    (error: unknown) => {
      if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) return false;
      throw error;
    },
  );
