import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { POOL } from '../../postgres/tokens.js';
import { type PostRow, POSTS } from './posts.tables.js';

type Place = Pick<PostRow, 'stream' | 'revision'>;

/** The event that accepted a post. */
type FoundPlace = Place & {
  /** True if the post was accepted as a planned post, so that more of its events may follow in the stream (D-58). */
  readonly was_planned: boolean;
};

/** Finds the event that accepted a post; null if the read model does not (yet) show the post. */
export const findPostPlace = async (pool: Pool, postId: string): Promise<FoundPlace | null> => {
  const text = `select stream, revision, released_at is null or content_revision <> revision as was_planned
    from ${POSTS}.post where post_id = $1`;
  return (await pool.query<FoundPlace>(text, [postId])).rows[0] ?? null;
};

/** Finds the event that accepted a publication's post; null in the same cases as {@link findPostPlace}. */
export const findPostPlaceOfPublication = async (pool: Pool, publicationId: string): Promise<Place | null> => {
  const text = `select stream, revision from ${POSTS}.post join ${POSTS}.publication using (post_id) where publication_id = $1`;
  return (await pool.query<Place>(text, [publicationId])).rows[0] ?? null;
};

/** Locates posts and their content in the event store through the read model `posts`. */
@Injectable()
export class PostPlaces {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** See {@link findPostPlace}. */
  find(postId: string): Promise<FoundPlace | null> {
    return findPostPlace(this.pool, postId);
  }

  /** Finds the event to read a post from (`PostPayloads.readPost`); null in the same cases as {@link findPostPlace}. */
  async findContent(postId: string): Promise<Place | null> {
    const text = `select stream, content_revision as revision from ${POSTS}.post where post_id = $1`;
    return (await this.pool.query<Place>(text, [postId])).rows[0] ?? null;
  }

  /** Returns whether a publication of a post in a project has yet to end, unless it is missing from the read model. */
  async hasUnfinished(postId: string, projectId: string): Promise<boolean> {
    const { rows } = await this.pool.query<{ found: boolean }>({
      name: 'unfinished publication',
      text: `select exists (select from ${POSTS}.publication where post_id = $1 and project_id = $2
               and state not in ('published', 'failed', 'filtered', 'dismissed')) as found`,
      values: [postId, projectId],
    });
    return rows[0]!.found;
  }
}
