import type { ChannelEvent } from '../../domain/channel/channel.events.js';
import type { EndpointEvent, EndpointSettings } from '../../domain/endpoint/endpoint.events.js';
import { DEFAULT_LOCALE, type OwnerEvent } from '../../domain/owner/owner.events.js';
import type { ChannelPauseEvent, ProjectPauseEvent } from '../../domain/pause/pause.events.js';
import type { ProjectEvent } from '../../domain/project/project.events.js';
import type { WebhookOutputEvent } from '../../domain/webhook-output/webhook-output.events.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import type { Projection, Tx } from '../engine/projection.js';
import { Rows } from '../engine/rows.js';
import {
  type ChannelRow,
  channels,
  DISCOVERY_VERSION,
  discoveryTables,
  type EndpointRow,
  endpoints,
  type OwnerRow,
  owners,
  type ProjectRow,
  projects,
  type WebhookOutputRow,
  webhookOutputs,
} from './discovery.tables.js';

type HandledEvent = RecordedEventOf<
  OwnerEvent | ChannelEvent | ChannelPauseEvent | ProjectEvent | ProjectPauseEvent | EndpointEvent | WebhookOutputEvent
>;

interface LoadedRows {
  readonly owners: Rows<OwnerRow>;
  readonly channels: Rows<ChannelRow>;
  readonly projects: Rows<ProjectRow>;
  readonly endpoints: Rows<EndpointRow>;
  readonly outputs: Rows<WebhookOutputRow>;
}

const TYPES = /^(Owner|PostPack|Channel|Project|Endpoint|WebhookOutput)/;

/** The configuration that the gate relies on: owners, channels, projects, endpoints, webhook outputs, and pauses. */
export const discovery: Projection = {
  name: 'discovery',
  commitsSynchronously: true, // a rotated token must never become valid again
  version: DISCOVERY_VERSION,
  stamps: { endpoint: ['version'] },
  tables: discoveryTables,
  views: ['owner', 'channel', 'project', 'endpoint', 'webhook_output'],
  keepsAnchor: true,
  handles: (type) => TYPES.test(type),

  async apply(tx, events) {
    const handled = events as readonly HandledEvent[];
    const rows: LoadedRows = {
      owners: await Rows.load(tx, owners, collectIds(handled, 'ownerId')),
      channels: await Rows.load(tx, channels, collectIds(handled, 'channelId')),
      projects: await Rows.load(tx, projects, collectIds(handled, 'projectId')),
      endpoints: await Rows.load(tx, endpoints, collectIds(handled, 'endpointId')),
      outputs: await Rows.load(tx, webhookOutputs, collectIds(handled, 'outputId')),
    };
    for (const event of handled) handle(event, rows);
    for (const table of Object.values(rows) as LoadedRows[keyof LoadedRows][]) await table.flush();
    await updateEndpointVersions(tx, handled);
  },
};

const handle = (event: HandledEvent, rows: LoadedRows): void => {
  switch (event.type) {
    case 'OwnerRegistered': {
      const { ownerId, name, plan, keyHash } = event.data;
      const none = { locale: DEFAULT_LOCALE, notice_chat_id: null, notice_secret_id: null, pack_posts: 0 };
      rows.owners.put({ owner_id: ownerId, name, plan, key_hash: keyHash, ...none, created_at: event.at });
      return;
    }
    case 'OwnerRenamed':
      return void rows.owners.patch(event.data.ownerId, { name: event.data.name });
    case 'OwnerPlanChanged':
      return void rows.owners.patch(event.data.ownerId, { plan: event.data.plan });
    case 'OwnerKeyRotated':
      return void rows.owners.patch(event.data.ownerId, { key_hash: event.data.keyHash });
    case 'OwnerLocaleChanged':
      return void rows.owners.patch(event.data.ownerId, { locale: event.data.locale });
    case 'OwnerNoticeChatSet': {
      const { ownerId, chatId, secretId } = event.data;
      return void rows.owners.patch(ownerId, { notice_chat_id: chatId, notice_secret_id: secretId });
    }
    case 'OwnerNoticeChatRemoved':
      return void rows.owners.patch(event.data.ownerId, { notice_chat_id: null, notice_secret_id: null });
    case 'PostPackAdded': {
      const { ownerId, posts } = event.data;
      return void rows.owners.patch(ownerId, { pack_posts: (rows.owners.get(ownerId)?.pack_posts ?? 0) + posts });
    }
    case 'OwnerDeleted':
      // The owner's key and endpoints stop working at once; other resources are removed by their own events.
      return rows.owners.remove(event.data.ownerId);
    case 'ProjectCreated': {
      const { projectId, ownerId, name, channelIds, processing } = event.data;
      const row = { project_id: projectId, owner_id: ownerId, name, channel_ids: channelIds, processing };
      rows.projects.put({ ...row, paused_until: 0, created_at: event.at });
      return;
    }
    case 'ProjectRenamed':
      return void rows.projects.patch(event.data.projectId, { name: event.data.name });
    case 'ProjectChannelsChanged':
      return void rows.projects.patch(event.data.projectId, { channel_ids: event.data.channelIds });
    case 'ProjectProcessingChanged':
      return void rows.projects.patch(event.data.projectId, { processing: event.data.processing });
    case 'ProjectPaused':
      return void rows.projects.patch(event.data.projectId, { paused_until: event.data.until });
    case 'ProjectResumed':
      return void rows.projects.patch(event.data.projectId, { paused_until: 0 });
    case 'ProjectDeleted':
      return rows.projects.remove(event.data.projectId);
    default:
      if (event.type.startsWith('WebhookOutput'))
        return handleOutput(event as RecordedEventOf<WebhookOutputEvent>, rows);
      return event.type.startsWith('Endpoint')
        ? handleEndpoint(event as RecordedEventOf<EndpointEvent>, rows)
        : handleChannel(event as RecordedEventOf<ChannelEvent | ChannelPauseEvent>, rows);
  }
};

