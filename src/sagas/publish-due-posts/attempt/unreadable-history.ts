import { publication as decider } from '../../../domain/publication/publication.decider.js';
import type { PublicationEvent, PublicationInDoubt } from '../../../domain/publication/publication.events.js';
import { type AggregateStore, emptyAggregate } from '../../../event-store/aggregate-store.js';
import type { Clock } from '../../../kernel/clock.js';
import { streamOf } from '../../../kernel/events.js';
import { newUuid } from '../../../kernel/ids.js';
import { historyUnreadableError, type LoadedPublication } from './attempt-state.js';
import type { ClaimedPublication } from './publication-attempt.js';

/** Events after which a publication no longer holds its channel back. */
const OVER: ReadonlySet<string> = new Set<PublicationEvent['type']>([
  'PublicationSucceeded',
  'PublicationFailed',
  'PublicationInDoubt',
  'PublicationFiltered',
  'PublicationDismissed',
]);

/**
 * Ends a publication with unreadable events (D-25): it is in doubt, because the post may have been sent. Bypasses the
 * decider, which needs those events.
 * @returns the known facts of the publication
 * @throws Unavailable
 * @throws WrongExpectedRevision if another worker has appended in the meantime
 */
export const endUnreadable = async (
  aggregates: AggregateStore,
  clock: Clock,
  { row, origin }: ClaimedPublication,
): Promise<LoadedPublication> => {
  const ids = { publicationId: row.publication_id, postId: row.post_id, channelId: row.channel_id };
  const stream = streamOf(decider, ids.publicationId);
  const [last] = await aggregates.store.readStream(stream, { direction: 'backwards', limit: 1 });
  const empty = emptyAggregate(decider);
  const ended = { ...empty, state: { ...empty.state, status: 'in_doubt' as const } };
  if (last && OVER.has(last.type)) return { ...ended, revision: last.revision, position: last.position };
  const at = clock.now();
  const attempt = Math.max(1, row.attempt);
  const event: PublicationInDoubt = {
    type: 'PublicationInDoubt',
    data: { attempt, at, step: 'unknown', error: historyUnreadableError, ...ids },
  };
  const after = { revision: last?.revision ?? -1n, position: last?.position ?? empty.position, hash: '' };
  // Damaged metadata has no hash; the hash chain then restarts here, and auditors can see where.
  try {
    if (last) after.hash = aggregates.codec.readEnvelope(last).hash;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const encoded = aggregates.encodeEvents(stream, [event], after, { ...origin, commandId: newUuid(), at });
  const { revision, position } = await aggregates.appendWithRetry(stream, after.revision, encoded.events);
  return { ...ended, revision, position, hash: encoded.hash };
};
