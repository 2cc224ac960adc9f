import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { completeKeys } from '../../config/generated-keys.js';
import type { Settings } from '../../config/settings.js';
import { catalogue } from '../../domain/catalogue.js';
import { publication as decider, type PublicationCommand } from '../../domain/publication/publication.decider.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { EventCodec } from '../../event-store/codec.js';
import type { EventStore } from '../../event-store/port.js';
import { StoreCheck } from '../../event-store/store-check.js';
import { StoreRecords } from '../../event-store/store-records.js';
import { endLogs, type KnownLog } from '../../history/transparency-log/current-log.js';
import { EndedLogTable } from '../../history/transparency-log/ended-logs.js';
import { LogTables } from '../../history/transparency-log/log-tables.js';
import type { PublishedCheckpoints } from '../../history/transparency-log/published-checkpoint.js';
import { parseCheckpoint } from '../../history/transparency-log/signed-note.js';
import { newId } from '../../kernel/ids.js';
import { isRejection } from '../../kernel/result.js';
import { withTransaction } from '../../postgres/pool.js';
import { viewSchema } from '../../projections/engine/projection.js';
import { KeyRing } from '../../secrets/key-ring.js';
import { type Database, openDatabase } from '../database.js';
import { addressOf, openAdapter } from '../event-store.js';
import { createLogIdentity, openPublishedCheckpoints } from '../log-identity.js';
import { RESET_MESSAGES } from '../messages.js';
import { Resources } from '../resources.js';
import { type Compared, findUnknown, PAGE, type PublicationList } from './compare-publications.js';
import { type KnownPublication, takeOver } from './take-over.js';

const ACTOR = 'system:reset-to-store';

/**
 * Points the database at the event store from the settings: read models and sagas restart from its first event. First
 * appends the publication outcomes that only the read models hold, so that nothing is published twice. Secrets, limits
 * and keys are kept. Returns a human-readable report.
 * @throws Error with a human-readable message if the database is in use
 */
export const resetToStore = async (settings: Settings, log: Logger): Promise<string> => {
  const resources = new Resources(log);
  try {
    const options = { settings, log };
    const { secretsKey } = await completeKeys(settings);
    const ring = new KeyRing(secretsKey, settings.secretsKeysPrevious);
    const database = await openDatabase(options, ring, resources);
    await checkUnused(database.pool);
    const store = await openAdapter(options, database, resources);
    await resources.add(() => store.close());
    const records = new StoreRecords(database.pool);
    const { recorded } = await records.read();
    const { taken, doubtful } = await takeOverOutcomes(database, store);
    const published = openPublishedCheckpoints(settings, store.notes, () => recorded?.id ?? null);
    const logs = await findLogs(database.pool, published);
    await withTransaction(database.pool, async (tx) => {
      await dropReadModels(tx);
      if (logs.length > 0) await endLogs(tx, createLogIdentity(settings, database.historyKeys), logs, 'store_reset');
      else await tx.query('delete from ops_history_log');
      await new StoreRecords(tx).delete();
    });
    const address = addressOf(settings);
    const verdict = await new StoreCheck(store, records, address).run(null);
    if ('problem' in verdict) throw new Error(verdict.problem);
    return RESET_MESSAGES.done({
      id: verdict.id,
      address,
      former: recorded?.id ?? 'none',
      taken,
      doubtful,
      log: logs.length > 0 ? RESET_MESSAGES.logEnds : '',
    });
  } finally {
    await resources.closeAll();
  }
};

