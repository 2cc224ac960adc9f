import { queryClient } from '../api/query-client.js';

/** Marks all queries that show channels as stale, after a channel has changed. */
export const refreshChannel = (): Promise<void> =>
  queryClient.invalidateQueries({
    predicate: ({ queryKey: [first] }) => ['overview', 'channels', 'channel', 'posts'].includes(String(first)),
  });
