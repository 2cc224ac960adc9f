import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Instant } from '../../kernel/instant.js';
import { POOL } from '../../postgres/tokens.js';
import { Batcher } from '../../runtime/batcher.js';
import {
  type ChannelRow,
  DISCOVERY,
  type EndpointRow,
  type OwnerRow,
  type ProjectRow,
  type WebhookOutputRow,
} from './discovery.tables.js';

/** The row type of each kind of resource. */
export interface ResourceRows {
  readonly owner: OwnerRow;
  readonly channel: ChannelRow;
  readonly project: ProjectRow;
  readonly endpoint: EndpointRow;
  readonly webhook_output: WebhookOutputRow;
}
/** Type of resource. */
export type ResourceKind = keyof ResourceRows;

/** State of a channel: it may post, its queue is held until a person fixes a problem (D-26), or it is disabled. */
export type ChannelStatus = 'ok' | 'needs_attention' | 'disabled';

/** Selects channels by their state at a given time. */
export interface StatusFilter {
  readonly is: ChannelStatus;
  readonly at: Instant;
}

/** Returns the table and the id column for a type of resource, as SQL. */
const tableOf = (kind: ResourceKind): { table: string; id: string } => ({
  table: `${DISCOVERY}.${kind}`,
  id: `${kind}_id`,
});

/**
 * Finds a resource by its id; null if there is none.
 * @param ownerId owner to whom it must belong; null for any owner
 */
@Injectable()
export class FindResource {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async execute<K extends ResourceKind>(
    kind: K,
    value: string,
    ownerId: string | null,
  ): Promise<ResourceRows[K] | null> {
    const { table, id } = tableOf(kind);
    const { rows } = await this.pool.query<{ row: ResourceRows[K] }>({
      name: `find ${kind}`,
      text: `select to_jsonb(t) as row from ${table} t where ${id} = $1 and ($2::text is null or owner_id = $2)`,
      values: [value, ownerId],
    });
    return rows[0]?.row ?? null;
  }
}

/**
 * Lists resources, newest first.
 * @param ownerId null for all owners
 * @param before id, exclusive; null to start with the newest resource
 * @param status filter for channels; null for all
 */
@Injectable()
export class ListResources {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async execute<K extends ResourceKind>(
    kind: K,
    ownerId: string | null,
    { before, limit }: { readonly before: string | null; readonly limit: number },
    status: StatusFilter | null = null,
  ): Promise<ResourceRows[K][]> {
    const { table, id } = tableOf(kind);
    // Leaves out unused conditions instead of making them always true, so that each list can use an index.
    const values: unknown[] = [limit];
    const conditions = ['true'];
    if (ownerId !== null) conditions.push(`owner_id = $${values.push(ownerId)}`);
    if (before !== null) conditions.push(`${id} < $${values.push(before)}`);
    if (status !== null) conditions.push(statusCondition(status.is, () => `$${values.push(status.at)}`));
    const text = `select to_jsonb(t) as row from ${table} t where ${conditions.join(' and ')} order by ${id} desc limit $1`;
    const { rows } = await this.pool.query<{ row: ResourceRows[K] }>(text, values);
    return rows.map(({ row }) => row);
  }
}

/** Returns the SQL condition that selects channels in this state. @param at adds the time to the statement's values */
const statusCondition = (status: ChannelStatus, at: () => string): string => {
  switch (status) {
    case 'disabled':
      return 'not enabled';
    case 'needs_attention':
      return `enabled and attention_until > ${at()}`;
    case 'ok':
      return `enabled and attention_until <= ${at()}`;
  }
};

/** Finds the ids that do not belong to a resource of this kind and owner. */
@Injectable()
export class FindMissingIds {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async execute(
    kind: 'channel' | 'project',
    ownerId: string,
    ids: readonly string[],
  ): Promise<{ index: number; id: string }[]> {
    const { table, id } = tableOf(kind);
    const { rows } = await this.pool.query<{ index: number; id: string }>({
      name: `missing ${kind}s`,
      text: `select (w.n - 1)::int as index, w.id from unnest($2::text[]) with ordinality w(id, n)
             where not exists (select 1 from ${table} t where t.${id} = w.id and t.owner_id = $1) order by w.n`,
      values: [ownerId, ids],
    });
    return rows;
  }
}

/**
 * Finds an owner's other channels in the same chat, newest first, at most 20. Compares public names case-insensitively.
 */
@Injectable()
export class FindChannelsOfChat {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async execute(
    channel: Pick<ChannelRow, 'channel_id' | 'owner_id' | 'platform'>,
    address: Readonly<Record<string, string>>,
  ): Promise<Pick<ChannelRow, 'channel_id' | 'name'>[]> {
    const { rows } = await this.pool.query<Pick<ChannelRow, 'channel_id' | 'name'>>({
      name: 'channels of a chat',
      text: `select channel_id, name from ${DISCOVERY}.channel t
             where owner_id = $1 and platform = $2 and channel_id <> $3 and not exists (
               select 1 from jsonb_each_text($4::jsonb) a(field, value)
               where lower(t.address ->> a.field) is distinct from lower(a.value))
             order by channel_id desc limit 20`,
      values: [channel.owner_id, channel.platform, channel.channel_id, JSON.stringify(address)],
    });
    return rows;
  }
}

/**
 * Finds the owner whose key has this hash (SHA-256, hex); null if there is none. Concurrent searches share one query,
 * so that a flood of wrong keys occupies one connection and costs little more than one wrong key (D-86).
 */
@Injectable()
export class FindOwnerByKey {
  private readonly searches = new Batcher<string, OwnerRow | null>((hashes) => this.findAll(hashes));

  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** @throws Overloaded */
  execute(keyHash: string): Promise<OwnerRow | null> {
    return this.searches.submit(keyHash);
  }

  private async findAll(hashes: readonly string[]): Promise<(OwnerRow | null)[]> {
    const { rows } = await this.pool.query<{ key_hash: string; row: OwnerRow }>({
      name: 'owners by key',
      text: `select key_hash, to_jsonb(t) as row from ${DISCOVERY}.owner t where key_hash = any($1)`,
      values: [hashes],
    });
    const owners = new Map(rows.map(({ key_hash, row }) => [key_hash, row]));
    return hashes.map((hash) => owners.get(hash) ?? null);
  }
}
