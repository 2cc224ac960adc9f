import type { Overview } from '../../api/overview.js';

/** Returns whether an owner has published anything. */
export const hasPublished = ({ networks }: Pick<Overview, 'networks'>): boolean =>
  networks.some(({ last_published_at: publishedAt }) => publishedAt !== null);
