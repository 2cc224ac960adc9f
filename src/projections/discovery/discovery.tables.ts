import { type Platform, type ShownChannel, shownChannel } from '../../domain/channel/channel.events.js';
import {
  type DisabledBy,
  type Mode,
  type ShownEndpoint,
  shownEndpoint,
} from '../../domain/endpoint/endpoint.events.js';
import { type ShownKey, shownKey, shownMainKey } from '../../domain/key/key.events.js';
import { type Plan, type ShownOwner, shownOwner } from '../../domain/owner/owner.events.js';
import { type ShownProject, shownProject } from '../../domain/project/project.events.js';
import {
  type OutputDisabledBy,
  type ShownWebhookOutput,
  shownWebhookOutput,
  type WebhookKind,
} from '../../domain/webhook-output/webhook-output.events.js';
import {
  bigint,
  boolean,
  defineTable,
  jsonb,
  nullable,
  readSchema,
  type RowOfTable,
  text,
  texts,
} from '../engine/projection.js';

/** Version of the tables and of the code that fills them; raise it when either changes (ADR-101). */
const TABLES_VERSION = 1;
const SHOWN = [shownOwner, shownChannel, shownProject, shownEndpoint, shownWebhookOutput, shownKey, shownMainKey];
/** Rises with the version of every state that the tables hold. */
export const DISCOVERY_VERSION = SHOWN.reduce((sum, { version }) => sum + version, TABLES_VERSION);
export const DISCOVERY = readSchema('discovery', DISCOVERY_VERSION);

/** A row with the members of its state, as queries return it. A column has the value of the member of its name. */
type ResourceRow<T extends { readonly row?: { readonly state: object } }> = Omit<RowOfTable<T>, 'state'> &
  RowOfTable<T>['state'];

/** SQL: the {@link ResourceRow} of the table `t`. */
export const RESOURCE = `t.state || (to_jsonb(t) - 'state')`;

export const owners = defineTable(
  { name: 'owner', key: 'owner_id' },
  {
    owner_id: text(),
    name: text(),
    plan: text<Plan>(),
    pack_posts: bigint(),
    state: jsonb<ShownOwner>(),
  },
);
/** An owner. */
export type OwnerRow = ResourceRow<typeof owners>;

export const channels = defineTable(
  { name: 'channel', key: 'channel_id' },
  {
    channel_id: text(),
    owner_id: text(),
    platform: text<Platform>(),
    name: text(),
    enabled: boolean(),
    paused_until: bigint(),
    pause_source: nullable(text()),
    state: jsonb<ShownChannel>(),
  },
);
/** A channel with its pause. */
export type ChannelRow = ResourceRow<typeof channels>;

/** SQL: when the channel stops waiting for someone to fix it (D-26), as ISO 8601; empty if it does not wait. */
export const REFUSED_UNTIL = `coalesce(state #>> '{attention,until}', '') collate "C"`;

export const projects = defineTable(
  { name: 'project', key: 'project_id' },
  {
    project_id: text(),
    owner_id: text(),
    name: text(),
    channel_ids: texts(),
    paused_until: bigint(),
    state: jsonb<ShownProject>(),
  },
);
/** A project with its pause. */
export type ProjectRow = ResourceRow<typeof projects>;

export const endpoints = defineTable(
  { name: 'endpoint', key: 'endpoint_id' },
  {
    endpoint_id: text(),
    owner_id: text(),
    slug: text(),
    mode: text<Mode>(),
    name: nullable(text()),
    project_ids: texts(),
    disabled_by: nullable(text<DisabledBy>()),
    token_hash: text(),
    /** Id of the event that disabled it; null while it is enabled. */
    disabled_event: nullable(text()),
    /** Position of the event that created it or last enabled it: violations are counted from there (D-45). */
    epoch: text(),
    /** A position in the log, raised by each event that affects its requests, such as a change of its token or plan. */
    version: text(),
    state: jsonb<ShownEndpoint>(),
  },
);
/** An endpoint. */
export type EndpointRow = ResourceRow<typeof endpoints>;

export const webhookOutputs = defineTable(
  { name: 'webhook_output', key: 'webhook_output_id' },
  {
    webhook_output_id: text(),
    owner_id: text(),
    project_id: text(),
    url: text(),
    kinds: texts<WebhookKind>(),
    disabled_by: nullable(text<OutputDisabledBy>()),
    state: jsonb<ShownWebhookOutput>(),
  },
);
/** A webhook output. */
export type WebhookOutputRow = ResourceRow<typeof webhookOutputs>;

export const keys = defineTable(
  { name: 'key', key: 'key_id' },
  {
    key_id: text(),
    /** Null for an auditor of all owners. */
    owner_id: nullable(text()),
    is_main: boolean(),
    /** True if it counts against the cap: neither a main nor an auditor's key (D-93). */
    is_counted: boolean(),
    key_hash: text(),
    /** SHA-256 (hex) of the key before it, which works until `previous_until`; null if there is none. */
    previous_hash: nullable(text()),
    state: jsonb<ShownKey>(),
  },
);
/** A key for the management API: a named one, an auditor's, or an owner's main key. */
export type KeyRow = ResourceRow<typeof keys>;

/** Tables of the configuration. Times are milliseconds since 1970, and ISO 8601 in a state. */
export const discoveryTables = `
  ${owners.ddl}

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

  ${keys.ddl}
  create index key_hash on key (key_hash);
  create index key_previous on key (previous_hash) where previous_hash is not null;
  create index key_owner on key (owner_id, key_id);
`;
