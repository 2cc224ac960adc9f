import { newCommandContext } from '../../src/commands/command.js';
import { PlannedPosts, type PostPlace } from '../../src/commands/post/planned-posts.js';
import type { PostRevised } from '../../src/domain/post/post.events.js';
import type { AggregateStore } from '../../src/event-store/aggregate-store.js';

/** Number of events in an append. */
const AT_A_TIME = 15;

/**
 * Appends revisions to a planned post as programs wrote them before posts had a maximum of revisions: each event holds
 * its text, and not the approval.
 */
export const appendOldRevisions = async (
  aggregates: AggregateStore,
  place: PostPlace,
  publishAt: number,
  texts: readonly string[],
): Promise<void> => {
  const { state, ...loaded } = (await new PlannedPosts(aggregates).load(place))!;
  const { postId, endpointId, ownerId, acceptedAt, externalId, targets } = state;
  const events = texts.map((text, n) => {
    const data: PostRevised['data'] = {
      postId,
      endpointId,
      ownerId,
      externalId,
      traceId: null,
      at: Date.now(),
      acceptedAt,
      publishAt,
      revision: state.revision + 1 + n,
      needsApproval: false,
      payload: { text },
      parts: null,
      targets,
      droppedIds: [],
    };
    return { type: 'PostRevised', data } as const;
  });
  const { stream } = loaded;
  let end = { revision: loaded.revision, position: loaded.position, hash: loaded.hash };
  for (let from = 0; from < events.length; from += AT_A_TIME) {
    const id = `${postId}/${from}`;
    const origin = { actor: 'operator', requestId: id, causationId: id, correlationId: id, clientAddress: null };
    const part = events.slice(from, from + AT_A_TIME);
    const encoded = await aggregates.encodeEvents(stream, part, end, newCommandContext(origin, id, Date.now()));
    const { revision, position } = await aggregates.appendWithRetry(stream, end.revision, encoded.events);
    end = { revision, position, hash: encoded.hash };
  }
};