const handleChannel = (event: RecordedEventOf<ChannelEvent | ChannelPauseEvent>, { channels }: LoadedRows): void => {
  const { channelId } = event.data;
  switch (event.type) {
    case 'ChannelConnected': {
      const { ownerId, platform, name, address, credentialsId, settings } = event.data;
      const row = { channel_id: channelId, owner_id: ownerId, platform, name, address, settings };
      const none = { attention: null, attention_until: 0, paused_until: 0, pause_source: null };
      channels.put({ ...row, credentials_id: credentialsId, enabled: true, ...none, created_at: event.at });
      return;
    }
    case 'ChannelRenamed':
      return void channels.patch(channelId, { name: event.data.name });
    case 'ChannelCredentialsReplaced': {
      const { credentialsId, address } = event.data;
      const change = { credentials_id: credentialsId, address };
      return void channels.patch(channelId, { ...change, attention: null, attention_until: 0 });
    }
    case 'ChannelSettingsChanged':
      return void channels.patch(channelId, { settings: event.data.settings });
    case 'ChannelMoved':
      return void channels.patch(channelId, { address: event.data.address });
    case 'ChannelEnabled':
    case 'ChannelDisabled':
      return void channels.patch(channelId, { enabled: event.type === 'ChannelEnabled' });
    case 'ChannelNeedsAttention': {
      const { attention, until } = event.data;
      return void channels.patch(channelId, { attention: { ...attention, since: event.at }, attention_until: until });
    }
    case 'ChannelAttentionCleared':
      return void channels.patch(channelId, { attention: null, attention_until: 0 });
    case 'ChannelPaused':
      return void channels.patch(channelId, { paused_until: event.data.until, pause_source: event.data.source });
    case 'ChannelResumed':
      return void channels.patch(channelId, { paused_until: 0, pause_source: null });
    case 'ChannelDeleted':
      return channels.remove(channelId);
    case 'ChannelPauseUnchanged':
      return; // the pause itself does not change
  }
};

