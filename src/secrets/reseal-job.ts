import type { Pool } from 'pg';
import { Unavailable } from '../event-store/port.js';
import type { JobContext, JobHandler } from '../jobs/job.js';
import { nameOfContentKey } from './content-keys.js';
import { activateKey, forgetFormerKeys, readActiveKey } from './database-keys.js';
import {
  findSessionsWithoutKey,
  HEADER_BYTES,
  headerOf,
  type KeyRing,
  openValue,
  sealValue,
  type SecretsKey,
} from './key-ring.js';
import { SECRETS_MESSAGES } from './messages.js';
import type { SealedSecret } from './vault.js';

/** Kind and subject of the job. */
export const RESEAL_SECRETS = 'reseal-secrets';

export interface ResealParams {
  /** Id of the key to seal the secrets with. */
  readonly key: string;
}

/** Number of secrets to read and write at a time. */
const BATCH = 100;
/** Maximum number of secret ids that a result lists. */
const NAMED = 100;

/** Tables of sealed values: the column of their ids, and what precedes an id in the name that is sealed with a value. */
export const SEALED_TABLES = [
  { table: 'ops_secret', id: 'secret_id', prefix: '' },
  { table: 'ops_content_key', id: 'key_id', prefix: nameOfContentKey('') },
] as const;

/** SQL condition: the secret is not sealed with the key whose header is `$1`. */
const SEALED_OTHERWISE = `substring(sealed from 1 for ${HEADER_BYTES}) <> $1`;

/**
 * Creates the handler that seals all secrets with another key. It first activates the key, so that no more secrets are
 * sealed with the former key, then reseals the existing secrets. Its progress is stored in the database, so that an
 * interrupted job can resume. Afterwards, SECRETS_KEY_PREVIOUS is no longer needed.
 */
export const createResealHandler = (pool: Pool, ring: KeyRing): JobHandler => ({
  kind: RESEAL_SECRETS,
  async run(job, context) {
    const { key: id } = job.params as unknown as ResealParams;
    const key = ring.find(id);
    if (!key) throw new Unavailable(SECRETS_MESSAGES.targetMissing({ id })); // another process will run the job
    if ((await readActiveKey(pool, ring)) !== key) {
      await checkProcesses(pool, key);
      await activateKey(pool, ring, key);
    }
    const unreadable = await resealAll(pool, ring, key, context);
    if (context.signal.aborted) return null;
    await forgetFormerKeys(pool, key);
    const { all, sealedOtherwise } = await countSecrets(pool, key);
    const sealed = all - sealedOtherwise;
    return { key: id, sealed, unreadable: unreadable.length, unreadable_ids: unreadable.slice(0, NAMED) };
  },
});

/** Counts all secrets, and how many are sealed with another key or in the former format. */
export const countSecrets = async (
  db: Pick<Pool, 'query'>,
  key: SecretsKey,
): Promise<{ readonly all: number; readonly sealedOtherwise: number }> => {
  const { rows } = await db.query<{ all: bigint; otherwise: bigint }>(
    `select count(*) as all, count(*) filter (where ${SEALED_OTHERWISE}) as otherwise from ops_secret`,
    [headerOf(key)],
  );
  return { all: Number(rows[0]!.all), sealedOtherwise: Number(rows[0]!.otherwise) };
};

/** @throws Unavailable if a process does not have the key, and so could not read new secrets */
const checkProcesses = async (pool: Pool, key: SecretsKey): Promise<void> => {
  const sessions = await findSessionsWithoutKey(pool, key);
  if (sessions.length > 0) throw new Unavailable(describeSessions(key, sessions));
};

/** Returns a message about processes that do not have a key. */
export const describeSessions = ({ id }: SecretsKey, sessions: readonly string[]): string =>
  SECRETS_MESSAGES.processesWithoutKey({ count: sessions.length, id, sessions: sessions.join(', ') });

/**
 * Reseals all secrets, and all keys of content. Returns the names of those that no key can open; these are left
 * unchanged.
 */
const resealAll = async (
  pool: Pool,
  ring: KeyRing,
  key: SecretsKey,
  { report, signal }: JobContext,
): Promise<readonly string[]> => {
  const { all, sealedOtherwise } = await countSecrets(pool, key);
  let rest = sealedOtherwise;
  const unreadable: string[] = [];
  for (const from of SEALED_TABLES)
    for (let after = ''; !signal.aborted;) {
      report(all === 0 ? 0 : 1 - rest / all);
      const { rows: batch } = await pool.query<SealedSecret>(
        `select ${from.id} as id, sealed from ${from.table} where ${SEALED_OTHERWISE} and ${from.id} > $2
         order by ${from.id} limit $3`,
        [headerOf(key), after, BATCH],
      );
      const last = batch.at(-1);
      if (!last) break;
      unreadable.push(...(await resealBatch(pool, ring, key, from, batch)));
      after = last.id;
      rest = Math.max(0, rest - batch.length);
    }
  return unreadable;
};

const resealBatch = async (
  pool: Pool,
  ring: KeyRing,
  key: SecretsKey,
  { table, id: column, prefix }: (typeof SEALED_TABLES)[number],
  batch: readonly SealedSecret[],
): Promise<readonly string[]> => {
  const unreadable: string[] = [];
  const changed = batch.flatMap(({ id, sealed }) => {
    const name = prefix + id;
    try {
      return [{ id, sealed, resealed: sealValue(key, name, openValue(ring, name, sealed)) }];
    } catch {
      unreadable.push(name);
      return [];
    }
  });
  // A secret that was erased in the meantime stays erased.
  await pool.query(
    `update ${table} s set sealed = n.resealed from unnest($1::text[], $2::bytea[], $3::bytea[]) n (id, sealed, resealed)
     where s.${column} = n.id and s.sealed = n.sealed`,
    [changed.map(({ id }) => id), changed.map(({ sealed }) => sealed), changed.map(({ resealed }) => resealed)],
  );
  return unreadable;
};
