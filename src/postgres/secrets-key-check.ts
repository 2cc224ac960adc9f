import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Pool } from 'pg';

const NAME = 'secrets_key_fingerprint';

/** SECRETS_KEY is not the one this database's credentials were encrypted with. */
export class WrongSecretsKey extends Error {
  override readonly name = 'WrongSecretsKey';
  constructor() {
    super(
      'SECRETS_KEY does not fit this database: its credentials were encrypted with another key. Set the key that the database was first started with (with the embedded PostgreSQL it is in DATA_DIR/keys.json), or use another database.',
    );
  }
}

/**
 * Makes sure that the 32-byte key is the database's own. The first process to start leaves the key's fingerprint (an
 * HMAC, from which the key cannot be found); every later one must match it (management-api.md: SECRETS_KEY).
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
