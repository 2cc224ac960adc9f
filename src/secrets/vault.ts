import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { newUuid } from '../kernel/ids.js';
import { POOL } from '../postgres/tokens.js';
import { Batcher } from '../runtime/batcher.js';
import { BoundedCache } from '../runtime/bounded-cache.js';
import { ACTIVE_KEY, readActiveKey } from './database-keys.js';
import { KeyRing, openValue, sealValue, type SecretsKey } from './key-ring.js';

const CACHE_SIZE = 10_000;

/** Thrown for a secret that cannot be decrypted: it was changed, moved to another id or sealed with another key. */
export class UnreadableSecret extends Error {
  constructor(id: string, options?: { cause?: unknown }) {
    super(`the secret ${id} cannot be decrypted`, options);
    this.name = 'UnreadableSecret';
  }
}

/** Maximum time, in ms, that a command may still be running after it stored a secret. */
const NAMED_WITHIN_MS = 3_600_000;
/**
 * How long a secret without an event is kept, in ms (25 hours): longer than the period in which repeated requests are
 * recognised.
 */
const KEPT_UNNAMED_MS = 25 * 3_600_000;

/** A secret that no event has been confirmed to name yet. */
export interface UnconfirmedSecret {
  readonly id: string;
  /** Stream of the event that should name the secret; null if no event should. */
  readonly stream: string | null;
  /** Changes when the secret is stored again. */
  readonly checkAt: string;
}

/** A secret as stored in the database. */
export interface SealedSecret {
  readonly id: string;
  readonly sealed: Buffer;
}

export interface ListedSecret extends SealedSecret {
  /** Stream of the event that should name the secret; null once the event is confirmed. */
  readonly unconfirmedIn: string | null;
}

interface NewRow {
  readonly id: string;
  readonly text: string;
  readonly stream: string | null;
  /** How long to wait before checking that an event names the secret, in ms; null for no check. */
  readonly checkInMs: number | null;
}

/** A small set of named secrets, for example a channel's credentials. */
export type Secret = Readonly<Record<string, string>>;

/**
 * Stores secrets that must be readable again, encrypted with AES-256-GCM in `ops_secret` with the database's active
 * key. Events hold only their ids, so that a secret can be erased without changing history. A secret never changes (a
 * new value gets a new id), so decrypted secrets may be cached.
 */
