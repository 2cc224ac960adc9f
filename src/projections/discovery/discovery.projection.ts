import { type ChannelEvent, shownChannel } from '../../domain/channel/channel.events.js';
import { type EndpointEvent, shownEndpoint } from '../../domain/endpoint/endpoint.events.js';
import { type KeyEvent, mainKeyId, shownKey, shownMainKey } from '../../domain/key/key.events.js';
import { type OwnerEvent, shownOwner } from '../../domain/owner/owner.events.js';
import type { ChannelPauseEvent, ProjectPauseEvent } from '../../domain/pause/pause.events.js';
import { type ProjectEvent, shownProject } from '../../domain/project/project.events.js';
import { shownWebhookOutput, type WebhookOutputEvent } from '../../domain/webhook-output/webhook-output.events.js';
import type { RecordedEventOf, ShownAggregate } from '../../kernel/events.js';
import type { JsonObject } from '../../kernel/ids.js';
import type { Projection, Tx } from '../engine/projection.js';
import { Rows, type RowTable } from '../engine/rows.js';
import {
  channels,
  DISCOVERY_VERSION,
  discoveryTables,
  endpoints,
  keys,
  owners,
  projects,
  webhookOutputs,
} from './discovery.tables.js';

type HandledEvent = RecordedEventOf<
  | OwnerEvent
  | ChannelEvent
  | ChannelPauseEvent
  | ProjectEvent
  | ProjectPauseEvent
  | EndpointEvent
  | WebhookOutputEvent
  | KeyEvent
>;

type IdMember = 'ownerId' | 'channelId' | 'projectId' | 'endpointId' | 'outputId' | 'keyId';

type Row = { readonly state: JsonObject } & Readonly<Record<string, unknown>>;

/** A kind of resource: its table, its events, the member of them that holds its id, and the state that they show. */
interface Kind {
  readonly table: RowTable<Row>;
  readonly types: RegExp;
  readonly member: IdMember;
  readonly shown: ShownAggregate;
  /** Returns the row's key. Default: the member. */
  readonly keyOf?: (id: string) => string;
}

const KINDS = [
  // Without its row, an owner's key and endpoints stop working at once; its other resources are deleted by events.
  { table: owners, types: /^(Owner|PostPack)/, member: 'ownerId', shown: shownOwner },
  { table: channels, types: /^Channel/, member: 'channelId', shown: shownChannel },
  { table: projects, types: /^Project(?!ion)/, member: 'projectId', shown: shownProject },
  { table: endpoints, types: /^Endpoint/, member: 'endpointId', shown: shownEndpoint },
  { table: webhookOutputs, types: /^WebhookOutput/, member: 'outputId', shown: shownWebhookOutput },
  { table: keys, types: /^Key/, member: 'keyId', shown: shownKey },
  {
    table: keys,
    types: /^Owner(Registered|KeyRotated|Deleted)$/,
    member: 'ownerId',
    shown: shownMainKey,
    keyOf: mainKeyId,
  },
] as unknown as readonly Kind[];

/** The configuration that the gate relies on: owners, channels, projects, endpoints, webhook outputs, keys, and pauses. */
export const discovery: Projection = {
  name: 'discovery',
  commitsSynchronously: true, // a rotated token must never become valid again
  version: DISCOVERY_VERSION,
  stamps: { endpoint: ['version'] },
  tables: discoveryTables,
  views: ['owner', 'channel', 'project', 'endpoint', 'webhook_output', 'key'],
  keepsAnchor: true,
  handles: (type) => KINDS.some(({ types }) => types.test(type)),

  async apply(tx, events) {
    for (const kind of KINDS) await foldInto(kind, tx, events as readonly HandledEvent[]);
    await updateEndpointVersions(tx, events as readonly HandledEvent[]);
  },
};

/** Applies the events of one kind of resource to its rows. The rows of deleted resources are removed. */
const foldInto = async (kind: Kind, tx: Tx, events: readonly HandledEvent[]) => {
  const { table, types, member, shown, keyOf = (id) => id } = kind;
  const own = events.filter(({ type }) => types.test(type));
  const rows = await Rows.load(tx, table, collectIds(own, member).map(keyOf));
  for (const event of own) {
    const id = keyOf(idOf(event, member)!);
    const before = rows.get(id);
    const isPause = /Paused$|PauseUnchanged$|Resumed$/.test(event.type);
    const state = isPause ? before?.state : shown.evolve(before?.state ?? null, event);
    if (!state) continue;
    if (state['deleted_at'] !== null) rows.remove(id);
    else rows.put({ ...before, ...state, ...otherColumns(event), [table.key]: id, state });
  }
  await rows.flush();
};

/** Returns the columns that an event changes and that are not part of the shown state. */
const otherColumns = (event: HandledEvent): object => {
  switch (event.type) {
    case 'OwnerRegistered':
      return { key_hash: event.data.keyHash, previous_hash: null, is_counted: false };
    case 'OwnerKeyRotated':
    case 'KeyRotated':
      return { key_hash: event.data.keyHash, previous_hash: event.data.previousHash ?? null };
    case 'KeyIssued': {
      const { keyHash, scopes } = event.data;
      return { key_hash: keyHash, previous_hash: null, is_counted: !scopes.includes('audit') };
    }
    case 'ChannelPaused':
      return { paused_until: event.data.until, pause_source: event.data.source };
    case 'ChannelConnected':
    case 'ChannelResumed':
      return { paused_until: 0, pause_source: null };
    case 'ProjectPaused':
      return { paused_until: event.data.until };
    case 'ProjectCreated':
    case 'ProjectResumed':
      return { paused_until: 0 };
    case 'EndpointCreated':
      return { token_hash: event.data.tokenHash, disabled_event: null, epoch: String(event.position), version: '' };
    case 'EndpointTokenRotated':
      return { token_hash: event.data.tokenHash };
    case 'EndpointDisabled':
      return { disabled_event: event.id };
    case 'EndpointEnabled':
      return { disabled_event: null, epoch: String(event.position) };
    default:
      return {};
  }
};

/** Gives a new version to each endpoint that a change affects, which invalidates its cached snapshots. */
const updateEndpointVersions = async (tx: Tx, handled: readonly HandledEvent[]): Promise<void> => {
  const relevant = handled.filter(({ type }) => !/Paused$|Resumed$|Renamed$|^WebhookOutput|^Key/.test(type));
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

const idOf = ({ data }: HandledEvent, member: IdMember): string | undefined =>
  (data as { [M in IdMember]?: string })[member];

const collectIds = (events: readonly HandledEvent[], member: IdMember): string[] => [
  ...new Set(events.map((event) => idOf(event, member)).filter((id) => id !== undefined)),
];