/** Checks that no gateway uses the database. Every gateway has a session for notifications. @throws Error */
const checkUnused = async (pool: Pool): Promise<void> => {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int from pg_stat_activity
     where datname = current_database() and application_name = 'crosspost notifications'`,
  );
  const { count } = rows[0]!;
  if (count > 0) throw new Error(RESET_MESSAGES.inUse({ count }));
};

/**
 * Returns the transparency logs that the reset ends: the database's log, which does not cover the store's history, and
 * the log published from the store, unless that log has already ended. If both have the same origin, returns only the
 * longer log. Empty if nothing was signed.
 */
const findLogs = async (pool: Pool, published: PublishedCheckpoints): Promise<readonly KnownLog[]> => {
  const [head, known] = [await new LogTables(pool).readHead(), await published.read()];
  if (!head || head.size === 0) return [];
  const table = new EndedLogTable(pool);
  await table.add(known?.ended ?? []);
  const ended = await table.list();
  const suffix = ended.at(-1)?.next_suffix ?? '';
  const own = { vkey: head.vkey, checkpoint: head.checkpoint, suffix };
  const other = known && parseCheckpoint(known.checkpoint);
  if (!known || !other || ended.some(({ origin }) => origin === other.origin)) return [own];
  if (other.origin !== head.origin) return [own, known];
  return [other.size > head.size ? known : own];
};

/**
 * Appends the outcomes that the read model `posts` holds and the store lacks.
 * @returns how many outcomes were appended, and how many of these publications are in doubt
 */
const takeOverOutcomes = async (
  { pool }: Database,
  store: EventStore,
): Promise<{ readonly taken: number; readonly doubtful: number }> => {
  const { rows } = await pool.query("select where to_regclass('posts.publication') is not null");
  const result = { taken: 0, doubtful: 0 };
  if (rows.length === 0) return result;
  const codec = new EventCodec(catalogue);
  const aggregates = new AggregateStore(store, codec);
  const unknown = await findUnknown(await listPublications(pool), async (ids) => {
    const compared: Compared[] = [];
    for (const row of await readPublications(pool, ids)) {
      const [accepted] = await store.readStream(row.stream, { from: BigInt(row.revision), limit: 1 });
      if (!accepted || (codec.decode(accepted).data as { postId?: string }).postId !== row.post_id) continue;
      const isKnown = (await decideTakeOver(aggregates, row)).length === 0;
      compared.push({ id: row.publication_id, isKnown });
    }
    return compared;
  });
  for (let from = 0; from < unknown.length; from += PAGE)
    for (const row of await readPublications(pool, unknown.slice(from, from + PAGE))) {
      const last = await takeOverOutcome(aggregates, row);
      if (last) result.taken += 1;
      if (last?.type === 'MarkInDoubt') result.doubtful += 1;
    }
  return result;
};

/** Returns the commands that take over one outcome; empty if the store already has it. */
const decideTakeOver = async (
  aggregates: AggregateStore,
  row: KnownPublication,
): Promise<readonly PublicationCommand[]> => {
  const { state } = await aggregates.loadAggregate(decider, row.publication_id);
  return takeOver(row, state, Date.now());
};

/**
 * Executes the commands that take over one outcome. Returns the last command; undefined if the store knows the outcome.
 */
const takeOverOutcome = async (
  aggregates: AggregateStore,
  row: KnownPublication,
): Promise<PublicationCommand | undefined> => {
  const { publication_id: id } = row;
  const commands = await decideTakeOver(aggregates, row);
  const requestId = newId('req');
  const origin = { actor: ACTOR, requestId, causationId: requestId, correlationId: requestId, clientAddress: null };
  for (const [n, command] of commands.entries()) {
    const context = { ...origin, commandId: `${ACTOR}/${requestId}/${n}`, at: Date.now() };
    const result = await aggregates.execute(decider, id, command, context);
    if (isRejection(result)) throw new Error(`${id}: ${result.message}`);
  }
  return commands.at(-1);
};

/**
 * Lists the publications that have made progress: first the publications that are neither published, failed nor in
 * doubt, then the others, newest first. A backup contains the beginning of the log, so once many consecutive outcomes
 * are in the store, all earlier outcomes are too.
 */
const listPublications = async (pool: Pool): Promise<readonly PublicationList[]> => {
  const list = async (condition: string, order: string): Promise<string[]> => {
    const text = `select publication_id as id from posts.publication where ${condition} order by ${order}`;
    return (await pool.query<{ id: string }>(text)).rows.map(({ id }) => id);
  };
  const ended = "state in ('published', 'failed', 'in_doubt')";
  const touched = "(state <> 'queued' or message_ids <> '[]')";
  return [
    { ids: await list(`${touched} and not ${ended}`, 'publication_id'), mayStop: false },
    { ids: await list(ended, "(attempts -> -1 ->> 'ended_at')::float8 desc nulls first"), mayStop: true },
  ];
};

const readPublications = async (pool: Pool, ids: readonly string[]): Promise<readonly KnownPublication[]> => {
  const { rows } = await pool.query<KnownPublication>(
    `select u.publication_id, u.post_id, u.channel_id, p.stream, p.revision, u.state, u.attempts, u.message_ids, u.urls, u.warnings
     from unnest($1::text[]) with ordinality i (id, n)
       join posts.publication u on u.publication_id = i.id join posts.post p using (post_id) order by i.n`,
    [ids],
  );
  return rows;
};

/**
 * Drops all read models, the checkpoints of all sagas, and data derived from the previous store's events. This includes
 * the notes about erasures of secrets, which the restarted saga adds again.
 */
const dropReadModels = async (tx: Pick<Pool, 'query'>): Promise<void> => {
  const { rows } = await tx.query<{ name: string }>('select name from ops_projection');
  for (const { name } of rows) {
    const schemas = await tx.query<{ schema: string }>(
      `select nspname as schema from pg_namespace where nspname ~ ('^' || $1 || '(_[cv][0-9]+)?$')`,
      [viewSchema(name)],
    );
    for (const { schema } of schemas.rows) await tx.query(`drop schema if exists ${schema} cascade`);
  }
  await tx.query('delete from ops_projection_reader');
  await tx.query('delete from ops_checkpoint');
  await tx.query('delete from ops_parked_event');
  await tx.query('delete from ops_projection');
  await tx.query('delete from ops_snapshot');
  await tx.query('delete from ops_quota_reservation');
  await tx.query('delete from ops_resource_reservation');
  await tx.query("delete from ops_erasure where kind = 'secret'");
};
