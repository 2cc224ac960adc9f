import type { Address, Attention, ChannelSettings, Platform } from '../../domain/channel/channel.events.js';
import type { DisabledBy, Mode } from '../../domain/endpoint/endpoint.events.js';
import type { OutputDisabledBy, WebhookKind } from '../../domain/webhook-output/webhook-output.events.js';
import type { Locale, Plan } from '../../domain/owner/owner.events.js';
import type { JsonObject } from '../../kernel/json.js';
import type { RowTable } from '../engine/rows.js';
import { readSchema } from '../engine/projection.js';

/** Version of the tables and of the code that fills them; a change of either raises it (ADR-101). */
export const DISCOVERY_VERSION = 6;

/** Schema of the views that queries read: the columns are those of this version. */
export const DISCOVERY = readSchema('discovery', DISCOVERY_VERSION);

/** Tables of owners, channels, projects, endpoints and webhook outputs. Times are milliseconds since 1970. */
export const discoveryTables = `
  create table owner (
    owner_id text primary key,
    name text not null,
    plan text not null,
    key_hash text not null,
    locale text not null,
    notice_chat_id text,
    notice_secret_id text,
    pack_posts bigint not null,
    created_at bigint not null
  );
  create index owner_key on owner (key_hash);

  create table channel (
    channel_id text primary key,
    owner_id text not null,
    platform text not null,
    name text not null,
    address jsonb not null,
    credentials_id text not null,
    settings jsonb not null,
    enabled boolean not null,
    attention jsonb,
    attention_until bigint not null,
    paused_until bigint not null,
    pause_source text,
    created_at bigint not null
  );
  create index channel_owner on channel (owner_id, channel_id);

  create table project (
    project_id text primary key,
    owner_id text not null,
    name text not null,
    channel_ids text[] not null,
    processing jsonb not null,
    paused_until bigint not null,
    created_at bigint not null
  );
  create index project_owner on project (owner_id, project_id);
  create index project_channels on project using gin (channel_ids);

  create table endpoint (
    endpoint_id text primary key,
    owner_id text not null,
    slug text not null,
    mode text not null,
    token_hash text not null,
    signing_secret_id text not null,
    previous_secret_id text,
    previous_until bigint not null,
    name text,
    project_ids text[] not null,
    min_interval int not null,
    require_signature boolean not null,
    require_timestamp boolean not null,
    ip_allowlist text[] not null,
    verbose_discovery boolean not null,
    disabled_by text,
    disabled_event text,
    epoch text not null,
    slug_rotated_at bigint,
    created_at bigint not null,
    version text not null
  );
  create index endpoint_slug on endpoint (slug);
  create index endpoint_token on endpoint (token_hash);
  create index endpoint_owner on endpoint (owner_id, endpoint_id);
  create index endpoint_projects on endpoint using gin (project_ids);

  create table webhook_output (
    webhook_output_id text primary key,
    owner_id text not null,
    project_id text not null,
    url text not null,
    kinds text[] not null,
    signing_secret_id text not null,
    previous_until bigint not null,
    disabled_by text,
    created_at bigint not null
  );
  create index webhook_output_owner on webhook_output (owner_id, webhook_output_id);
  create index webhook_output_project on webhook_output (project_id);
`;

/** An owner. */
export interface OwnerRow {
  readonly owner_id: string;
  readonly name: string;
  readonly plan: Plan;
  readonly key_hash: string;
  readonly locale: Locale;
  readonly notice_chat_id: string | null;
  readonly notice_secret_id: string | null;
  readonly pack_posts: number;
  readonly created_at: number;
}

/** The reason for a channel's wait for a person, and the moment from which it holds, ms since 1970. */
export type DatedAttention = Attention & { readonly since: number };

/** A channel with its pause. */
export interface ChannelRow {
  readonly channel_id: string;
  readonly owner_id: string;
  readonly platform: Platform;
  readonly name: string;
  readonly address: Address;
  readonly credentials_id: string;
  readonly settings: ChannelSettings;
  readonly enabled: boolean;
  readonly attention: DatedAttention | null;
  readonly attention_until: number;
  readonly paused_until: number;
  readonly pause_source: string | null;
  readonly created_at: number;
}

