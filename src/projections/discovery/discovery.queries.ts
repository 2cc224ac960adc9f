import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Address, ChannelStatus, Platform } from '../../domain/channel/channel.events.js';
import type { Locale } from '../../domain/owner/owner.events.js';
import type { WebhookKind } from '../../domain/webhook-output/webhook-output.events.js';
import { type Instant, iso } from '../../kernel/clock.js';
import { POOL } from '../../postgres/tokens.js';
import {
  type ChannelRow,
  DISCOVERY,
  type EndpointRow,
  type KeyRow,
  type OwnerRow,
  type ProjectRow,
  REFUSED_UNTIL,
  RESOURCE,
  type WebhookOutputRow,
} from './discovery.tables.js';

/** The row type of each kind of resource. */
export interface ResourceRows {
  readonly owner: OwnerRow;
  readonly channel: ChannelRow;
  readonly project: ProjectRow;
  readonly endpoint: EndpointRow;
  readonly webhook_output: WebhookOutputRow;
  readonly key: KeyRow;
}
/** Type of resource. */
export type ResourceKind = keyof ResourceRows;

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

/** What a caller may see. */
export interface Sight {
  /** Null for all owners. */
  readonly ownerId: string | null;
  /** The only endpoints that it may see, with their projects and these projects' channels; null for all (D-93). */
  readonly endpointIds: readonly string[] | null;
}

/** Returns the SQL condition for what a limited key may see. @param limit SQL for its endpoints */
const limitCondition = (kind: ResourceKind, limit: string): string => {
  const projects = `select unnest(project_ids) from ${DISCOVERY}.endpoint where endpoint_id = any(${limit})`;
  switch (kind) {
    case 'endpoint':
      return `endpoint_id = any(${limit})`;
    case 'project':
      return `project_id in (${projects})`;
    case 'channel':
      return `channel_id in (select unnest(channel_ids) from ${DISCOVERY}.project where project_id in (${projects}))`;
    default:
      return 'false';
  }
};

/**
 * Finds a resource by its id; null if there is none.
 * @param ownerId owner to whom it must belong; null for any owner
 * @param endpointIds see {@link Sight}
 */
@Injectable()
export class FindResource {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async execute<K extends ResourceKind>(
    kind: K,
    value: string,
    ownerId: string | null,
    endpointIds: Sight['endpointIds'] = null,
  ): Promise<ResourceRows[K] | null> {
    const { table, id } = tableOf(kind);
    const isLimited = endpointIds !== null;
    const limit = isLimited ? ` and ${limitCondition(kind, '$3::text[]')}` : '';
    const { rows } = await this.pool.query<{ row: ResourceRows[K] }>({
      name: `find ${kind}${isLimited ? ' within limits' : ''}`,
      text: `select ${RESOURCE} as row from ${table} t where ${id} = $1 and ($2::text is null or owner_id = $2)${limit}`,
      values: [value, ownerId, ...(isLimited ? [endpointIds] : [])],
    });
    return rows[0]?.row ?? null;
  }
}

/**
 * Lists resources, newest first.
 * @param before id, exclusive; null to start with the newest resource
 * @param status filter for channels; null for all
 */
@Injectable()
export class ListResources {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async execute<K extends ResourceKind>(
    kind: K,
    { ownerId, endpointIds }: Sight,
    { before, limit }: { readonly before: string | null; readonly limit: number },
    status: StatusFilter | null = null,
  ): Promise<ResourceRows[K][]> {
    const { table, id } = tableOf(kind);
    // Leaves out unused conditions instead of making them always true, so that each list can use an index.
    const values: unknown[] = [limit];
    const conditions = ['true'];
    if (ownerId !== null) conditions.push(`owner_id = $${values.push(ownerId)}`);
    if (endpointIds !== null) conditions.push(limitCondition(kind, `$${values.push(endpointIds)}::text[]`));
    if (before !== null) conditions.push(`${id} < $${values.push(before)}`);
    if (status !== null) conditions.push(statusCondition(status.is, () => `$${values.push(iso(status.at))}`));
    const text = `select ${RESOURCE} as row from ${table} t where ${conditions.join(' and ')} order by ${id} desc limit $1`;
    const { rows } = await this.pool.query<{ row: ResourceRows[K] }>(text, values);
    return rows.map(({ row }) => row);
  }
}

