import type { Settings } from '../../config/settings.js';

/**
 * Returns the path of BASE_URL without a slash at its end, below which a proxy serves this process; empty without one.
 * @param settings of a process that listens
 */
export const getPathPrefix = ({ baseUrl }: Pick<Settings, 'baseUrl'>): string =>
  new URL(baseUrl!).pathname.replace(/\/$/, '');
