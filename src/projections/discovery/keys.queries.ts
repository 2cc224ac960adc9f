import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { POOL } from '../../postgres/tokens.js';
import { Batcher } from '../../runtime/batcher.js';
import { DISCOVERY, type KeyRow, RESOURCE } from './discovery.tables.js';

/**
 * Finds the key that has, or had before its last rotation, this hash (SHA-256, hex); null if there is none, or if its
 * owner was deleted. Concurrent searches share one query, so that a flood of wrong keys occupies one connection and
 * costs little more than one wrong key (D-86).
 */
@Injectable()
export class FindKey {
  private readonly searches = new Batcher<string, KeyRow | null>((hashes) => this.findAll(hashes));

  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** @throws Overloaded */
  execute(keyHash: string): Promise<KeyRow | null> {
    return this.searches.submit(keyHash);
  }

  private async findAll(hashes: readonly string[]): Promise<(KeyRow | null)[]> {
    const { rows } = await this.pool.query<{ row: KeyRow }>({
      name: 'keys by hash',
      text: `select ${RESOURCE} as row from ${DISCOVERY}.key t where (key_hash = any($1) or previous_hash = any($1))
             and (owner_id is null or exists (select from ${DISCOVERY}.owner o where o.owner_id = t.owner_id))`,
      values: [hashes],
    });
    const previous = rows.flatMap(({ row }) => (row.previous_hash === null ? [] : [[row.previous_hash, row] as const]));
    const found = new Map([...previous, ...rows.map(({ row }) => [row.key_hash, row] as const)]);
    return hashes.map((hash) => found.get(hash) ?? null);
  }
}