/** A project with its pause. */
export interface ProjectRow {
  readonly project_id: string;
  readonly owner_id: string;
  readonly name: string;
  readonly channel_ids: readonly string[];
  readonly processing: JsonObject;
  readonly paused_until: number;
  readonly created_at: number;
}

/** An endpoint. */
export interface EndpointRow {
  readonly endpoint_id: string;
  readonly owner_id: string;
  readonly slug: string;
  readonly mode: Mode;
  readonly token_hash: string;
  readonly signing_secret_id: string;
  readonly previous_secret_id: string | null;
  readonly previous_until: number;
  readonly name: string | null;
  readonly project_ids: readonly string[];
  readonly min_interval: number;
  readonly require_signature: boolean;
  readonly require_timestamp: boolean;
  readonly ip_allowlist: readonly string[];
  readonly verbose_discovery: boolean;
  readonly disabled_by: DisabledBy | null;
  /** Id of the event that disabled it; null while it is enabled. */
  readonly disabled_event: string | null;
  /** Position of the event that created it or last enabled it: violations are counted from there (D-45). */
  readonly epoch: string;
  readonly slug_rotated_at: number | null;
  readonly created_at: number;
  /** Position of the last event that affects requests to this endpoint: its token, projects, channels or plan. */
  readonly version: string;
}

/** A webhook output. */
export interface WebhookOutputRow {
  readonly webhook_output_id: string;
  readonly owner_id: string;
  readonly project_id: string;
  readonly url: string;
  readonly kinds: readonly WebhookKind[];
  readonly signing_secret_id: string;
  /** End of the overlap in which the previous secret signs too; 0: there is none. */
  readonly previous_until: number;
  readonly disabled_by: OutputDisabledBy | null;
  readonly created_at: number;
}

/** Definition of the table of owners. */
export const owners: RowTable<OwnerRow> = {
  name: 'owner',
  key: 'owner_id',
  columns: [
    'owner_id',
    'name',
    'plan',
    'key_hash',
    'locale',
    'notice_chat_id',
    'notice_secret_id',
    'pack_posts',
    'created_at',
  ],
};

/** Definition of the table of channels. */
export const channels: RowTable<ChannelRow> = {
  name: 'channel',
  key: 'channel_id',
  columns: [
    ...(['channel_id', 'owner_id', 'platform', 'name', 'address', 'credentials_id', 'settings', 'enabled'] as const),
    ...(['attention', 'attention_until', 'paused_until', 'pause_source', 'created_at'] as const),
  ],
};

/** Definition of the table of projects. */
export const projects: RowTable<ProjectRow> = {
  name: 'project',
  key: 'project_id',
  columns: ['project_id', 'owner_id', 'name', 'channel_ids', 'processing', 'paused_until', 'created_at'],
};

/** Definition of the table of endpoints. */
export const endpoints: RowTable<EndpointRow> = {
  name: 'endpoint',
  key: 'endpoint_id',
  columns: [
    ...(['endpoint_id', 'owner_id', 'slug', 'mode', 'token_hash', 'signing_secret_id', 'previous_secret_id'] as const),
    ...(['previous_until', 'name', 'project_ids', 'min_interval', 'require_signature', 'require_timestamp'] as const),
    ...(['ip_allowlist', 'verbose_discovery', 'disabled_by', 'disabled_event', 'epoch'] as const),
    ...(['slug_rotated_at', 'created_at', 'version'] as const),
  ],
};

/** Definition of the table of webhook outputs. */
export const webhookOutputs: RowTable<WebhookOutputRow> = {
  name: 'webhook_output',
  key: 'webhook_output_id',
  columns: [
    ...([
      'webhook_output_id',
      'owner_id',
      'project_id',
      'url',
      'kinds',
      'signing_secret_id',
      'previous_until',
    ] as const),
    ...(['disabled_by', 'created_at'] as const),
  ],
};
