import { management, queryClient } from '../api/management.js';
import { deleteUsed } from '../api/things.js';

/** Marks all queries that show channels as stale, after a channel has changed. */
export const refreshChannel = (): Promise<void> =>
  queryClient.invalidateQueries({
    predicate: ({ queryKey: [first] }) => ['overview', 'channels', 'channel', 'posts'].includes(String(first)),
  });

/** Enables or disables a channel. */
export const setChannelEnabled = async (id: string, enabled: boolean): Promise<void> => {
  await management().patch('/channels/{id}', { path: { id }, body: { enabled } });
  await refreshChannel();
};

/**
 * Deletes a channel. `cascade` also removes the channel from its projects; without it, the gateway refuses to delete a
 * channel that a project uses.
 */
export const deleteChannel = (id: string, cascade: boolean): Promise<void> =>
  deleteUsed(
    'projects',
    management().delete('/channels/{id}', { path: { id }, ...(cascade && { query: { cascade: 'true' } }) }),
  );

/**
 * Removes a deleted channel from the cache and refreshes the lists that showed it. Leave the channel's own screen
 * first.
 */
export const forgetChannel = async (id: string): Promise<void> => {
  queryClient.removeQueries({ queryKey: ['channel', id] });
  await refreshChannel();
  await queryClient.invalidateQueries({ queryKey: ['projects'] });
};
