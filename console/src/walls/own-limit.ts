import type { Api } from '../api/management.js';

/** Returns the text limit in a channel's settings, which only Odnoklassniki channels have; null if there is none. */
export const ownLimit = (channel: Pick<Api<'Channel'>, 'settings'>): number | null => {
  const { text_limit: limit } = channel.settings as { readonly text_limit?: unknown };
  return typeof limit === 'number' ? limit : null;
};
