import type { Settings } from '../../config/settings.js';

/**
 * Returns the path of BASE_URL without a trailing slash; may be empty. A proxy serves this process under that path.
 * @param settings the settings of a listening process
 */
export const getPathPrefix = ({ baseUrl }: Pick<Settings, 'baseUrl'>): string =>
  new URL(baseUrl!).pathname.replace(/\/$/, '');
