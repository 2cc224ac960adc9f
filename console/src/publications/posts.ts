import type { Api } from '../api/management.js';
import type { Publication } from './states.js';

/** A post in a list. */
export type Post = Api<'Post'>;

/** States in which a publication may still change, on its own or through a person. */
const OPEN_STATES: ReadonlySet<Publication['state']> = new Set([
  'planned',
  'queued',
  'publishing',
  'in_doubt',
  'failed',
]);

/** Returns whether a publication's state may still change, on its own or by a person's action. */
export const isOpen = ({ state }: Pick<Publication, 'state'>): boolean => OPEN_STATES.has(state);

/** Returns a one-line title for a post: its excerpt or, without text, its number of media or its id. */
export const postTitle = (
  { id, excerpt, media_count: media }: Pick<Post, 'id' | 'excerpt' | 'media_count'>,
  mediaOnly: (count: number) => string,
): string => {
  if (excerpt !== null) return excerpt;
  return media === null || media === 0 ? id : mediaOnly(media);
};
