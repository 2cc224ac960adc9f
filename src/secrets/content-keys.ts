import { type KeyObject, randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { type ContentKey, type ContentKeys, createContentKey, monthOf } from '../event-store/content-keys.js';
import { Unavailable } from '../event-store/port.js';
import { type Instant, startOfMonth } from '../kernel/clock.js';
import type { Log } from '../kernel/log.js';
import { isUnavailable } from '../postgres/unavailable.js';
import { BoundedCache } from '../runtime/bounded-cache.js';
import { RepeatedFailure } from '../runtime/failing-work.js';
import { ACTIVE_KEY, readActiveKey } from './database-keys.js';
import { type KeyRing, openValue, sealValue, type SecretsKey } from './key-ring.js';
import { SECRETS_MESSAGES } from './messages.js';
import { UnreadableSecret } from './vault.js';

/** Maximum number of keys in memory, by id and by owner. */
const CACHE_SIZE = 20_000;
const KEY_BYTES = 32;
const ID_BYTES = 16;

/** How long a process remembers the keys that it used for new events, to store them again if the database loses them, in ms. */
const PUT_BACK_MS = 600_000;

/** Interval at which a process drops erased keys even without a notification, in ms. */
const SYNC_MS = 20_000;

/** Notification channel: keys were erased. */
export const ERASURE = 'erasure';

/** Month of the row that marks everything of an owner as erased. */
const ALL = '';
/** Id of the row whose `erased_at` is the time up to which missing keys count as erased. */
const MISSING_ARE_LOST = '*';

interface Row {
  readonly key_id: string;
  readonly month: string;
  readonly sealed: Buffer | null;
}

/** An encrypted key, as the database stores it. Any database with the same SECRETS_KEY can decrypt it. */
export interface SealedContentKey {
  readonly id: string;
  readonly ownerId: string;
  readonly month: string;
  /** Null if it was erased. */
  readonly sealed: Buffer | null;
}

interface RecentKey {
  readonly key: ContentKey;
  readonly ownerId: string;
  readonly month: string;
  /** `performance.now()`, in ms. */
  readonly obtainedAt: number;
}

/** Returns the name under which a key is sealed. */
export const nameOfContentKey = (id: string): string => `content_key/${id}`;

/** A key for new events. `isErased`: it is stored nowhere, so no one can ever open what it seals. */
type NewKey = ContentKey & { readonly isErased?: true };

/**
 * The keys of events' content, in `ops_content_key` (D-100, ADR-413): one for each owner and month. Keys in memory are
 * dropped when any process erases them.
 */
export class ContentKeyTable implements ContentKeys {
  /** By id; `erased` for a key that had been erased before it was read. */
  private readonly known = new BoundedCache<ContentKey | 'erased'>(CACHE_SIZE);
  /** Keys for new events, by owner and month. */
  private readonly current = new BoundedCache<NewKey>(CACHE_SIZE);
  /** Keys that this process used for new events in the last minutes, by id. */
  private readonly recent = new Map<string, RecentKey>();
  private readonly creating = new Map<string, Promise<NewKey>>();
  /** Ids of the keys that were erased while this process ran. */
  private readonly erased = new Set<string>();
  /** The database's clock when this process last looked for erased keys. */
  private erasedUntil: string | null = null;
  private active: SecretsKey | null = null;
  private month = { name: '', from: 0, until: 0 };

  constructor(
    private readonly pool: Pick<Pool, 'query'>,
    private readonly ring: KeyRing,
  ) {}

  obtain(ownerId: string, at: Instant): ContentKey | Promise<ContentKey> {
    const name = `${ownerId}/${this.nameMonth(at)}`;
    const known = this.current.get(name);
    if (known && (known.isErased || !this.erased.has(known.id))) return known;
    let creating = this.creating.get(name);
    if (!creating) {
      creating = this.create(ownerId, this.nameMonth(at)).finally(() => this.creating.delete(name));
      this.creating.set(name, creating);
    }
    return creating;
  }

  find(id: string): ContentKey | null | undefined {
    const known = this.known.get(id);
    return known === 'erased' || this.erased.has(id) ? null : known;
  }

  async load(used: ReadonlyMap<string, Instant>): Promise<ReadonlyMap<string, ContentKey | null>> {
    const text = 'select key_id, month, sealed from ops_content_key where key_id = any($1)';
    const rows = await this.query<Row>(text, [[...used.keys()]]);
    const loaded = new Map<string, ContentKey | null>();
    for (const row of rows) {
      const key = this.open(row);
      this.known.set(row.key_id, key ?? 'erased');
      loaded.set(row.key_id, key);
    }
    if (loaded.size === used.size) return loaded;
    const missing = await this.findMissing(used);
    const [id] = missing;
    if (id !== undefined) throw new Unavailable(SECRETS_MESSAGES.contentKeysMissing({ count: missing.length, id }));
    return loaded;
  }

  isErased(id: string): boolean {
    return this.erased.size > 0 && this.erased.has(id);
  }

  async dropErased(): Promise<void> {
    // A transaction may be committed after another one that began later.
    const rows = await this.query<{ until: string; ids: string[] | null }>(
      `select (clock_timestamp() - interval '1 minute')::text as until, array_agg(key_id) as ids
       from ops_content_key where erased_at > coalesce($1::timestamptz, clock_timestamp() - interval '1 minute')`,
      [this.erasedUntil],
    );
    for (const id of rows[0]!.ids ?? []) {
      this.erased.add(id);
      this.known.delete(id);
      this.recent.delete(id);
    }
    this.erasedUntil = rows[0]!.until;
  }

  /** Erases everything that an owner wrote, and everything that is yet to be written for it. @throws Unavailable */
  async eraseOwner(ownerId: string): Promise<void> {
    // The first statement is committed on its own: a process that inserts a key sees that row, or its key is erased below.
    await this.query(
      `insert into ops_content_key (key_id, owner_id, month, erased_at, is_current)
       values ($1, $2, '${ALL}', clock_timestamp(), true) on conflict do nothing`,
      [randomBytes(ID_BYTES).toString('base64url'), ownerId],
    );
    await this.eraseWhere('owner_id = $1', [ownerId]);
  }

  /** Erases what an owner wrote in these months. @throws Unavailable */
  async eraseMonths(ownerId: string, months: readonly string[]): Promise<void> {
    await this.eraseWhere('owner_id = $1 and month = any($2)', [ownerId, months]);
  }

  /**
   * Lists the months that ended before the given one, and the owners who wrote in them, unless all that they wrote was
   * erased. Months whose keys were erased are listed too.
   * @param after the last owner of the previous page; every owner has an id that is greater than the empty text
   * @throws Unavailable
   */
  async listMonths(
    until: string,
    { ownerId = null, after = '', limit = 1 }: { ownerId?: string | null; after?: string; limit?: number },
  ): Promise<readonly { readonly ownerId: string; readonly months: readonly string[] }[]> {
    return this.query(
      `select owner_id as "ownerId", array_agg(month order by month) as months from ops_content_key k
       where month < $1 and month <> '${ALL}' and owner_id > $3 and ($2::text is null or owner_id = $2)
         and not exists (select from ops_content_key a where a.owner_id = k.owner_id and a.month = '${ALL}')
       group by owner_id order by owner_id limit $4`,
      [until, ownerId, after, limit],
    );
  }

  /** Erases where people without an owner, such as operators, wrote from, up to a month. @throws Unavailable */
  async eraseUnowned(until: string): Promise<void> {
    await this.eraseWhere(`owner_id = '' and month < $1 and month <> '${ALL}'`, [until]);
  }

  /** True if a key of a month before the given one was not erased yet. @throws Unavailable */
  async hasBefore(until: string): Promise<boolean> {
    const text = `select from ops_content_key where month < $1 and sealed is not null limit 1`;
    return (await this.query(text, [until])).length > 0;
  }

  /** Lists keys in order of id. @throws Unavailable */
  listSealed(after: string, limit: number): Promise<readonly SealedContentKey[]> {
    return this.query<SealedContentKey>(
      `select key_id as id, owner_id as "ownerId", month, sealed from ops_content_key where key_id > $1
       and key_id <> '${MISSING_ARE_LOST}' order by key_id limit $2`,
      [after, limit],
    );
  }

  /**
   * Stores a key from {@link listSealed}, unless the table has it. It only opens existing events; new ones get another key.
   * @throws UnreadableSecret if none of this process's keys has sealed it
   */
  async storeSealed({ id, ownerId, month, sealed }: SealedContentKey): Promise<void> {
    const bytes = sealed && this.openBytes(id, sealed);
    const values = { id, ownerId, month, bytes, isCurrent: false };
    while (!(await this.insert(values))) if ((await this.findUnknown([id])).length === 0) return;
  }

  /**
   * From now on, content that was sealed with a key which is missing today counts as erased. A key that goes missing later
   * still stops readers.
   * @throws Unavailable
   */
  async giveUpMissing(): Promise<void> {
    await this.query(
      `insert into ops_content_key (key_id, owner_id, month, erased_at, is_current)
       values ('${MISSING_ARE_LOST}', '${MISSING_ARE_LOST}', '${ALL}', clock_timestamp(), false)
       on conflict (key_id) do update set erased_at = excluded.erased_at`,
      [],
    );
  }

  /**
   * Returns the ids of the keys that are missing, except for those that were given up.
   * @param used when each key sealed an event, by its id
   * @throws Unavailable
   */
  async findMissing(used: ReadonlyMap<string, Instant>): Promise<readonly string[]> {
    const unknown = await this.findUnknown([...used.keys()]);
    if (unknown.length === 0) return unknown;
    const rows = await this.query<{ at: number }>(
      'select extract(epoch from erased_at)::float8 * 1000 as at from ops_content_key where key_id = $1',
      [MISSING_ARE_LOST],
    );
    const givenUpAt = rows[0]?.at ?? 0;
    return unknown.filter((id) => used.get(id)! > givenUpAt);
  }

  /**
   * Drops erased keys and stores lost ones again, now and as long as the process runs: at each notification, and regularly
   * in case one is missed.
   * @param subscribe to notifications of {@link ERASURE}
   * @returns a function that ends it
   * @throws Unavailable
   */
  async watch(subscribe: (listener: () => void) => () => void, log: Log): Promise<() => void> {
    const failure = new RepeatedFailure();
    const sync = async (): Promise<void> => {
      await this.dropErased();
      await this.putBack();
    };
    const trySync = (): void =>
      void sync().then(
        () => failure.clear(),
        (error: unknown) => failure.warn(log, error, 'failed to look for erased content; trying again'),
      );
    await sync();
    const unsubscribe = subscribe(trySync);
    const timer = setInterval(trySync, SYNC_MS).unref();
    return () => {
      unsubscribe();
      clearInterval(timer);
    };
  }

  /**
   * Stores recently used keys again if the database has lost them: a standby that took over may lack the latest commits.
   * @throws Unavailable
   */
  async putBack(): Promise<void> {
    const since = performance.now() - PUT_BACK_MS;
    for (const [id, { obtainedAt }] of this.recent) if (obtainedAt < since) this.recent.delete(id);
    if (this.recent.size === 0) return;
    for (const id of await this.findUnknown([...this.recent.keys()])) {
      const { key, ownerId, month } = this.recent.get(id)!;
      if (this.erased.has(id)) continue;
      const bytes = key.secret.export();
      while (!(await this.insert({ id, ownerId, month, bytes, isCurrent: false })))
        if ((await this.findUnknown([id])).length === 0) break;
    }
  }

  /** Returns the ids that the table does not have, not even as erased keys. @throws Unavailable */
  private async findUnknown(ids: readonly string[]): Promise<readonly string[]> {
    const text = `select id from unnest($1::text[]) sent(id)
      where not exists (select from ops_content_key where key_id = id)`;
    return (await this.query<{ id: string }>(text, [ids])).map(({ id }) => id);
  }

  /**
   * Inserts a key. Does nothing, and returns false, if SECRETS_KEY was replaced in the meantime, so that the new key
   * opens all later ones, or if the key is already there, or another one seals the new events of its owner and month.
   */
  private async insert(key: {
    readonly id: string;
    readonly ownerId: string;
    readonly month: string;
    /** Null for an erased key. */
    readonly bytes: Buffer | null;
    readonly isCurrent: boolean;
  }): Promise<boolean> {
    const { id, ownerId, month, bytes, isCurrent } = key;
    const seal = (this.active ??= await this.guard(() => readActiveKey(this.pool, this.ring)));
    const sealed = bytes && sealValue(seal, nameOfContentKey(id), bytes.toString('base64'));
    const rows = await this.query(
      `insert into ops_content_key (key_id, owner_id, month, sealed, erased_at, is_current)
       select $1, $2, $3, $4::bytea, case when $4::bytea is null then clock_timestamp() end, $5
       from ops_setting where name = $6 and value = $7 for share
       on conflict do nothing returning key_id`,
      [id, ownerId, month, sealed, isCurrent, ACTIVE_KEY, seal.fingerprint],
    );
    if (rows.length === 0) this.active = null;
    return rows.length > 0;
  }

  private async eraseWhere(condition: string, values: unknown[]): Promise<void> {
    const erased = await this.query(
      `update ops_content_key set sealed = null, erased_at = clock_timestamp()
       where ${condition} and sealed is not null returning key_id`,
      values,
    );
    if (erased.length > 0) await this.query(`notify ${ERASURE}`, []);
    await this.dropErased();
  }

  /** Reads the key of an owner and month, or creates it. @throws Unavailable */
  private async create(ownerId: string, month: string): Promise<NewKey> {
    for (;;) {
      const rows = await this.query<Row>(
        `select key_id, month, sealed from ops_content_key
         where owner_id = $1 and (month = $2 and is_current or month = '${ALL}')`,
        [ownerId, month],
      );
      if (rows.length > 0) {
        const key = await this.toNewKey(ownerId, rows);
        this.current.set(`${ownerId}/${month}`, key);
        if (key.isErased) return key;
        this.known.set(key.id, key);
        this.recent.set(key.id, { key, ownerId, month, obtainedAt: performance.now() });
        return key;
      }
      // Read again, also after a success: the owner may be erased in the meantime.
      const id = randomBytes(ID_BYTES).toString('base64url');
      await this.insert({ id, ownerId, month, bytes: randomBytes(KEY_BYTES), isCurrent: true });
    }
  }

  private async toNewKey(ownerId: string, rows: readonly Row[]): Promise<NewKey> {
    const all = rows.find(({ month }) => month === ALL);
    // Another process may have inserted the key while the owner was erased.
    if (all && rows.some(({ sealed }) => sealed !== null)) await this.eraseWhere('owner_id = $1', [ownerId]);
    const row = all ?? rows[0]!;
    const key = all ? null : this.open(row);
    return key ?? { ...createContentKey(row.key_id, randomBytes(KEY_BYTES)), isErased: true };
  }

  /** Returns a row's key; null if it was erased. A key that cannot be decrypted throws when it is used. */
  private open({ key_id: id, sealed }: Row): ContentKey | null {
    if (sealed === null) return null;
    try {
      return createContentKey(id, this.openBytes(id, sealed));
    } catch (error) {
      return {
        id,
        salt: '',
        get secret(): KeyObject {
          throw error;
        },
      };
    }
  }

  private openBytes(id: string, sealed: Buffer): Buffer {
    const name = nameOfContentKey(id);
    try {
      return Buffer.from(openValue(this.ring, name, sealed), 'base64');
    } catch (cause) {
      throw new UnreadableSecret(name, { cause });
    }
  }

  private nameMonth(at: Instant): string {
    if (at < this.month.from || at >= this.month.until)
      this.month = { name: monthOf(at), from: startOfMonth(at), until: startOfMonth(at, 1) };
    return this.month.name;
  }

  private async query<R extends object>(text: string, values: readonly unknown[]): Promise<R[]> {
    return (await this.guard(() => this.pool.query<R>(text, [...values]))).rows;
  }

  private async guard<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      throw new Unavailable(SECRETS_MESSAGES.noContentKeys, { cause: error });
    }
  }
}
