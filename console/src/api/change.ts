import { GatewayError } from './management.js';
import { queryClient } from './query-client.js';

/** First parts of the keys of queries that show posts and publications. */
const SHOWN_BY = ['overview', 'posts', 'post', 'publication', 'history'];

/** Answers after which the screen may be out of date, because someone else has changed the post in the meantime. */
const CHANGED_MEANWHILE = [404, 409, 412];

const refresh = (): Promise<void> =>
  queryClient.invalidateQueries({ predicate: ({ queryKey: [first] }) => SHOWN_BY.includes(String(first)) });

/**
 * Makes a change to a post or publication, and shows the state after it, even if it was refused. @throws GatewayError
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
