import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Pool } from 'pg';
import { SERVER_MESSAGES } from './messages.js';

const NAME = 'secrets_key_fingerprint';

/** SECRETS_KEY is not the key that this database's secrets are encrypted with. */
export class WrongSecretsKey extends Error {
  override readonly name = 'WrongSecretsKey';
  constructor() {
    super(SERVER_MESSAGES.wrongSecretsKey);
  }
}

/**
 * Verifies that the 32-byte key is the key of this database. The first process to start stores the key's fingerprint (an
 * HMAC, from which the key cannot be computed); every later one must match it (management-api.md: SECRETS_KEY).
 * @throws WrongSecretsKey
 */
export const checkSecretsKey = async (pool: Pool, key: Buffer): Promise<void> => {
  const fingerprint = createHmac('sha256', key).update(NAME).digest();
  await pool.query('insert into ops_setting (name, value) values ($1, $2) on conflict (name) do nothing', [
    NAME,
    fingerprint.toString('hex'),
  ]);
  const { rows } = await pool.query<{ value: string }>('select value from ops_setting where name = $1', [NAME]);
  const stored = Buffer.from(rows[0]?.value ?? '', 'hex');
  if (stored.length !== fingerprint.length || !timingSafeEqual(stored, fingerprint)) throw new WrongSecretsKey();
};
