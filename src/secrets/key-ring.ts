import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { Pool } from 'pg';

const KEY_BYTES = 32;
/** Length of a key id, in bytes. */
export const KEY_ID_BYTES = 8;

export interface SecretsKey {
  readonly bytes: Buffer;
  /** HMAC of the key, in hex. Identifies the key in the database without revealing it. */
  readonly fingerprint: string;
  /** First characters of the fingerprint. Every value sealed with the key contains them. */
  readonly id: string;
}

const describeKey = (bytes: Buffer): SecretsKey => {
  if (bytes.length !== KEY_BYTES) throw new RangeError(`a secrets key has ${bytes.length} bytes, not ${KEY_BYTES}`);
  const fingerprint = createHmac('sha256', bytes).update('secrets_key_fingerprint').digest('hex');
  return { bytes, fingerprint, id: fingerprint.slice(0, 2 * KEY_ID_BYTES) };
};

/** The keys of a process: SECRETS_KEY, and SECRETS_KEY_PREVIOUS for secrets that SECRETS_KEY cannot open. */
export class KeyRing {
  /** SECRETS_KEY first. */
  readonly keys: readonly SecretsKey[];

  /** @param key 32 bytes @param previous other keys, oldest last @throws RangeError if a key has another length */
  constructor(key: Buffer, previous: readonly Buffer[] = []) {
    const all = [key, ...previous].map(describeKey);
    this.keys = all.filter(({ id }, i) => all.findIndex((one) => one.id === id) === i);
  }

  /** SECRETS_KEY. */
  get first(): SecretsKey {
    return this.keys[0]!;
  }

  /** The last key of SECRETS_KEY_PREVIOUS, or SECRETS_KEY if that list is empty. */
  get oldest(): SecretsKey {
    return this.keys.at(-1)!;
  }

  /** Returns the key with this id; null if the process does not have it. */
  find(id: string): SecretsKey | null {
    return this.keys.find((key) => key.id === id) ?? null;
  }

  /** Returns the key with this fingerprint; null if the process does not have it. */
  findByFingerprint(fingerprint: string): SecretsKey | null {
    return this.keys.find((key) => key.fingerprint === fingerprint) ?? null;
  }
}

/** Keys of the transparency log. They stay the same when SECRETS_KEY is replaced. */
export interface HistoryKeys {
  /** Seed of the key that signs checkpoints, unless HISTORY_KEY is set; 32 bytes. */
  readonly signingKey: Buffer;
  /** Key for the seals (ADR-143). */
  readonly sealKey: Buffer;
}

/** Derives the history keys from the first SECRETS_KEY of the database (management-api.md: HISTORY_KEY). */
export const deriveHistoryKeys = (secretsKey: Buffer): HistoryKeys => {
  const derive = (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', secretsKey, '', purpose, 32));
  return { signingKey: derive('crosspost history key'), sealKey: derive('crosspost history seal') };
};

/** Returns the keys as text, to be sealed. */
export const serializeHistoryKeys = ({ signingKey, sealKey }: HistoryKeys): string =>
  JSON.stringify({ signing: signingKey.toString('base64'), seal: sealKey.toString('base64') });

/** Parses the result of {@link serializeHistoryKeys}. */
export const parseHistoryKeys = (text: string): HistoryKeys => {
  const { signing, seal } = JSON.parse(text) as { readonly signing: string; readonly seal: string };
  return { signingKey: Buffer.from(signing, 'base64'), sealKey: Buffer.from(seal, 'base64') };
};

/** Namespace of the advisory locks that sessions hold to show that their process has a key. */
const LOCK_CLASS = 7003;

const lockNumber = ({ id }: SecretsKey): number => Buffer.from(id, 'hex').readInt32BE();

/**
 * SQL that a process runs to show that it has a key. Run it in the session that listens for notifications, because each
 * process has exactly one such session.
 */
export const lockKeyStatement = (key: SecretsKey): string =>
  `select pg_advisory_lock_shared(${LOCK_CLASS}, ${lockNumber(key)})`;

/** Returns the sessions, as `<server process id>@<client address>`, of processes that do not have a key. */
export const findSessionsWithoutKey = async (db: Pick<Pool, 'query'>, key: SecretsKey): Promise<readonly string[]> => {
  const { rows } = await db.query<{ session: string }>(
    `select concat(a.pid, '@', coalesce(host(a.client_addr), 'local')) as session from pg_stat_activity a
     where a.datname = current_database() and a.application_name = 'crosspost notifications' and not exists (
       select from pg_locks l where l.pid = a.pid and l.locktype = 'advisory' and l.granted
         and l.database = a.datid and l.classid = ${LOCK_CLASS} and l.objid::bigint = $1)
     order by 1`,
    [Buffer.from(key.id, 'hex').readUInt32BE()],
  );
  return rows.map(({ session }) => session);
};

const IV_BYTES = 12;
const TAG_BYTES = 16;
/** First bytes of a value that contains its key's id. Values in the former format begin with random bytes. */
const MARK = Buffer.from('cps1');
/** Number of bytes before the nonce in a value that contains its key's id. */
export const HEADER_BYTES = MARK.length + KEY_ID_BYTES;

/** Returns the first bytes of all values that the key seals. */
export const headerOf = ({ id }: SecretsKey): Buffer => Buffer.concat([MARK, Buffer.from(id, 'hex')]);

/** Returns the id of the key that sealed a value; null for a value in the former format, which lacks the id. */
export const keyIdOf = (sealed: Buffer): string | null =>
  sealed.length >= HEADER_BYTES && sealed.subarray(0, MARK.length).equals(MARK)
    ? sealed.toString('hex', MARK.length, HEADER_BYTES)
    : null;

/**
 * Encrypts text with AES-256-GCM. The result consists of the mark, the key id, the nonce, the tag and the ciphertext.
 * The name is authenticated too, so that one value cannot replace another.
 */
export const sealValue = (key: SecretsKey, name: string, text: string): Buffer => {
  const header = headerOf(key);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key.bytes, iv).setAAD(Buffer.concat([header, Buffer.from(name)]));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([header, iv, cipher.getAuthTag(), sealed]);
};

/** Decrypts a value in either format with the key that sealed it. @throws Error if no key opens it */
export const openValue = (ring: KeyRing, name: string, sealed: Buffer): string => {
  const id = keyIdOf(sealed);
  const named = id === null ? null : ring.find(id);
  if (named) {
    const authenticated = Buffer.concat([sealed.subarray(0, HEADER_BYTES), Buffer.from(name)]);
    return decrypt(named, authenticated, sealed.subarray(HEADER_BYTES));
  }
  // In the former format, the random bytes may happen to look like a mark.
  let failure: unknown = null;
  for (const key of ring.keys)
    try {
      return decrypt(key, Buffer.from(name), sealed);
    } catch (error) {
      failure ??= error;
    }
  throw failure;
};

const decrypt = (key: SecretsKey, authenticated: Buffer, bytes: Buffer): string => {
  const iv = bytes.subarray(0, IV_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key.bytes, iv, { authTagLength: TAG_BYTES })
    .setAAD(authenticated)
    .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
};
