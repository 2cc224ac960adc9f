import { GatewayError } from './management.js';
import { queryClient } from './query-client.js';

/** Key prefixes of the queries that show posts and publications. */
const SHOWN_BY = ['overview', 'posts', 'post', 'publication', 'history'];

/** HTTP error statuses which mean that someone else changed the post, so the screen may be out of date. */
const CHANGED_MEANWHILE = [404, 409, 412];

const refresh = (): Promise<void> =>
  queryClient.invalidateQueries({ predicate: ({ queryKey: [first] }) => SHOWN_BY.includes(String(first)) });

/**
 * Waits for a call that changes a post or publication, then refreshes the screen. Also refreshes it if the call fails
 * because someone else made a change.
 * @throws GatewayError
 */
export const change = async <T>(call: Promise<T>): Promise<T> => {
  try {
    const answer = await call;
    await refresh();
    return answer;
  } catch (error) {
    if (error instanceof GatewayError && CHANGED_MEANWHILE.includes(error.status)) await refresh();
    throw error;
  }
};
