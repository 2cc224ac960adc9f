import type { Pool } from 'pg';
import { POSTS, type PostRow } from './posts.tables.js';

/** Finds the event that accepted a post; null if the read model does not show the post, or does not yet. */
export const findPostPlace = async (
  pool: Pool,
  postId: string,
): Promise<Pick<PostRow, 'stream' | 'revision'> | null> => {
  const text = `select stream, revision from ${POSTS}.post where post_id = $1`;
  return (await pool.query<Pick<PostRow, 'stream' | 'revision'>>(text, [postId])).rows[0] ?? null;
};

/** Finds the event that accepted a publication's post; null like {@link findPostPlace}. */
export const findPostPlaceOfPublication = async (
  pool: Pool,
  publicationId: string,
): Promise<Pick<PostRow, 'stream' | 'revision'> | null> => {
  const text = `select stream, revision from ${POSTS}.post join ${POSTS}.publication using (post_id) where publication_id = $1`;
  return (await pool.query<Pick<PostRow, 'stream' | 'revision'>>(text, [publicationId])).rows[0] ?? null;
};

/** Finds the events that accepted posts, as the read model `posts` shows them. */
export class PostPlaces {
  constructor(private readonly pool: Pool) {}

  /** Finds the event that accepted a post; null like {@link findPostPlace}. */
  find(postId: string): ReturnType<typeof findPostPlace> {
    return findPostPlace(this.pool, postId);
  }
}
