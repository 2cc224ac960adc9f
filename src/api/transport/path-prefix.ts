import type { Settings } from '../../config/settings.js';

/**
 * Returns the path of BASE_URL, below which a proxy serves this process, without a trailing slash; may be empty.
 * @param settings the settings of a listening process
 */
export const getPathPrefix = ({ baseUrl }: Pick<Settings, 'baseUrl'>): string =>
  new URL(baseUrl!).pathname.replace(/\/$/, '');
