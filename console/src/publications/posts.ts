import type { Api } from '../api/management.js';
import type { Publication } from './states.js';

/** A post in a list. */
export type Post = Api<'Post'>;

/** Publication states that may still change, automatically or when a user acts. */
const OPEN_STATES: ReadonlySet<Publication['state']> = new Set([
  'planned',
  'queued',
  'publishing',
  'in_doubt',
  'failed',
]);

/** Returns whether a publication's state may still change, automatically or when a user acts. */
export const isOpen = ({ state }: Pick<Publication, 'state'>): boolean => OPEN_STATES.has(state);

/** Returns a one-line title for a post: its excerpt or, if it has no text, its number of media files or its id. */
export const postTitle = (
  { id, excerpt, media_count: media }: Pick<Post, 'id' | 'excerpt' | 'media_count'>,
  mediaOnly: (count: number) => string,
): string => {
  if (excerpt !== null) return excerpt;
  return media === null || media === 0 ? id : mediaOnly(media);
};
