import { nullToAbsent } from '../../../validation/absence.js';
import type { Sent } from '../../../validation/check-fields.js';
import { Must } from '../../../validation/rules.js';
import { PUBLICATION_STATES, type PublicationViewState } from '../../../projections/posts/posts.tables.js';
import { LIMITS, TRACE_ID_LENGTH } from '../../../payload/payload.js';
import { countCharacters } from '../../../validation/text-measure.js';
import { describeValue, type FieldProblem } from '../../../validation/wording.js';
import { BODY_MESSAGES } from '../messages.js';
import { ID_PATTERN } from '../id.pipe.js';
import { isCursorOf, PageQuery } from '../page.js';
import { Is } from '../rules.js';
import { isTime } from '../time.js';

/** Checks an id that clients choose. A null character is in none that is stored: PostgreSQL's texts have none. */
const findKeyProblem = (value: unknown, limit: number): FieldProblem | undefined =>
  typeof value === 'string' && value !== '' && !value.includes('\0') && countCharacters(value) <= limit
    ? undefined
    : { code: 'bad_form', predicate: BODY_MESSAGES.shorterText({ limit, value: describeValue(value) }) };

/** The query of the list of posts (management-api.md). */
export class PostsQuery extends PageQuery {
  @isCursorOf('post')
  declare readonly cursor: string | undefined;

  @Is.matching(ID_PATTERN, 'an id such as ep_…')
  readonly endpoint_id: string | undefined;

  /** Posts with a publication on this channel. */
  @Is.matching(ID_PATTERN, 'an id such as tgt_…')
  readonly channel_id: string | undefined;

  /** Posts with a publication of this project. */
  @Is.matching(ID_PATTERN, 'an id such as prj_…')
  readonly project_id: string | undefined;

  /** Posts with a publication in this state. Of channel, project and state, one publication meets all that are given. */
  @Must.beOneOf(PUBLICATION_STATES)
  readonly state: PublicationViewState | undefined;

  @Is.checkedBy((value) => findKeyProblem(value, LIMITS.keyLength))
  readonly external_id: string | undefined;

  @Is.checkedBy((value) => findKeyProblem(value, TRACE_ID_LENGTH))
  readonly trace_id: string | undefined;

  /** Only posts that were accepted at this time or later. */
  @isTime()
  readonly since: string | undefined;

  /** Only posts that were accepted before this time. */
  @isTime()
  readonly until: string | undefined;

  /** Only this owner's posts. The operator sees all owners' without it; an owner may name itself only. */
  @Is.matching(ID_PATTERN, 'an id such as own_…')
  readonly owner_id: string | undefined;

  constructor(sent: Sent) {
    super(sent);
    this.endpoint_id = nullToAbsent(sent.endpoint_id) as string | undefined;
    this.project_id = nullToAbsent(sent.project_id) as string | undefined;
    this.external_id = nullToAbsent(sent.external_id) as string | undefined;
    this.trace_id = nullToAbsent(sent.trace_id) as string | undefined;
    this.since = nullToAbsent(sent.since) as string | undefined;
    this.until = nullToAbsent(sent.until) as string | undefined;
    this.channel_id = nullToAbsent(sent.channel_id) as string | undefined;
    this.state = nullToAbsent(sent.state) as PublicationViewState | undefined;
    this.owner_id = nullToAbsent(sent.owner_id) as string | undefined;
  }
}
