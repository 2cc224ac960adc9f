import { nullToAbsent } from '../../../validation/absence.js';
import type { Sent } from '../../../validation/check-fields.js';
import { Schema } from '../../../validation/json-schema.js';
import { Must } from '../../../validation/rules.js';
import { AUDITED_AGGREGATES, AUDITED_TYPES } from '../../../projections/audit/audit.tables.js';
import { AGGREGATE_NAMES } from '../../../history/aggregates/catalogue.js';
import { ID_PATTERN } from '../id.pipe.js';
import { isCursorOf, isLimit, PageQuery } from '../page.js';
import { Is } from '../rules.js';
import { isTime } from '../time.js';

/** An id, or the name of a projection. */
const AUDITED_ID = /^[\w-]{1,64}$/;
const REVISION = /^\d{1,15}$/;

/** The query of an aggregate's history. */
export class AggregateHistoryQuery {
  /** The aggregate as it stood at this time. */
  @isTime()
  readonly at: string | undefined;

  /** The aggregate as it stood after this revision. */
  @Is.matching(REVISION, 'a revision: a whole number from 0')
  readonly revision: string | undefined;

  /** Revision of the first event that is shown. */
  @Is.matching(REVISION, 'a revision: a whole number from 0')
  readonly from: string | undefined;

  /** Number of events that are shown. */
  @isLimit()
  readonly limit: string | undefined;

  constructor(sent: Sent) {
    this.limit = nullToAbsent(sent.limit) as string | undefined;
    this.at = nullToAbsent(sent.at) as string | undefined;
    this.revision = nullToAbsent(sent.revision) as string | undefined;
    this.from = nullToAbsent(sent.from) as string | undefined;
  }
}

/** The query of a difference between two times. */
export class DiffQuery {
  @Schema.required()
  @isTime()
  readonly from: string | undefined;

  /** Default: now. */
  @isTime()
  readonly to: string | undefined;

  constructor(sent: Sent) {
    this.from = nullToAbsent(sent.from) as string | undefined;
    this.to = nullToAbsent(sent.to) as string | undefined;
  }
}

/** The query of the differences of everything of an owner between two times. */
export class OwnerDiffQuery extends DiffQuery {
  /** Operators may omit it to compare all owners; owners may pass only their own id. */
  @Is.matching(ID_PATTERN, 'an id such as own_…')
  readonly owner_id: string | undefined;

  constructor(sent: Sent) {
    super(sent);
    this.owner_id = nullToAbsent(sent.owner_id) as string | undefined;
  }
}

/** The query of everything about endpoints, channels, projects and pauses at a time. */
export class OverviewQuery {
  /** Default: now. */
  @isTime()
  readonly at: string | undefined;

  /** The operator sees all owners' without it; an owner may name itself only. */
  @Is.matching(ID_PATTERN, 'an id such as own_…')
  readonly owner_id: string | undefined;

  constructor(sent: Sent) {
    this.at = nullToAbsent(sent.at) as string | undefined;
    this.owner_id = nullToAbsent(sent.owner_id) as string | undefined;
  }
}

/** The query of the audit trail. */
export class AuditQuery extends PageQuery {
  @isCursorOf('position')
  declare readonly cursor: string | undefined;

  /** The operator sees all owners' events without it; an owner may name itself only. */
  @Is.matching(ID_PATTERN, 'an id such as own_…')
  readonly owner_id: string | undefined;

  /** Only events of such aggregates. */
  @Must.beOneOf([...new Set([...AGGREGATE_NAMES, ...AUDITED_AGGREGATES, 'webhook-output'])])
  readonly aggregate: string | undefined;

  /** Only events of the aggregates with this id: a channel's and its pauses' have the same one. */
  @Is.matching(AUDITED_ID, 'an id such as tgt_…')
  readonly id: string | undefined;

  /** Only events of this author. */
  @Is.matching(
    /^(operator|(owner|endpoint|system):[\w-]{1,80})$/,
    'an actor such as operator, owner:own_… or endpoint:ep_…',
  )
  readonly actor: string | undefined;

  /** Only events of this type. */
  @Must.beOneOf(AUDITED_TYPES)
  readonly type: string | undefined;

  /** Only events of this time or later. */
  @isTime()
  readonly since: string | undefined;

  /** Only events before this time. */
  @isTime()
  readonly until: string | undefined;

  constructor(sent: Sent) {
    super(sent);
    this.owner_id = nullToAbsent(sent.owner_id) as string | undefined;
    this.aggregate = nullToAbsent(sent.aggregate) as string | undefined;
    this.id = nullToAbsent(sent.id) as string | undefined;
    this.actor = nullToAbsent(sent.actor) as string | undefined;
    this.type = nullToAbsent(sent.type) as string | undefined;
    this.since = nullToAbsent(sent.since) as string | undefined;
    this.until = nullToAbsent(sent.until) as string | undefined;
  }
}
