import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { CLOCK, type Clock, type Instant } from '../../../kernel/clock.js';
import { POOL } from '../../../postgres/tokens.js';
import { BoundedCache } from '../../../runtime/bounded-cache.js';

/** When and from where a key was last used. */
export interface KeyUse {
  readonly at: Instant;
  readonly ip: string;
}

const MAX_KEYS = 10_000;
/** Minimum time between two writes for one key, in ms: `last_used` is exact to a minute (D-93). */
const INTERVAL_MS = 30_000;

/** Records when keys were last used, outside the event log: otherwise every read would append an event. */
@Injectable()
export class KeyUses {
  /** When this process last wrote, by key. */
  private readonly stored = new BoundedCache<Instant>(MAX_KEYS);

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Records a use, without waiting for the database. */
  note(keyId: string, ip: string): void {
    const at = this.clock.now();
    const last = this.stored.get(keyId);
    if (last !== undefined && at - last < INTERVAL_MS) return;
    this.stored.set(keyId, at);
    const stored = this.pool.query({
      name: 'note use of key',
      text: `insert into ops_key_use as u (key_id, at, ip) values ($1, $2, $3)
             on conflict (key_id) do update set at = excluded.at, ip = excluded.ip where u.at < excluded.at`,
      values: [keyId, at, ip],
    });
    stored.catch(() => this.stored.delete(keyId));
  }

  /** Returns the last use of keys, by id. */
  async find(keyIds: readonly string[]): Promise<ReadonlyMap<string, KeyUse>> {
    const { rows } = await this.pool.query<{ key_id: string; at: string; ip: string }>({
      name: 'uses of keys',
      text: 'select key_id, at, ip from ops_key_use where key_id = any($1)',
      values: [keyIds],
    });
    return new Map(rows.map(({ key_id, at, ip }) => [key_id, { at: Number(at), ip }]));
  }
}
