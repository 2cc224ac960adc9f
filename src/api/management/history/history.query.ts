import { AGGREGATE_NAMES } from '../../../history/aggregates/catalogue.js';
import { AUDITED_AGGREGATES, AUDITED_TYPES } from '../../../projections/audit/audit.tables.js';
import { Schema } from '../../../validation/json-schema.js';
import { Must } from '../../../validation/rules.js';
import { isCursorOf, isLimit, PageQuery } from '../../transport/page.js';
import { ID_PATTERN } from '../id.pipe.js';
import { isTime } from '../time.js';

/** An id, or the name of a projection. */
const AUDITED_ID = /^[\w-]{1,64}$/;
const REVISION = /^\d{1,15}$/;

/** Query parameters of an aggregate's history. */
export class AggregateHistoryQuery {
  /** Shows the aggregate as it was at this time. */
  @isTime()
  readonly at: string | undefined;

  /** Shows the aggregate as it was after this revision. */
  @Must.match(REVISION, 'a revision: a whole number from 0')
  readonly revision: string | undefined;

  /** Revision of the first event to show. */
  @Must.match(REVISION, 'a revision: a whole number from 0')
  readonly from: string | undefined;

  /** Maximum number of events to show. */
  @isLimit()
  readonly limit: string | undefined;
}

/** Query parameters for comparing an aggregate between two points in time. */
export class DiffQuery {
  @Schema.required()
  @isTime()
  readonly from: string | undefined;

  /** Default: now. */
  @isTime()
  readonly to: string | undefined;
}

/** Query parameters for comparing an owner's endpoints, channels, projects and pauses between two points in time. */
export class OwnerDiffQuery extends DiffQuery {
  /** Operators may omit it to compare all owners; owners may pass only their own id. */
  @Must.match(ID_PATTERN, 'an id such as own_…')
  readonly owner_id: string | undefined;
}

/** Query parameters for listing the endpoints, channels, projects and pauses at a given time. */
export class OverviewQuery {
  /** Default: now. */
  @isTime()
  readonly at: string | undefined;

  /** Operators may omit it to see all owners; owners may pass only their own id. */
  @Must.match(ID_PATTERN, 'an id such as own_…')
  readonly owner_id: string | undefined;
}

/** Query parameters of the audit trail. */
export class AuditQuery extends PageQuery {
  @isCursorOf('position')
  declare readonly cursor: string | undefined;

  /** Operators may omit it to see the events of all owners; owners may pass only their own id. */
  @Must.match(ID_PATTERN, 'an id such as own_…')
  readonly owner_id: string | undefined;

  /** Only events of aggregates of this type. */
  @Must.beOneOf([...new Set([...AGGREGATE_NAMES, ...AUDITED_AGGREGATES, 'webhook-output'])])
  readonly aggregate: string | undefined;

  /** Only events of the aggregates with this id; a channel and its pauses share an id. */
  @Must.match(AUDITED_ID, 'an id such as tgt_…')
  readonly id: string | undefined;

  /** Only events by this author. */
  @Must.match(
    /^(operator|(owner|endpoint|system):[\w-]{1,80})$/,
    'an actor such as operator, owner:own_… or endpoint:ep_…',
  )
  readonly actor: string | undefined;

  /** Only events of this type. */
  @Must.beOneOf(AUDITED_TYPES)
  readonly type: string | undefined;

  /** Only events from this time on. */
  @isTime()
  readonly since: string | undefined;

  /** Only events before this time. */
  @isTime()
  readonly until: string | undefined;
}
