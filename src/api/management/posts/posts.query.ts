import { LIMITS, TRACE_ID_LENGTH } from '../../../payload/payload.js';
import { PUBLICATION_STATES, type PublicationViewState } from '../../../projections/posts/posts.tables.js';
import { Must } from '../../../validation/rules.js';
import { countCharacters } from '../../../validation/text-measure.js';
import { describeValue, type FieldProblem } from '../../../validation/wording.js';
import { isCursorOf, PageQuery } from '../../transport/page.js';
import { ID_PATTERN } from '../id.pipe.js';
import { BODY_MESSAGES } from '../messages.js';
import { isTime } from '../time.js';

/** Checks a client-chosen id. PostgreSQL cannot store null characters, so no stored id contains one. */
const findKeyProblem = (value: unknown, limit: number): FieldProblem | undefined =>
  typeof value === 'string' && value !== '' && !value.includes('\0') && countCharacters(value) <= limit
    ? undefined
    : { code: 'bad_form', predicate: BODY_MESSAGES.shorterText({ limit, value: describeValue(value) }) };

/** Query parameters of the post list (management-api.md). */
export class PostsQuery extends PageQuery {
  @isCursorOf('post', 'calendar')
  declare readonly cursor: string | undefined;

  @Must.match(ID_PATTERN, 'an id such as ep_…')
  readonly endpoint_id: string | undefined;

  /** Posts with a publication on this channel. */
  @Must.match(ID_PATTERN, 'an id such as tgt_…')
  readonly channel_id: string | undefined;

  /** Posts with a publication of this project. */
  @Must.match(ID_PATTERN, 'an id such as prj_…')
  readonly project_id: string | undefined;

  /** Posts with a publication in this state; if channel or project is given too, the same publication must match it. */
  @Must.beOneOf(PUBLICATION_STATES)
  readonly state: PublicationViewState | undefined;

  /** `pending`: only posts that wait for approval. */
  @Must.beOneOf(['pending'])
  readonly approval: 'pending' | undefined;

  @Must.beAllowedBy((value) => findKeyProblem(value, LIMITS.keyLength))
  readonly external_id: string | undefined;

  @Must.beAllowedBy((value) => findKeyProblem(value, TRACE_ID_LENGTH))
  readonly trace_id: string | undefined;

  /**
   * `publish_at` sorts the list like a calendar: earliest time first, and posts awaiting approval without a time last.
   * `since` and `until` then apply to `publish_at`.
   */
  @Must.beOneOf(['publish_at'])
  readonly order: 'publish_at' | undefined;

  /** Only posts that were accepted at this time or later. */
  @isTime()
  readonly since: string | undefined;

  /** Only posts that were accepted before this time. */
  @isTime()
  readonly until: string | undefined;

  /** Only this owner's posts. Operators may omit it to see all owners; owners may pass only their own id. */
  @Must.match(ID_PATTERN, 'an id such as own_…')
  readonly owner_id: string | undefined;
}