@Injectable()
export class SecretVault {
  private readonly cache = new BoundedCache<Secret>(CACHE_SIZE);
  /** A post to many channels needs the credentials of all of them at once. */
  private readonly reads = new Batcher<string, Buffer | null>((ids) => this.readSealed(ids), { maxBatchSize: 100 });
  private active: SecretsKey | null = null;

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly ring: KeyRing,
  ) {}

  /**
   * Encrypts and stores a secret, and returns its id. Call it before appending the event that names the secret: if the
   * event is not in the stream after an hour, the secret is erased.
   * @param stream stream of that event; null if no event names the secret, which is then kept for at most 25 hours
   */
  async storeSecret(secret: Secret, stream: string | null, id: string = newUuid()): Promise<string> {
    const checkInMs = stream === null ? KEPT_UNNAMED_MS : NAMED_WITHIN_MS;
    await this.insert({ id, text: JSON.stringify(secret), stream, checkInMs });
    return id;
  }

  /** Lists secrets that are due for a check, most overdue first. */
  async findUnconfirmed(limit: number): Promise<UnconfirmedSecret[]> {
    const { rows } = await this.pool.query<UnconfirmedSecret>(
      `select secret_id as id, stream, check_at::text as "checkAt" from ops_secret
       where check_at <= clock_timestamp() order by check_at limit $1`,
      [limit],
    );
    return rows;
  }

  /** Records that an event names the secret. */
  async confirm({ id, checkAt }: UnconfirmedSecret): Promise<void> {
    const text = 'update ops_secret set check_at = null where secret_id = $1 and check_at = $2::timestamptz';
    await this.pool.query(text, [id, checkAt]);
  }

  /** Schedules another check of a secret, an hour from now. */
  async postponeCheck({ id, checkAt }: UnconfirmedSecret): Promise<void> {
    const text = `update ops_secret set check_at = clock_timestamp() + $3 * interval '1 ms'
                  where secret_id = $1 and check_at = $2::timestamptz`;
    await this.pool.query(text, [id, checkAt, NAMED_WITHIN_MS]);
  }

  /** Deletes a secret that no event names, unless it was stored again in the meantime. */
  async eraseUnconfirmed({ id, checkAt }: UnconfirmedSecret): Promise<void> {
    this.cache.delete(id);
    await this.pool.query('delete from ops_secret where secret_id = $1 and check_at = $2::timestamptz', [id, checkAt]);
  }

  /**
   * Returns a decrypted secret; null if it was erased or never existed.
   * @throws UnreadableSecret
   * @throws the database's errors
   */
  async readSecret(id: string): Promise<Secret | null> {
    const known = this.cache.get(id);
    if (known) return known;
    const sealed = await this.reads.submit(id);
    if (!sealed) return null;
    const secret = this.open(id, sealed);
    this.cache.set(id, secret);
    return secret;
  }

  private async readSealed(ids: readonly string[]): Promise<(Buffer | null)[]> {
    const { rows } = await this.pool.query<SealedSecret>({
      name: 'read secrets',
      text: 'select secret_id as id, sealed from ops_secret where secret_id = any($1)',
      values: [ids],
    });
    const found = new Map(rows.map(({ id, sealed }) => [id, sealed]));
    return ids.map((id) => found.get(id) ?? null);
  }

  /** Lists sealed secrets in order of id. Only the same keys can open them. Omits secrets without an event. */
  async listSealed(after: string, limit: number): Promise<readonly ListedSecret[]> {
    const { rows } = await this.pool.query<ListedSecret>(
      `select secret_id as id, sealed, case when check_at is not null then stream end as "unconfirmedIn" from ops_secret
       where secret_id > $1 and stream is not null order by secret_id limit $2`,
      [after, limit],
    );
    return rows;
  }

  /**
   * Stores a secret that {@link listSealed} returned, unless it is already there.
   * @throws UnreadableSecret if none of this process's keys has sealed it
   */
  async storeSealed({ id, sealed }: SealedSecret): Promise<void> {
    const secret = this.open(id, sealed);
    await this.insert({ id, text: JSON.stringify(secret), stream: 'import', checkInMs: null });
  }

  /** Returns the ids whose secret was erased or never existed. */
  async findErased(ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    const text = `select id from unnest($1::text[]) sent(id) where not exists (select from ops_secret where secret_id = id)`;
    return new Set((await this.pool.query<{ id: string }>(text, [ids])).rows.map(({ id }) => id));
  }

  /** Deletes a secret permanently. */
  async eraseSecret(id: string): Promise<void> {
    this.cache.delete(id);
    await this.pool.query('delete from ops_secret where secret_id = $1', [id]);
  }

  /**
   * Seals a secret with the active key and inserts it, unless it is already there. The statement stores nothing if the
   * key was replaced in the meantime, so that the new key opens all later secrets.
   */
  private async insert({ id, text, stream, checkInMs }: NewRow): Promise<void> {
    for (;;) {
      const key = (this.active ??= await readActiveKey(this.pool, this.ring));
      // A repeated command stores the same secret and restarts the wait for its event. The row is counted either way.
      const { rowCount } = await this.pool.query(
        `insert into ops_secret as s (secret_id, sealed, stream, check_at)
         select $1::text, $2::bytea, $3::text, clock_timestamp() + $4::float8 * interval '1 ms' from ops_setting where name = $5 and value = $6 for share
         on conflict (secret_id) do update
         set check_at = case when s.check_at is not null then coalesce(excluded.check_at, s.check_at) end`,
        [id, sealValue(key, id, text), stream, checkInMs, ACTIVE_KEY, key.fingerprint],
      );
      if (rowCount !== 0) return;
      this.active = null;
    }
  }

  private open(id: string, sealed: Buffer): Secret {
    try {
      return JSON.parse(openValue(this.ring, id, sealed)) as Secret;
    } catch (cause) {
      throw new UnreadableSecret(id, { cause });
    }
  }
}
