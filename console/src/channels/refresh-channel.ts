import { queryClient } from '../api/query-client.js';

/** Marks everything that shows a channel as stale, after a change of it. */
export const refreshChannel = (): Promise<void> =>
  queryClient.invalidateQueries({
    predicate: ({ queryKey: [first] }) => ['overview', 'channels', 'channel', 'posts'].includes(String(first)),
  });
