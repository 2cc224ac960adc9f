import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { newUuid } from '../kernel/ids.js';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const CACHE_SIZE = 10_000;

/** A small set of named secrets, e.g. a channel's credentials. */
export type Secret = Readonly<Record<string, string>>;

/**
 * Secrets that must be readable again, sealed with AES-256-GCM under SECRETS_KEY in `ops_secret`. Events hold their
 * ids alone, so that one can be erased without touching history. A secret is never changed: a new one gets a new id,
 * which is also why opened ones may be kept in memory.
 */
export class SecretVault {
  private readonly opened = new Map<string, Secret>();

  /** @param key 32 bytes */
  constructor(
    private readonly pool: Pool,
    private readonly key: Buffer,
  ) {}

  /** Seals a secret and answers its id. Written before the event that names it: one without an event is harmless. */
  async put(secret: Secret, id: string = newUuid()): Promise<string> {
    const text = 'insert into ops_secret (secret_id, sealed) values ($1, $2) on conflict (secret_id) do nothing';
    await this.pool.query(text, [id, this.seal(id, JSON.stringify(secret))]);
    return id;
  }

  /** Opens a secret; null where it was erased or never was. @throws Error where it was tampered with. */
  async get(id: string): Promise<Secret | null> {
    const known = this.opened.get(id);
    if (known) return known;
    const { rows } = await this.pool.query<{ sealed: Buffer }>('select sealed from ops_secret where secret_id = $1', [
      id,
    ]);
    if (!rows[0]) return null;
    const secret = JSON.parse(this.open(id, rows[0].sealed)) as Secret;
    if (this.opened.size >= CACHE_SIZE) this.opened.delete(this.opened.keys().next().value!);
    this.opened.set(id, secret);
    return secret;
  }

  /** Erases a secret for good. */
  async erase(id: string): Promise<void> {
    this.opened.delete(id);
    await this.pool.query('delete from ops_secret where secret_id = $1', [id]);
  }

  /** The id is authenticated along, so that one secret cannot be slipped in for another. */
  private seal(id: string, text: string): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, iv).setAAD(Buffer.from(id));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
  }

  private open(id: string, bytes: Buffer): string {
    const iv = bytes.subarray(0, IV_BYTES);
    const tag = bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', this.key, iv).setAAD(Buffer.from(id)).setAuthTag(tag);
    return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  }
}