const handleEndpoint = (event: RecordedEventOf<EndpointEvent>, { endpoints }: LoadedRows): void => {
  const { endpointId } = event.data;
  switch (event.type) {
    case 'EndpointCreated': {
      const { ownerId, slug, mode, tokenHash, signingSecretId, settings } = event.data;
      const row = { endpoint_id: endpointId, owner_id: ownerId, slug, mode, token_hash: tokenHash };
      const secrets = { signing_secret_id: signingSecretId, previous_secret_id: null, previous_until: 0 };
      const none = { disabled_by: null, disabled_event: null, slug_rotated_at: null, version: '' };
      endpoints.put({
        ...row,
        ...secrets,
        ...toColumns<EndpointSettings>(settings),
        ...none,
        epoch: String(event.position),
        created_at: event.at,
      });
      return;
    }
    case 'EndpointChanged':
      return void endpoints.patch(endpointId, toColumns(event.data.settings));
    case 'EndpointTokenRotated':
      return void endpoints.patch(endpointId, { token_hash: event.data.tokenHash });
    case 'EndpointSlugRotated':
      return void endpoints.patch(endpointId, { slug: event.data.slug, slug_rotated_at: event.data.at });
    case 'EndpointSecretRotated': {
      const { signingSecretId, previousSecretId, previousUntil } = event.data;
      const change = { signing_secret_id: signingSecretId, previous_secret_id: previousSecretId };
      return void endpoints.patch(endpointId, { ...change, previous_until: previousUntil });
    }
    case 'EndpointDisabled':
      return void endpoints.patch(endpointId, { disabled_by: event.data.by, disabled_event: event.id });
    case 'EndpointEnabled': {
      const on = { disabled_by: null, disabled_event: null, epoch: String(event.position) };
      return void endpoints.patch(endpointId, on);
    }
    case 'EndpointDeleted':
      return endpoints.remove(endpointId);
  }
};

const handleOutput = (event: RecordedEventOf<WebhookOutputEvent>, { outputs }: LoadedRows): void => {
  const { outputId } = event.data;
  switch (event.type) {
    case 'WebhookOutputCreated': {
      const { ownerId, projectId, url, kinds, signingSecretId } = event.data;
      const row = { webhook_output_id: outputId, owner_id: ownerId, project_id: projectId, url, kinds };
      const none = { previous_until: 0, disabled_by: null, created_at: event.at };
      outputs.put({ ...row, signing_secret_id: signingSecretId, ...none });
      return;
    }
    case 'WebhookOutputChanged': {
      const { outputId: _, ...change } = event.data;
      return void outputs.patch(outputId, change);
    }
    case 'WebhookOutputSecretRotated': {
      const { signingSecretId, previousUntil } = event.data;
      return void outputs.patch(outputId, { signing_secret_id: signingSecretId, previous_until: previousUntil });
    }
    case 'WebhookOutputDisabled':
      return void outputs.patch(outputId, { disabled_by: event.data.by });
    case 'WebhookOutputEnabled':
      return void outputs.patch(outputId, { disabled_by: null });
    case 'WebhookOutputDeleted':
      return outputs.remove(outputId);
  }
};

const COLUMN_OF = {
  name: 'name',
  projectIds: 'project_ids',
  minInterval: 'min_interval',
  requireSignature: 'require_signature',
  requireTimestamp: 'require_timestamp',
  ipAllowlist: 'ip_allowlist',
  verboseDiscovery: 'verbose_discovery',
  requiresApproval: 'requires_approval',
} as const satisfies Record<keyof EndpointSettings, keyof EndpointRow>;

type SettingColumns<S> = { [K in keyof S & keyof EndpointSettings as (typeof COLUMN_OF)[K]]: S[K] };

/** Maps the endpoint settings that are present to their columns. */
const toColumns = <S extends Partial<EndpointSettings>>(settings: S): SettingColumns<S> =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [COLUMN_OF[name as keyof EndpointSettings], value]),
  ) as SettingColumns<S>;

/** Gives a new version to each endpoint that a change affects, which invalidates its cached snapshots. */
const updateEndpointVersions = async (tx: Tx, handled: readonly HandledEvent[]): Promise<void> => {
  const relevant = handled.filter(({ type }) => !/Paused$|Resumed$|Renamed$|^WebhookOutput/.test(type));
  if (relevant.length === 0) return;
  const ofOwners = relevant.filter(({ type }) => type.startsWith('Owner') || type === 'PostPackAdded');
  await tx.query({
    name: 'bump versions',
    text: `
      update endpoint set version = $1
      where endpoint_id = any($2) or owner_id = any($3) or project_ids && $4::text[]
         or project_ids && (select coalesce(array_agg(project_id), '{}') from project where channel_ids && $5::text[])`,
    values: [
      String(handled.at(-1)!.position),
      collectIds(relevant, 'endpointId'),
      collectIds(ofOwners, 'ownerId'),
      collectIds(relevant, 'projectId'),
      collectIds(relevant, 'channelId'),
    ],
  });
};

const collectIds = (
  events: readonly HandledEvent[],
  name: 'ownerId' | 'channelId' | 'projectId' | 'endpointId' | 'outputId',
): string[] => {
  const ids = events.map(({ data }) => (data as Readonly<Record<string, unknown>>)[name]);
  return [...new Set(ids.filter((id) => typeof id === 'string'))];
};
