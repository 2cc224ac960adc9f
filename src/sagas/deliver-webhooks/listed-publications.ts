import type { Target } from '../../domain/post/post.events.js';
import {
  publication as publicationDecider,
  type PublicationState,
  type PublicationStatus,
} from '../../domain/publication/publication.decider.js';
import { type AggregateStore, emptyAggregate, type LoadedAggregate } from '../../event-store/aggregate-store.js';
import { isDamaged } from '../../event-store/codec.js';
import { BEGINNING } from '../../event-store/port.js';
import type { PostWithPayload } from '../../projections/posts/post-payloads.js';

/** Statuses that end a publication, unless its owner intervenes (D-29: `post.completed`). */
export const OVER: ReadonlySet<PublicationStatus> = new Set([
  'published',
  'failed',
  'filtered',
  'dismissed',
  'withdrawn',
  'withdraw_failed',
]);

/** Reads a publication's current state. A publication with damaged events counts as in doubt (ADR-111). */
export const readPublication = async (
  aggregates: AggregateStore,
  publicationId: string,
): Promise<LoadedAggregate<PublicationState>> => {
  try {
    return await aggregates.loadAggregate(publicationDecider, publicationId);
  } catch (error) {
    if (!isDamaged(error)) throw error;
    return emptyAggregate({ initial: { ...publicationDecider.initial, status: 'in_doubt' as const } });
  }
};

/**
 * Lists a post's publications in a project, in the order defined by D-57, each with the position of its last event.
 * Publications cancelled before the release have no events.
 */
export const listPublications = (
  aggregates: AggregateStore,
  { event, targets }: PostWithPayload,
  projectId: string,
) => {
  const released = new Set(targets.map(({ publicationId }) => publicationId));
  const own = event.data.targets.filter((target) => target.projectId === projectId);
  return Promise.all(
    own.map(async (target) => {
      const { publicationId } = target;
      if (!released.has(publicationId)) return { publication: describeCancelled(target), position: BEGINNING };
      const { state, position } = await readPublication(aggregates, publicationId);
      const { status, messageIds, urls } = state;
      const publication = { ...describeCancelled(target), state: status, message_ids: messageIds, urls };
      return { publication, position };
    }),
  );
};

/** Describes a publication that was cancelled before the release of its post, for `post.completed`. */
export const describeCancelled = ({ publicationId, channelId, platform }: Target) => ({
  id: publicationId,
  target: { id: channelId, platform },
  state: 'dismissed' as const,
  message_ids: [] as readonly string[],
  urls: [] as readonly string[],
});