/** Returns the SQL condition that selects channels in this state (`channelStatus`). @param at adds the time to the statement's values */
const statusCondition = (status: ChannelStatus, at: () => string): string => {
  switch (status) {
    case 'disabled':
      return 'not enabled';
    case 'needs_attention':
      return `enabled and ${REFUSED_UNTIL} > ${at()}`;
    case 'ok':
      return `enabled and ${REFUSED_UNTIL} <= ${at()}`;
  }
};

/** Finds the ids that do not belong to a resource of this kind and owner. */
@Injectable()
export class FindMissingIds {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async execute(
    kind: 'channel' | 'project' | 'endpoint',
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

/** Returns whether an owner has an endpoint that requires approval and posts to one of these projects. */
@Injectable()
export class FindApproval {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async execute(ownerId: string, projectIds: readonly string[]): Promise<boolean> {
    const { rowCount } = await this.pool.query({
      name: 'find approval',
      text: `select from ${DISCOVERY}.endpoint
             where owner_id = $1 and project_ids && $2::text[] and (state->>'requires_approval')::boolean limit 1`,
      values: [ownerId, projectIds],
    });
    return rowCount === 1;
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
               where lower(t.state -> 'address' ->> a.field) is distinct from lower(a.value))
             order by channel_id desc limit 20`,
      values: [channel.owner_id, channel.platform, channel.channel_id, JSON.stringify(address)],
    });
    return rows;
  }
}

/** Finds the networks of channels. */
@Injectable()
export class ChannelPlatforms {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async find(channelIds: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await this.pool.query<{ platform: string }>({
      name: 'networks of channels',
      text: `select distinct platform from ${DISCOVERY}.channel where channel_id = any($1)`,
      values: [channelIds],
    });
    return new Set(rows.map(({ platform }) => platform));
  }
}

/** A channel whose credentials are named in its events but missing from the vault. */
export interface ChannelWithoutCredentials {
  readonly channelId: string;
  readonly platform: string;
  readonly address: Address;
  readonly credentialsId: string;
}

/** Finds channels whose credentials were lost with an earlier database or not moved with the history. */
@Injectable()
export class ChannelsWithoutCredentials {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Finds channels without credentials that are not already marked as needing attention. */
  async find(now: Instant, limit: number): Promise<ChannelWithoutCredentials[]> {
    const { rows } = await this.pool.query<ChannelWithoutCredentials>({
      name: 'channels without credentials',
      text: `select channel_id as "channelId", platform, state -> 'address' as address, state ->> 'credentials_id' as "credentialsId"
             from ${DISCOVERY}.channel
             where ${REFUSED_UNTIL} <= $1 and not exists (select from ops_secret where secret_id = state ->> 'credentials_id')
             order by channel_id limit $2`,
      values: [iso(now), limit],
    });
    return rows;
  }
}

/** A project of an endpoint, with the channels that its posts go to. */
export interface DiscoveredProject {
  readonly project_id: string;
  readonly name: string;
  /** End of the latest pause, which may be in the past; 0 if there was none or it was lifted. */
  readonly paused_until: Instant;
  /** Enabled channels, in the order of the project's `channel_ids`. */
  readonly targets: readonly {
    readonly channel_id: string;
    readonly platform: Platform;
    readonly name: string;
    /** Same as the project's `paused_until`, for the channel. */
    readonly paused_until: Instant;
  }[];
}

/** Finds an endpoint's projects, in the order of its `project_ids` (publish-api.md: `GET /v1/webhooks/{slug}/info`). */
@Injectable()
export class FindEndpointTargets {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async execute(endpointId: string): Promise<readonly DiscoveredProject[]> {
    const { rows } = await this.pool.query<DiscoveredProject & { paused_until: bigint }>({
      name: 'endpoint targets',
      text: `
        select p.project_id, p.name, p.paused_until, coalesce((
          select jsonb_agg(jsonb_build_object('channel_id', c.channel_id, 'platform', c.platform, 'name', c.name,
            'paused_until', c.paused_until) order by ci.n)
          from unnest(p.channel_ids) with ordinality ci(id, n)
          join ${DISCOVERY}.channel c on c.channel_id = ci.id and c.enabled), '[]') as targets
        from ${DISCOVERY}.endpoint e
        cross join lateral unnest(e.project_ids) with ordinality pi(id, n)
        join ${DISCOVERY}.project p on p.project_id = pi.id
        where e.endpoint_id = $1 order by pi.n`,
      values: [endpointId],
    });
    return rows.map((row) => ({ ...row, paused_until: Number(row.paused_until) }));
  }
}

type LiveEndpoint = { readonly endpointId: string } & Pick<EndpointRow, 'epoch'>;

/** Finds live endpoints. They need a plan that allows live posts, while test tokens work with every plan (D-12). */
@Injectable()
export class LiveEndpoints {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async findEnabled(ownerId: string): Promise<readonly LiveEndpoint[]> {
    const { rows } = await this.pool.query<LiveEndpoint>({
      name: 'live endpoints',
      text: `select endpoint_id as "endpointId", epoch from ${DISCOVERY}.endpoint
             where owner_id = $1 and mode = 'live' and disabled_by is null order by endpoint_id`,
      values: [ownerId],
    });
    return rows;
  }
}

/** The chat that receives an owner's notices. */
export interface NoticeChat {
  readonly chatId: string;
  /** Id of the secret with the bot's token. */
  readonly secretId: string;
  readonly locale: Locale;
}

/** Finds the chats for owners' notices. */
@Injectable()
export class NoticeChats {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Finds the chat of an owner; null if it has none, or the owner was deleted. */
  async find(ownerId: string): Promise<NoticeChat | null> {
    const { rows } = await this.pool.query<NoticeChat>({
      name: 'notice chat',
      text: `select state #>> '{notice_chat,chat_id}' as "chatId", state #>> '{notice_chat,secret_id}' as "secretId", state ->> 'locale' as locale
             from ${DISCOVERY}.owner where owner_id = $1 and state -> 'notice_chat' <> 'null'`,
      values: [ownerId],
    });
    return rows[0] ?? null;
  }
}

/** An enabled webhook output. */
export interface ProjectOutput {
  readonly outputId: string;
  readonly ownerId: string;
  readonly projectId: string;
  readonly kinds: readonly WebhookKind[];
}

/** Finds the webhook outputs of projects. */
@Injectable()
export class ProjectOutputs {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Finds the enabled outputs of projects that subscribe to any of these kinds, oldest first. */
  async findWanting(projectIds: readonly string[], kinds: readonly WebhookKind[]): Promise<readonly ProjectOutput[]> {
    const { rows } = await this.pool.query<ProjectOutput>({
      name: 'outputs that want',
      text: `select webhook_output_id as "outputId", owner_id as "ownerId", project_id as "projectId", kinds
             from ${DISCOVERY}.webhook_output
             where project_id = any($1) and disabled_by is null and kinds && $2::text[] order by webhook_output_id`,
      values: [projectIds, kinds],
    });
    return rows;
  }

  /** Returns whether any output is enabled; if not, no event needs to be read. */
  async existsAny(): Promise<boolean> {
    const { rows } = await this.pool.query<{ found: boolean }>({
      name: 'any output',
      text: `select exists (select from ${DISCOVERY}.webhook_output where disabled_by is null) as found`,
    });
    return rows[0]!.found;
  }
}

/** Finds the addresses of channels. */
@Injectable()
export class FindChannelAddresses {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Returns the addresses by channel id; deleted channels are absent. */
  async execute(channelIds: readonly string[]): Promise<Map<string, ChannelRow['address']>> {
    if (channelIds.length === 0) return new Map();
    const { rows } = await this.pool.query<Pick<ChannelRow, 'channel_id' | 'address'>>({
      name: 'addresses of channels',
      text: `select channel_id, state -> 'address' as address from ${DISCOVERY}.channel where channel_id = any($1)`,
      values: [[...new Set(channelIds)]],
    });
    return new Map(rows.map(({ channel_id, address }) => [channel_id, address]));
  }
}
