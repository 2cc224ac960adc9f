import { change } from '../api/change.js';
import { type Api, management } from '../api/management.js';
import type { Publication } from './states.js';

/** Removes a publication from its queue, so that it is not sent. */
export const cancelPublication = (id: string): Promise<Publication> =>
  change(management().post('/publications/{id}/cancel', { path: { id } }));

/** Removes all waiting publications of a post from their queues. */
export const cancelPost = (id: string): Promise<Api<'CancelledPost'>> =>
  change(management().post('/posts/{id}/cancel', { path: { id } }));

/** Resends a publication that is in doubt or has failed. */
export const resendPublication = (id: string): Promise<Publication> =>
  change(management().post('/publications/{id}/resend', { path: { id } }));

/** Records that a publication's duplicate has been dealt with. */
export const dismissDuplicate = (id: string): Promise<Publication> =>
  change(management().post('/publications/{id}/dismiss-duplicate', { path: { id } }));

/** Closes a publication that is in doubt or has failed, so that it is not sent again. */
export const dismissPublication = (id: string): Promise<Publication> =>
  change(management().post('/publications/{id}/dismiss', { path: { id } }));
