import { PUBLICATION_STATES, type PublicationViewState } from '../../projections/posts/posts.tables.js';
import { Must } from '../../validation/rules.js';
import { isCursorOf, PageQuery } from '../transport/page.js';

/** Query parameters for listing a client's own posts (D-65). */
export class EndpointPostsQuery extends PageQuery {
  @isCursorOf('post', 'calendar')
  declare readonly cursor: string | undefined;

  /** Posts with a publication in this state. Planned posts are sorted by `publish_at`, all others newest first. */
  @Must.beOneOf(PUBLICATION_STATES)
  readonly state: PublicationViewState | undefined;
}
