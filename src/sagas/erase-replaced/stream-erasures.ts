import type { Pool } from 'pg';
import type { PostKeyReserved } from '../../domain/post/post.events.js';
import type { PublicationEvent } from '../../domain/publication/publication.events.js';
import type { TranslationEvent } from '../../domain/translation/translation.events.js';
import type { ErasureNote, ErasureNotes } from '../../erasure/erasure-notes.js';
import type { EventCodec } from '../../event-store/codec.js';
import type { EventStore } from '../../event-store/port.js';
import { readBackwards } from '../../event-store/read-backwards.js';
import { idOfPayload, nullIfUnreadable, PostPayloads } from '../../projections/posts/post-payloads.js';
import { PostPlaces } from '../../projections/posts/post-place.queries.js';
import type { ErasureKind } from './erase-due.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Events after which a publication is never sent again, whatever its owner requests. */
const ENDED: ReadonlySet<string> = new Set<PublicationEvent['type']>([
  'PublicationSucceeded',
  'PublicationFiltered',
  'PublicationDismissed',
]);

/** Dependencies for erasing streams. */
export interface StreamErasureDependencies {
  readonly pool: Pool;
  readonly notes: ErasureNotes;
  readonly store: EventStore;
  readonly codec: EventCodec;
}

/**
 * Deletes the translations of posts that can never be sent again. The events decide; a read model, which may be behind,
 * only locates the post. A translation that is still needed is checked again later. The delay is the age of its note,
 * but at least a minute and at most an hour.
 */
export const translationErasures = ({
  pool,
  notes,
  store,
  codec,
}: StreamErasureDependencies): ErasureKind<ErasureNote> => {
  const posts = new PostPayloads(store, codec);
  const isNeeded = async (stream: string): Promise<boolean> => {
    const [stored] = await store.readStream(stream, { limit: 1 });
    if (!stored) return false;
    const place = await new PostPlaces(pool).findContent(codec.decode<TranslationEvent>(stored).data.postId);
    if (!place) return true; // the read model has not reached the post yet
    const post = await posts.readEvent(place.stream, place.revision).catch(nullIfUnreadable);
    if (!post) return true;
    const last = await Promise.all(
      post.targets.map(({ publicationId }) =>
        store.readStream(`publication-${publicationId}`, { direction: 'backwards', limit: 10 }),
      ),
    );
    return !last.every((events) => {
      // A duplicate may be found and dismissed after the end (D-84).
      const event = events.find(({ type }) => !type.startsWith('PublicationDuplicate'));
      return event !== undefined && ENDED.has(event.type);
    });
  };
  return {
    name: 'translations',
    findDue: (limit) => notes.findDue('translation', limit),
    async handle(note) {
      const { subject, age } = note;
      if (await isNeeded(subject))
        return notes.postpone('translation', note, Math.min(Math.max(age, MINUTE_MS), HOUR_MS));
      await store.deleteStream(subject);
      await notes.settle('translation', note);
    },
    postpone: (note) => notes.postpone('translation', note, HOUR_MS),
  };
};

/**
 * Deletes payload parts of posts that were never accepted (D-42), unless an event mentions their id. Searches the
 * streams that may contain the acceptance: the streams in the note (for the request's keys, or the post's own), and the
 * streams that their reservations point to.
 */
export const payloadErasures = ({ notes, store, codec }: StreamErasureDependencies): ErasureKind<ErasureNote> => {
  const isAccepted = async (id: string, streams: readonly string[]): Promise<boolean> => {
    const searched = new Set(streams);
    for (const stream of searched) {
      for await (const event of readBackwards(store, stream)) {
        if (event.data.includes(id)) return true;
        // Iterating over a set includes items added during the iteration.
        if (event.type === 'PostKeyReserved') searched.add(codec.decode<PostKeyReserved>(event).data.place.stream);
      }
    }
    return false;
  };
  return {
    name: 'payload parts',
    findDue: (limit) => notes.findDue('payload', limit),
    async handle(note) {
      const { subject, streams } = note;
      if (!(await isAccepted(idOfPayload(subject), streams!))) await store.deleteStream(subject);
      await notes.settle('payload', note);
    },
    postpone: (note) => notes.postpone('payload', note, HOUR_MS),
  };
};
