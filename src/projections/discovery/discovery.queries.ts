import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { Instant } from '../../kernel/instant.js';
import { POOL } from '../../postgres/tokens.js';
import {
  DISCOVERY,
  type ChannelRow,
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
/** Name of a kind of resource. */
export type ResourceKind = keyof ResourceRows;

/** Finds a resource by its id; null if there is none. @param ownerId finds it only if it belongs to this owner; null: any owner */
export class FindResource<K extends ResourceKind> extends Query<ResourceRows[K] | null> {
  constructor(
    readonly kind: K,
    readonly id: string,
    readonly ownerId: string | null,
  ) {
    super();
  }
}

/** State of a channel: it may post, a refusal holds its queue (D-26), or its owner disabled it. */
export type ChannelStatus = 'ok' | 'needs_attention' | 'disabled';

/**
 * Lists resources, the newest first. @param ownerId only those of this owner; null: all @param before only those older than
 * this one @param status only channels in this state at that time
 */
export class ListResources<K extends ResourceKind> extends Query<ResourceRows[K][]> {
  constructor(
    readonly kind: K,
    readonly ownerId: string | null,
    readonly page: { readonly before: string | null; readonly limit: number },
    readonly status: { readonly is: ChannelStatus; readonly at: Instant } | null = null,
  ) {
    super();
  }
}

/** Finds the ids that do not belong to a resource of this kind and owner. */
export class FindMissingIds extends Query<{ readonly index: number; readonly id: string }[]> {
  constructor(
    readonly kind: 'channel' | 'project',
    readonly ownerId: string,
    readonly ids: readonly string[],
  ) {
    super();
  }
}

/** Finds an owner's other channels in the same chat, the newest first, at most 20. Public names match in any case. */
export class FindChannelsOfChat extends Query<Pick<ChannelRow, 'channel_id' | 'name'>[]> {
  /** @param address the fields that name the chat */
  constructor(
    readonly channel: Pick<ChannelRow, 'channel_id' | 'owner_id' | 'platform'>,
    readonly address: Readonly<Record<string, string>>,
  ) {
    super();
  }
}

/** Finds the owner whose key has this hash (SHA-256, hex); null if there is none. */
export class FindOwnerByKey extends Query<OwnerRow | null> {
  constructor(readonly keyHash: string) {
    super();
  }
}

/** Returns the table and the id column of a kind. They become part of SQL statements, so only known kinds are allowed. */
const tableOf = (kind: ResourceKind): { table: string; id: string } => ({
  table: `${DISCOVERY}.${kind}`,
  id: `${kind}_id`,
});

@QueryHandler(FindResource)
export class FindResourceHandler implements IQueryHandler<FindResource<ResourceKind>> {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async execute({ kind, id: value, ownerId }: FindResource<ResourceKind>): Promise<ResourceRows[ResourceKind] | null> {
    const { table, id } = tableOf(kind);
    const { rows } = await this.pool.query<{ row: ResourceRows[ResourceKind] }>({
      name: `find ${kind}`,
      text: `select to_jsonb(t) as row from ${table} t where ${id} = $1 and ($2::text is null or owner_id = $2)`,
      values: [value, ownerId],
    });
    return rows[0]?.row ?? null;
  }
}

@QueryHandler(ListResources)
export class ListResourcesHandler implements IQueryHandler<ListResources<ResourceKind>> {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async execute({
    kind,
    ownerId,
    page: { before, limit },
    status,
  }: ListResources<ResourceKind>): Promise<ResourceRows[ResourceKind][]> {
    const { table, id } = tableOf(kind);
    // Conditions that do not apply are omitted, not made true for all rows, so that each list can use an index.
    const values: unknown[] = [limit];
    const conditions = ['true'];
    if (ownerId !== null) conditions.push(`owner_id = $${values.push(ownerId)}`);
    if (before !== null) conditions.push(`${id} < $${values.push(before)}`);
    if (status !== null) conditions.push(statusCondition(status.is, () => `$${values.push(status.at)}`));
    const text = `select to_jsonb(t) as row from ${table} t where ${conditions.join(' and ')} order by ${id} desc limit $1`;
    const { rows } = await this.pool.query<{ row: ResourceRows[ResourceKind] }>(text, values);
    return rows.map(({ row }) => row);
  }
}

/** Returns the condition for channels in a state. @param at adds the time to the statement's values */
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

@QueryHandler(FindMissingIds)
export class FindMissingIdsHandler implements IQueryHandler<FindMissingIds> {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async execute({ kind, ownerId, ids }: FindMissingIds): Promise<{ index: number; id: string }[]> {
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

@QueryHandler(FindChannelsOfChat)
export class FindChannelsOfChatHandler implements IQueryHandler<FindChannelsOfChat> {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async execute({ channel, address }: FindChannelsOfChat): Promise<Pick<ChannelRow, 'channel_id' | 'name'>[]> {
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

@QueryHandler(FindOwnerByKey)
export class FindOwnerByKeyHandler implements IQueryHandler<FindOwnerByKey> {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async execute({ keyHash }: FindOwnerByKey): Promise<OwnerRow | null> {
    const { rows } = await this.pool.query<{ row: OwnerRow }>({
      name: 'owner by key',
      text: `select to_jsonb(t) as row from ${DISCOVERY}.owner t where key_hash = $1`,
      values: [keyHash],
    });
    return rows[0]?.row ?? null;
  }
}
