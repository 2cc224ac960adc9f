import { archiveEvents } from '../../domain/archive/archive.events.js';
import { channelEvents } from '../../domain/channel/channel.events.js';
import { deliveryEvents } from '../../domain/delivery/delivery.events.js';
import { endpointEvents } from '../../domain/endpoint/endpoint.events.js';
import { keyEvents } from '../../domain/key/key.events.js';
import { mediaEvents } from '../../domain/media/media.events.js';
import { noticeEvents } from '../../domain/notice/notice.events.js';
import { ownerEvents } from '../../domain/owner/owner.events.js';
import { channelPauseEvents, projectPauseEvents } from '../../domain/pause/pause.events.js';
import { postEvents } from '../../domain/post/post.events.js';
import { projectEvents } from '../../domain/project/project.events.js';
import { projectionEvents } from '../../domain/projection/projection.events.js';
import { publicationEvents } from '../../domain/publication/publication.events.js';
import { recoveryEvents } from '../../domain/recovery/recovery.events.js';
import { sagaEvents } from '../../domain/saga/saga.events.js';
import { translationEvents } from '../../domain/translation/translation.events.js';
import { webhookOutputEvents } from '../../domain/webhook-output/webhook-output.events.js';
import type { Catalogue, RecordedEvent } from '../../kernel/events.js';

/**
 * Event types of the audit trail, by aggregate. The request log is not included: retention removes its events, and it
 * has its own list (D-33).
 */
const EVENTS_OF: Readonly<Record<string, Catalogue>> = {
  owner: ownerEvents,
  channel: channelEvents,
  project: projectEvents,
  endpoint: endpointEvents,
  'project-pause': projectPauseEvents,
  'channel-pause': channelPauseEvents,
  post: postEvents,
  publication: publicationEvents,
  notice: noticeEvents,
  translation: translationEvents,
  'webhook-output': webhookOutputEvents,
  delivery: deliveryEvents,
  projection: projectionEvents,
  saga: sagaEvents,
  recovery: recoveryEvents,
  media: mediaEvents,
  key: keyEvents,
  archive: archiveEvents,
};

/** Names of the aggregates in the audit trail. */
export const AUDITED_AGGREGATES: readonly string[] = Object.keys(EVENTS_OF);

/** Lists the event types of an aggregate. */
export const typesOf = (aggregate: string): readonly string[] => Object.keys(EVENTS_OF[aggregate] ?? {});

/** All event types of the audit trail. */
export const AUDITED_TYPES: readonly string[] = AUDITED_AGGREGATES.flatMap(typesOf);

const aggregateOfType: ReadonlyMap<string, string> = new Map(
  AUDITED_AGGREGATES.flatMap((aggregate) => typesOf(aggregate).map((type) => [type, aggregate] as const)),
);

/** Types of events whose streams the gateway deletes (ADR-109). */
export const DELETED_LATER: ReadonlySet<string> = new Set([
  'TranslationStored',
  'TranslationAbandoned',
  'PayloadPartStored',
]);

/** The aggregate that an event happened to. */
export interface AuditedThing {
  readonly aggregate: string;
  /** Null for an event that concerns only an idempotency key and has no post. */
  readonly id: string | null;
}

/**
 * Returns the aggregate that an event happened to. A post's stream is named after its idempotency key, so the post's id
 * is read from the data.
 */
export const thingOf = (event: Pick<RecordedEvent, 'type' | 'stream' | 'data'>): AuditedThing => {
  const aggregate = aggregateOfType.get(event.type) ?? '';
  if (aggregate !== 'post') return { aggregate, id: event.stream.slice(event.stream.indexOf('-') + 1) };
  return { aggregate, id: (event.data as { readonly postId?: string }).postId ?? null };
};
