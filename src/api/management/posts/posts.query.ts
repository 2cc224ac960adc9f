import { nullToAbsent } from '../../../validation/absence.js';
import type { Sent } from '../../../validation/check-fields.js';
import { Must } from '../../../validation/rules.js';
import { PUBLICATION_STATES, type PublicationViewState } from '../../../projections/posts/posts.tables.js';
import { ID_PATTERN } from '../id.pipe.js';
import { isCursorOf, PageQuery } from '../page.js';
import { Is } from '../rules.js';

/** The query of the list of posts (management-api.md). */
export class PostsQuery extends PageQuery {
  @isCursorOf('post')
  declare readonly cursor: string | undefined;

  @Is.matching(ID_PATTERN, 'an id such as ep_…')
  readonly endpoint_id: string | undefined;

  /** Posts with a publication on this channel. */
  @Is.matching(ID_PATTERN, 'an id such as tgt_…')
  readonly channel_id: string | undefined;

  /** Posts with a publication in this state. */
  @Must.beOneOf(PUBLICATION_STATES)
  readonly state: PublicationViewState | undefined;

  /** Only this owner's posts. The operator sees all owners' without it; an owner may name itself only. */
  @Is.matching(ID_PATTERN, 'an id such as own_…')
  readonly owner_id: string | undefined;

  constructor(sent: Sent) {
    super(sent);
    this.endpoint_id = nullToAbsent(sent.endpoint_id) as string | undefined;
    this.channel_id = nullToAbsent(sent.channel_id) as string | undefined;
    this.state = nullToAbsent(sent.state) as PublicationViewState | undefined;
    this.owner_id = nullToAbsent(sent.owner_id) as string | undefined;
  }
}
