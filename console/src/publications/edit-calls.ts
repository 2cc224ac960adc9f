import { type Api, management } from '../api/management.js';
import { change } from '../api/things.js';
import type { Publication } from './shown-state.js';

/** The part of a payload that an edit replaces. */
export type Content = Api<'ContentRequest'>;

/** Returns the content of a payload, without what an edit ignores. */
export const contentOf = ({ text, entities, media, buttons, overrides }: Content): Content => ({
  ...(text !== undefined && { text }),
  ...(entities !== undefined && { entities }),
  ...(media !== undefined && { media }),
  ...(buttons !== undefined && { buttons }),
  ...(overrides !== undefined && { overrides }),
});

/** Gives a post new content. The gateway refuses if the post has changed since the revision, unless it is null. */
export const editPost = (id: string, revision: number | null, content: Content): Promise<Api<'EditedPost'>> =>
  change(
    management().put('/posts/{id}/content', {
      path: { id },
      body: content,
      ...(revision !== null && { ifRevision: revision }),
    }),
  );

/** Asks what an edit would do, without any effect. */
export const tryEdit = (id: string, revision: number, content: Content): Promise<Api<'EditedPost'>> =>
  management().put('/posts/{id}/content', {
    path: { id },
    query: { dry_run: 'true' },
    body: content,
    ifRevision: revision,
  });

/** States of publications that no edit reaches any more. */
const OVER: ReadonlySet<Publication['state']> = new Set(['filtered', 'dismissed', 'withdrawing', 'withdrawn']);

/** Returns whether new content of the post would reach a publication. */
export const canBeEdited = ({ state }: Pick<Publication, 'state'>): boolean => !OVER.has(state);

/** What an edit means on one channel. */
export interface EditOutcome {
  readonly kind: 'edited' | 'same' | 'later' | 'afterwards' | 'refused' | 'untouched';
  /** Why the channel keeps the old content, and what to do; null unless refused. */
  readonly reason: string | null;
}

/** Returns what an edit would mean on a channel, from a publication in the answer to its dry run. */
export const outcomeOf = (
  publication: Pick<Api<'EditedPublication'>, 'state' | 'edit' | 'requests' | 'message_ids'>,
  revision: number,
): EditOutcome => {
  const { state, edit, requests = [], message_ids: messages } = publication;
  const plain = (kind: EditOutcome['kind']): EditOutcome => ({ kind, reason: null });
  if (!canBeEdited(publication)) return plain('untouched');
  if (edit?.state === 'failed' && edit.revision === revision)
    return { kind: 'refused', reason: edit.error?.message ?? null };
  if (state === 'published' || state === 'withdraw_failed') return plain(requests.length > 0 ? 'edited' : 'same');
  return plain(state === 'publishing' || messages.length > 0 ? 'afterwards' : 'later');
};
