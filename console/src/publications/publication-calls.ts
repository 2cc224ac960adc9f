import { type Api, management } from '../api/management.js';
import { change } from '../api/things.js';
import type { Publication } from './states.js';

/** Removes a publication from its queue, so that it is not sent. */
export const cancelPublication = (id: string): Promise<Publication> =>
  change(management().post('/publications/{id}/cancel', { path: { id } }));

/** Removes all waiting publications of a post from their queues. */
export const cancelPost = (id: string): Promise<Api<'CancelledPost'>> =>
  change(management().post('/posts/{id}/cancel', { path: { id } }));

/** Takes a post back on some channels: what is published there is deleted, and nothing more is sent. */
export const takeBack = (
  id: string,
  { targets, reason }: { readonly targets: readonly string[]; readonly reason: string | null },
): Promise<Api<'WithdrawnPost'>> =>
  change(
    management().post('/posts/{id}/withdraw', {
      path: { id },
      body: { targets, ...(reason !== null && { reason }) },
    }),
  );

/** Resends a publication that is in doubt or has failed. */
export const resendPublication = (id: string): Promise<Publication> =>
  change(management().post('/publications/{id}/resend', { path: { id } }));

/** Records that a publication's duplicate has been dealt with. */
export const dismissDuplicate = (id: string): Promise<Publication> =>
  change(management().post('/publications/{id}/dismiss-duplicate', { path: { id } }));

/**
 * Closes a publication that is in doubt or has failed, so that it is not sent again, or leaves what was not deleted or
 * not edited.
 */
export const dismissPublication = (id: string): Promise<Publication> =>
  change(management().post('/publications/{id}/dismiss', { path: { id } }));

/** The outcome of retrying a channel, as known within ten seconds. */
export type RetryOutcome =
  | { readonly kind: 'published' }
  | { readonly kind: 'refused'; readonly says: string }
  /** Nothing was waiting, or the first publication was neither published nor refused in that time. */
  | { readonly kind: 'going' };

/** How long to wait for the outcome, and how long to wait between checks, in ms. */
const WATCHED_MS = 10_000;
const LOOK_MS = 500;

/**
 * Takes a channel off hold and waits for the outcome of its first publication.
 * @param onRetried called when the channel is off hold, before the outcome is known
 * @throws GatewayError with status 409 for a channel that is not on hold
 */
export const retryChannel = async (id: string, onRetried: () => void): Promise<RetryOutcome> => {
  const path = { id };
  const first = await findFirstQueued(id);
  await management().post('/channels/{id}/retry', { path });
  onRetried();
  if (first === null) return { kind: 'going' };
  for (let waited = 0; waited < WATCHED_MS; waited += LOOK_MS) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const { attention } = await management().get('/channels/{id}', { path });
    if (attention) return { kind: 'refused', says: attention.platform_says ?? attention.message };
    const { state } = await management().get('/publications/{id}', { path: { id: first } });
    if (state === 'published') return { kind: 'published' };
    if (state !== 'queued' && state !== 'publishing') break;
  }
  return { kind: 'going' };
};

/**
 * Returns the id of the queued publication that will be sent first; null if there is none. If more than 200 posts are
 * queued, only the newest 200 are considered.
 */
const findFirstQueued = async (channelId: string): Promise<string | null> => {
  const { items } = await management().get('/posts', { query: { channel_id: channelId, state: 'queued', limit: 200 } });
  const queued = items
    .flatMap(({ publications }) => publications)
    .filter(({ target_id: target, state }) => target === channelId && state === 'queued')
    .sort((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));
  return queued[0]?.id ?? null;
};
