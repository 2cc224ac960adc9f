import type { ClientBase, Pool } from 'pg';
import { Unavailable } from '../event-store/port.js';
import { withTransaction } from '../postgres/pool.js';
import {
  deriveHistoryKeys,
  type HistoryKeys,
  type KeyRing,
  openValue,
  parseHistoryKeys,
  sealValue,
  type SecretsKey,
  serializeHistoryKeys,
} from './key-ring.js';
import { SECRETS_MESSAGES } from './messages.js';

/** Name of the row in `ops_setting` with the fingerprint of the active key, which seals new secrets. */
export const ACTIVE_KEY = 'secrets_key_fingerprint';
/** Row with the comma-separated ids of former keys that some values may still need. */
const FORMER_KEYS = 'secrets_keys_former';
/** Row with the sealed history keys. */
const HISTORY_KEYS = 'history_keys';

/** Thrown if the process lacks a key that this database needs, or cannot decrypt its history keys. */
export class WrongSecretsKey extends Error {
  override readonly name = 'WrongSecretsKey';
}

type Queries = Pick<ClientBase | Pool, 'query'>;

const readSetting = async (db: Queries, name: string, lock: '' | 'for share' | 'for update' = ''): Promise<string> => {
  const { rows } = await db.query<{ value: string }>(`select value from ops_setting where name = $1 ${lock}`, [name]);
  return rows[0]?.value ?? '';
};

const writeSetting = (db: Queries, name: string, value: string): Promise<unknown> =>
  db.query(
    'insert into ops_setting (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
    [name, value],
  );

/**
 * Verifies that the process has this database's keys, and returns the history keys. The first process to start stores
 * the fingerprint of its SECRETS_KEY; every later process must have that key, and any replaced keys that are still
 * needed (management-api.md: SECRETS_KEY). The history keys are derived once, from the oldest key of that first
 * process, and then stored, so that they stay the same when SECRETS_KEY is replaced.
 * @throws WrongSecretsKey
 */
export const claimDatabase = (pool: Pool, ring: KeyRing): Promise<HistoryKeys> =>
  withTransaction(pool, async (tx) => {
    // Waits for any other process that is claiming the database.
    const { rowCount } = await tx.query(
      'insert into ops_setting (name, value) values ($1, $2) on conflict (name) do nothing',
      [ACTIVE_KEY, ring.first.fingerprint],
    );
    const active = ring.findByFingerprint(await readSetting(tx, ACTIVE_KEY, 'for share'));
    if (!active) throw new WrongSecretsKey(SECRETS_MESSAGES.wrongKey);
    const missing = (await readFormerKeys(tx)).filter((id) => !ring.find(id));
    if (missing.length > 0) throw new WrongSecretsKey(SECRETS_MESSAGES.formerKeyMissing({ ids: missing.join(', ') }));
    const kept = await readSetting(tx, HISTORY_KEYS);
    if (kept !== '') return openHistoryKeys(ring, kept);
    const keys = deriveHistoryKeys((rowCount === 1 ? ring.oldest : active).bytes);
    await tx.query('insert into ops_setting (name, value) values ($1, $2) on conflict (name) do nothing', [
      HISTORY_KEYS,
      sealHistoryKeys(active, keys),
    ]);
    return keys;
  });

const sealHistoryKeys = (key: SecretsKey, keys: HistoryKeys): string =>
  sealValue(key, HISTORY_KEYS, serializeHistoryKeys(keys)).toString('base64');

const openHistoryKeys = (ring: KeyRing, kept: string): HistoryKeys => {
  try {
    return parseHistoryKeys(openValue(ring, HISTORY_KEYS, Buffer.from(kept, 'base64')));
  } catch (cause) {
    throw new WrongSecretsKey(SECRETS_MESSAGES.historyKeysUnreadable, { cause });
  }
};

/** Returns the ids of replaced keys that some values may still need. */
export const readFormerKeys = async (db: Queries): Promise<readonly string[]> =>
  (await readSetting(db, FORMER_KEYS)).split(',').filter((id) => id !== '');

/** Returns the key that seals new secrets. @throws Unavailable if this process does not have it */
export const readActiveKey = async (db: Queries, ring: KeyRing): Promise<SecretsKey> => {
  const active = ring.findByFingerprint(await readSetting(db, ACTIVE_KEY));
  if (!active) throw new Unavailable(SECRETS_MESSAGES.keyReplaced);
  return active;
};

/**
 * Activates a key: after the commit, every process seals with it. Reseals the history keys and records that stored
 * values may need the previous key.
 * @throws Unavailable if this process does not have the previous key
 */
export const activateKey = (pool: Pool, ring: KeyRing, key: SecretsKey): Promise<void> =>
  withTransaction(pool, async (tx) => {
    const before = await readSetting(tx, ACTIVE_KEY, 'for update');
    if (before === key.fingerprint) return;
    const active = ring.findByFingerprint(before);
    if (!active) throw new Unavailable(SECRETS_MESSAGES.keyReplaced);
    const former = new Set([...(await readFormerKeys(tx)), active.id]);
    former.delete(key.id);
    const keys = openHistoryKeys(ring, await readSetting(tx, HISTORY_KEYS));
    await writeSetting(tx, ACTIVE_KEY, key.fingerprint);
    await writeSetting(tx, FORMER_KEYS, [...former].join(','));
    await writeSetting(tx, HISTORY_KEYS, sealHistoryKeys(key, keys));
  });

/** Records that no value needs a former key any longer, unless another key has become active. */
export const forgetFormerKeys = (pool: Pool, key: SecretsKey): Promise<void> =>
  withTransaction(pool, async (tx) => {
    if ((await readSetting(tx, ACTIVE_KEY, 'for share')) === key.fingerprint) await writeSetting(tx, FORMER_KEYS, '');
  });
