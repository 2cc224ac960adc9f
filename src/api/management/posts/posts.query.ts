import { given } from '../../../validation/absence.js';
import type { Sent } from '../../../validation/check-fields.js';
import { Must } from '../../../validation/rules.js';
import { PUBLICATION_STATES, type PublicationViewState } from '../../../projections/posts/posts.tables.js';
import { ID_FORM } from '../id.pipe.js';
import { cursorOf, PageQuery } from '../page.js';
import { Is } from '../rules.js';

/** The query of the list of posts (management-api.md). */
export class PostsQuery extends PageQuery {
  @cursorOf('post')
  declare readonly cursor: string | undefined;

  @Is.like(ID_FORM, 'an id such as ep_…')
  readonly endpoint_id: string | undefined;

  /** Posts with a publication on this channel. */
  @Is.like(ID_FORM, 'an id such as tgt_…')
  readonly channel_id: string | undefined;

  /** Posts with a publication in this state. */
  @Must.beOneOf(PUBLICATION_STATES)
  readonly state: PublicationViewState | undefined;

  /** Only this owner's; to the operator, who else sees everyone's, and to that owner. */
  @Is.like(ID_FORM, 'an id such as own_…')
  readonly owner_id: string | undefined;

  constructor(sent: Sent) {
    super(sent);
    this.endpoint_id = given(sent.endpoint_id) as string | undefined;
    this.channel_id = given(sent.channel_id) as string | undefined;
    this.state = given(sent.state) as PublicationViewState | undefined;
    this.owner_id = given(sent.owner_id) as string | undefined;
  }
}
