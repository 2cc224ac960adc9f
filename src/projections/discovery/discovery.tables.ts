import type { Address, Attention, ChannelSettings, Platform } from '../../domain/channel/channel.events.js';
import type { DisabledBy, Mode } from '../../domain/endpoint/endpoint.events.js';
import type { Locale, Plan } from '../../domain/owner/owner.events.js';
import type { OutputDisabledBy, WebhookKind } from '../../domain/webhook-output/webhook-output.events.js';
import type { JsonObject } from '../../kernel/ids.js';
import {
  bigint,
  boolean,
  defineTable,
  int,
  jsonb,
  nullable,
  readSchema,
  type RowOfTable,
  text,
  texts,
} from '../engine/projection.js';

/** Version of the tables and of the code that fills them; raise it when either changes (ADR-101). */
export const DISCOVERY_VERSION = 7;
export const DISCOVERY = readSchema('discovery', DISCOVERY_VERSION);

export const owners = defineTable(
  { name: 'owner', key: 'owner_id' },
  {
    owner_id: text(),
    name: text(),
    plan: text<Plan>(),
    key_hash: text(),
    locale: text<Locale>(),
    notice_chat_id: nullable(text()),
    notice_secret_id: nullable(text()),
    pack_posts: bigint(),
    created_at: bigint(),
  },
);
/** An owner. */
export type OwnerRow = RowOfTable<typeof owners>;

/** Why a channel needs attention, and since when, in ms since 1970. */
export type DatedAttention = Attention & { readonly since: number };

export const channels = defineTable(
  { name: 'channel', key: 'channel_id' },
  {
    channel_id: text(),
    owner_id: text(),
    platform: text<Platform>(),
    name: text(),
    address: jsonb<Address>(),
    credentials_id: text(),
    settings: jsonb<ChannelSettings>(),
    enabled: boolean(),
    attention: nullable(jsonb<DatedAttention>()),
    attention_until: bigint(),
    paused_until: bigint(),
    pause_source: nullable(text()),
    created_at: bigint(),
  },
);
/** A channel with its pause. */
export type ChannelRow = RowOfTable<typeof channels>;

export const projects = defineTable(
  { name: 'project', key: 'project_id' },
  {
    project_id: text(),
    owner_id: text(),
    name: text(),
    channel_ids: texts(),
    processing: jsonb<JsonObject>(),
    paused_until: bigint(),
    created_at: bigint(),
  },
);
/** A project with its pause. */
export type ProjectRow = RowOfTable<typeof projects>;

export const endpoints = defineTable(
  { name: 'endpoint', key: 'endpoint_id' },
  {
    endpoint_id: text(),
    owner_id: text(),
    slug: text(),
    mode: text<Mode>(),
    token_hash: text(),
    signing_secret_id: text(),
    previous_secret_id: nullable(text()),
    previous_until: bigint(),
    name: nullable(text()),
    project_ids: texts(),
    min_interval: int(),
    require_signature: boolean(),
    require_timestamp: boolean(),
    ip_allowlist: texts(),
    verbose_discovery: boolean(),
    requires_approval: boolean(),
    disabled_by: nullable(text<DisabledBy>()),
    /** Id of the event that disabled it; null while it is enabled. */
    disabled_event: nullable(text()),
    /** Position of the event that created it or last enabled it: violations are counted from there (D-45). */
    epoch: text(),
    slug_rotated_at: nullable(bigint()),
    created_at: bigint(),
    /** A position in the log, raised by each event that affects its requests, such as a change of its token or plan. */
    version: text(),
  },
);
/** An endpoint. */
export type EndpointRow = RowOfTable<typeof endpoints>;

export const webhookOutputs = defineTable(
  { name: 'webhook_output', key: 'webhook_output_id' },
  {
    webhook_output_id: text(),
    owner_id: text(),
    project_id: text(),
    url: text(),
    kinds: texts<WebhookKind>(),
    signing_secret_id: text(),
    /** When the previous secret stops being used alongside the current one; 0 if there is no overlap. */
    previous_until: bigint(),
    disabled_by: nullable(text<OutputDisabledBy>()),
    created_at: bigint(),
  },
);
/** A webhook output. */
export type WebhookOutputRow = RowOfTable<typeof webhookOutputs>;

/** Tables of the configuration. Times are milliseconds since 1970. */
export const discoveryTables = `
  ${owners.ddl}
  create index owner_key on owner (key_hash);

  ${channels.ddl}
  create index channel_owner on channel (owner_id, channel_id);

  ${projects.ddl}
  create index project_owner on project (owner_id, project_id);
  create index project_channels on project using gin (channel_ids);

  ${endpoints.ddl}
  create index endpoint_slug on endpoint (slug);
  create index endpoint_token on endpoint (token_hash);
  create index endpoint_owner on endpoint (owner_id, endpoint_id);
  create index endpoint_projects on endpoint using gin (project_ids);

  ${webhookOutputs.ddl}
  create index webhook_output_owner on webhook_output (owner_id, webhook_output_id);
  create index webhook_output_project on webhook_output (project_id);
`;
