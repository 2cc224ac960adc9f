import { type Api, GatewayError, management } from '../api/management.js';
import { queryClient } from '../api/query-client.js';
import type { Publication } from './states.js';

/** First parts of the keys of queries that show publications. */
const SHOWN_BY = ['overview', 'posts', 'post', 'publication', 'history'];

const refresh = (): Promise<void> =>
  queryClient.invalidateQueries({ predicate: ({ queryKey: [first] }) => SHOWN_BY.includes(String(first)) });

/** Makes a change and shows the state after it, also after a 409: another person may have changed the publication. */
const change = async <T>(call: Promise<T>): Promise<T> => {
  try {
    const answer = await call;
    await refresh();
    return answer;
  } catch (error) {
    if (error instanceof GatewayError && error.status === 409) await refresh();
    throw error;
  }
};

/** Takes a publication out of its queue: it is not sent. */
export const cancelPublication = (id: string): Promise<Publication> =>
  change(management().post('/publications/{id}/cancel', { path: { id } }));

/** Takes all publications of a post that wait out of their queues. */
export const cancelPost = (id: string): Promise<Api<'CancelledPost'>> =>
  change(management().post('/posts/{id}/cancel', { path: { id } }));

/** Sends a publication that is in doubt or failed again. */
export const resendPublication = (id: string): Promise<Publication> =>
  change(management().post('/publications/{id}/resend', { path: { id } }));

/** Closes a publication that is in doubt or failed: it is not sent again. */
export const dismissPublication = (id: string): Promise<Publication> =>
  change(management().post('/publications/{id}/dismiss', { path: { id } }));
