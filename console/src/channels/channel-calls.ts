import { management } from '../api/management.js';
import { queryClient } from '../api/query-client.js';
import { refreshChannel } from './refresh-channel.js';

/** Enables or disables a channel. */
export const setChannelEnabled = async (id: string, enabled: boolean): Promise<void> => {
  await management().patch('/channels/{id}', { path: { id }, body: { enabled } });
  await refreshChannel();
};

/** Deletes a channel. `cascade`: takes it out of the projects that use it; without it, their existence rejects the deletion. */
export const deleteChannel = async (id: string, cascade: boolean): Promise<void> => {
  await management().delete('/channels/{id}', { path: { id }, ...(cascade && { query: { cascade: 'true' } }) });
};

/** Marks everything that showed a deleted channel as stale. Its own screen must be left before. */
export const forgetChannel = async (id: string): Promise<void> => {
  queryClient.removeQueries({ queryKey: ['channel', id] });
  await refreshChannel();
  await queryClient.invalidateQueries({ queryKey: ['projects'] });
};
