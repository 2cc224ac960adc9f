import { channelEvents } from '../domain/channel/channel.events.js';
import { deliveryEvents } from '../domain/delivery/delivery.events.js';
import { endpointEvents } from '../domain/endpoint/endpoint.events.js';
import { keyEvents, mainKeyId } from '../domain/key/key.events.js';
import { mediaEvents } from '../domain/media/media.events.js';
import { ownerEvents } from '../domain/owner/owner.events.js';
import { channelPauseEvents, projectPauseEvents } from '../domain/pause/pause.events.js';
import { PLANNED_POST_TYPES } from '../domain/post/post.events.js';
import { projectEvents } from '../domain/project/project.events.js';
import { projectionEvents } from '../domain/projection/projection.events.js';
import { publicationEvents } from '../domain/publication/publication.events.js';
import { recoveryEvents } from '../domain/recovery/recovery.events.js';
import { requestLogEvents } from '../domain/request-log/request-log.events.js';
import { sagaEvents } from '../domain/saga/saga.events.js';
import { webhookOutputEvents } from '../domain/webhook-output/webhook-output.events.js';
import type { Position } from '../event-store/port.js';
import type { RecordedEvent } from '../kernel/events.js';

/** A change to something that the API shows. */
export interface Change {
  readonly position: Position;
  readonly kind: ChangeKind;
  /** Ids of the changed resource and of the resources that contain it. */
  readonly ids: readonly string[];
  /** Null if only the operator may see the change. */
  readonly ownerId: string | null;
  /** The keys whose streams end. Absent unless a key changed. */
  readonly endedKeys?: EndedKeys;
}

/** Keys that a change ended, or changed so that their streams have to begin again. */
export interface EndedKeys {
  /** Null for all keys of the change's owner. */
  readonly keyId: string | null;
  /** SHA-256 (hex) of the key that replaced it, whose streams go on; null if there is none. */
  readonly except: string | null;
}

/** The event types that belong to each kind of change, and the event fields that contain the ids. */
const EVENTS = {
  owner: { types: Object.keys(ownerEvents), ids: ['ownerId'] },
  channel: { types: Object.keys(channelEvents), ids: ['channelId'] },
  project: { types: Object.keys(projectEvents), ids: ['projectId'] },
  endpoint: { types: Object.keys(endpointEvents), ids: ['endpointId'] },
  'project-pause': { types: Object.keys(projectPauseEvents), ids: ['projectId'] },
  'channel-pause': { types: Object.keys(channelPauseEvents), ids: ['channelId'] },
  post: { types: ['PostAccepted', ...PLANNED_POST_TYPES], ids: ['postId'] },
  publication: { types: Object.keys(publicationEvents), ids: ['publicationId', 'postId'] },
  'webhook-output': { types: Object.keys(webhookOutputEvents), ids: ['outputId'] },
  delivery: { types: Object.keys(deliveryEvents), ids: ['deliveryId', 'outputId'] },
  projection: { types: Object.keys(projectionEvents), ids: ['projection'] },
  saga: { types: Object.keys(sagaEvents), ids: ['saga'] },
  recovery: { types: Object.keys(recoveryEvents), ids: [] },
  media: { types: Object.keys(mediaEvents), ids: ['mediaId'] },
  key: { types: Object.keys(keyEvents), ids: ['keyId'] },
  'request-log': { types: [...Object.keys(requestLogEvents), 'PostSkipped'], ids: ['endpointId'] },
} satisfies Readonly<Record<string, { readonly types: readonly string[]; readonly ids: readonly string[] }>>;

/** Kind of change: the aggregate's name in the history, or the request log. */
export type ChangeKind = keyof typeof EVENTS;

/** Types of events that the API does not show. */
const UNSHOWN = ['ChannelPauseUnchanged', 'ProjectPauseUnchanged', 'PublicationStepStarted', 'DeliveryBodyPartStored'];

/** All kinds of changes. */
export const CHANGE_KINDS = Object.keys(EVENTS) as ChangeKind[];

const kindOfType: ReadonlyMap<string, ChangeKind> = new Map(
  CHANGE_KINDS.flatMap((kind) =>
    EVENTS[kind].types.filter((type) => !UNSHOWN.includes(type)).map((type) => [type, kind] as const),
  ),
);

/** Event types that represent changes. */
export const CHANGE_TYPES: readonly string[] = [...kindOfType.keys()];

/** Describes the change that an event represents. @param event of one of the {@link CHANGE_TYPES} */
export const describeChange = (event: RecordedEvent, ownerId: string | null): Change => {
  const kind = kindOfType.get(event.type)!;
  const data = event.data as Readonly<Record<string, string>>;
  const change = { position: event.position, kind, ids: EVENTS[kind].ids.map((member) => data[member]!), ownerId };
  const endedKeys = endedKeysOf(event.type, data);
  return endedKeys ? { ...change, endedKeys } : change;
};

const endedKeysOf = (type: string, data: Readonly<Record<string, string>>): EndedKeys | null => {
  switch (type) {
    case 'OwnerKeyRotated':
      return { keyId: mainKeyId(data.ownerId!), except: data.keyHash! };
    case 'OwnerDeleted':
      return { keyId: null, except: null };
    case 'KeyRotated':
      return { keyId: data.keyId!, except: data.keyHash! };
    case 'KeyChanged':
    case 'KeyRevoked':
      return { keyId: data.keyId!, except: null };
    default:
      return null;
  }
};

/** Consecutive changes of one kind, combined. */
export interface ChangeMessage {
  /** Position that a reader resumes from after receiving this message. */
  readonly position: Position;
  readonly kind: ChangeKind;
  /** Without duplicates. */
  readonly ids: readonly string[];
}

/** Maximum number of ids in a message. */
export const MAX_IDS = 200;

interface OpenMessage {
  position: Position;
  readonly kind: ChangeKind;
  readonly ids: Set<string>;
}

/**
 * Combines changes into messages in the order of the log (ADR-286). If a resource changed several times, only its last
 * change counts. A message holds all of these between the position of the message before it and its own, and nothing
 * else: wherever a reader's connection breaks, it resumes after the last message, misses nothing and receives
 * nothing twice.
 * @param changes in log order
 */
export const coalesceChanges = (changes: readonly Change[]): ChangeMessage[] => {
  const lastOf = new Map(changes.map((change) => [keyOf(change), change.position]));
  const messages: OpenMessage[] = [];
  for (const change of changes) {
    const { position, kind, ids } = change;
    if (lastOf.get(keyOf(change)) !== position) continue;
    let message = messages.at(-1);
    if (message?.kind !== kind || countNew(message.ids, ids) + message.ids.size > MAX_IDS) {
      message = { position, kind, ids: new Set() };
      messages.push(message);
    }
    for (const id of ids) message.ids.add(id);
    message.position = position;
  }
  return messages.map(({ position, kind, ids }) => ({ position, kind, ids: [...ids] }));
};

const keyOf = ({ kind, ids }: Change): string => [kind, ...ids].join(' ');

const countNew = (known: ReadonlySet<string>, ids: readonly string[]): number =>
  ids.filter((id) => !known.has(id)).length;
