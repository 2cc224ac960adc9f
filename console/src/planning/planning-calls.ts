import { type Api, management } from '../api/management.js';
import { change } from '../api/things.js';

/** A planned post, with the revision that the screen shows. */
export type Planned = Pick<Api<'Post'>, 'id' | 'revision'>;

/**
 * Reschedules a post. Null publishes it now, or as soon as it is approved. The gateway refuses if the post has changed
 * since the given revision.
 */
export const reschedule = ({ id, revision }: Planned, at: number | null): Promise<Api<'ChangedPost'>> => {
  const body = { publish_at: at === null ? null : new Date(at).toISOString() };
  return change(management().patch('/posts/{id}', { path: { id }, body, ifRevision: revision }));
};

/** Replaces a post's content and plan. The gateway refuses if the post has changed since the edit began. */
export const replacePost = (
  { id, revision }: Planned,
  payload: Api<'PublishPayloadRequest'>,
): Promise<Api<'ChangedPost'>> =>
  change(management().put('/posts/{id}/payload', { path: { id }, body: payload, ifRevision: revision }));

/**
 * Approves the revision of a post that the screen shows; the gateway refuses if the post has changed since (D-81). The
 * post is then published at its planned time, or immediately if it has none or the time has passed.
 */
export const approve = ({ id, revision }: Planned, note: string | null): Promise<Api<'PostWithPayload'>> => {
  const body = { revision, ...(note !== null && { note }) };
  return change(management().post('/posts/{id}/approve', { path: { id }, body }));
};

/** Rejects a post, so that it is never published. */
export const reject = (id: string, reason: string): Promise<Api<'PostWithPayload'>> =>
  change(management().post('/posts/{id}/reject', { path: { id }, body: { reason } }));
