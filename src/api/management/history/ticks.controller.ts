import { Controller, Get, Inject, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { MOST_TICKS, type Timeline, Timelines } from '../../../history/timeline/timeline.js';
import { CLOCK, type Clock, iso, isoOrNull } from '../../../kernel/clock.js';
import type { PersonChange, StateSpan } from '../../../projections/audit/audit.queries.js';
import { FIELD_MESSAGES } from '../../../validation/messages.js';
import { Must } from '../../../validation/rules.js';
import type { FieldProblem } from '../../../validation/wording.js';
import { Documented } from '../../documentation/documented.js';
import { readQuery } from '../../transport/fields.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { ID_PATTERN, isTime, toInstant } from '../common-fields.js';
import { fieldProblem } from '../http-problems.js';
import { HISTORY_MESSAGES } from '../messages.js';
import { OwnedResources } from '../owned-resources.js';

const DEFAULT_BUCKETS = 100;

const bucketsComplaint = (value: unknown): FieldProblem | undefined =>
  typeof value === 'string' && /^\d{1,3}$/.test(value) && Number(value) >= 1 && Number(value) <= MOST_TICKS
    ? undefined
    : { code: 'out_of_range', predicate: FIELD_MESSAGES.badLimit({ limit: MOST_TICKS }) };

const isBuckets = (): PropertyDecorator =>
  Must.beAllowedBy(bucketsComplaint, { type: 'integer', minimum: 1, maximum: MOST_TICKS, default: DEFAULT_BUCKETS });

/** Query parameters of a timeline. */
export class TicksQuery {
  /** Inclusive. Default: the very first event, or a day before `to` if that is earlier. */
  @isTime()
  readonly from: string | undefined;

  /** Exclusive. Default: now. */
  @isTime()
  readonly to: string | undefined;

  /** Number of equal parts to divide the period into; at most one per millisecond. */
  @isBuckets()
  readonly buckets: string | undefined;

  /** Operators may omit it to see all owners; owners may pass only their own id. */
  @Must.match(ID_PATTERN, 'an id such as own_…')
  readonly owner_id: string | undefined;
}

/** Parses a validated number of buckets. */
export const toBuckets = (buckets: string | undefined): number =>
  buckets === undefined ? DEFAULT_BUCKETS : Number(buckets);

/** Event counts for one bucket of the timeline. */
export interface BucketView {
  /** Start of the bucket (ISO 8601, UTC); it ends where the next bucket starts. */
  readonly at: string;
  /** Events of the audit trail. */
  readonly events: number;
  /** Publications that were published. */
  readonly published: number;
  /** Publications that failed. */
  readonly failed: number;
  /** Publications that are in doubt. */
  readonly in_doubt: number;
}

/** A period when a project or channel was paused, a channel needed attention, or an endpoint was disabled. */
export class StateSpanView {
  /** `project_pause`, `channel_pause`, `needs_attention` or `endpoint_disabled`. */
  readonly kind: string;
  /** Id of the project, channel or endpoint. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly from: string;
  /** ISO 8601, UTC. For a current pause, its `paused_until`; null for any other span that has not ended. */
  readonly to: string | null;
  /** Id of the event that started the span. */
  readonly event_id: string;
  /** The author of that event. */
  readonly actor: string;

  constructor({ kind, id, from, to, eventId, actor }: StateSpan) {
    this.kind = kind;
    this.id = id;
    this.from = iso(from);
    this.to = isoOrNull(to);
    this.event_id = eventId;
    this.actor = actor;
  }
}

/** An event whose author is the operator or an owner. */
export class PersonChangeView {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
  /** Type of the event. */
  readonly type: string;
  readonly event_id: string;
  /** Type of the aggregate that the event belongs to, such as `channel`. */
  readonly aggregate: string;
  /** Null for an event that concerns only an idempotency key. */
  readonly aggregate_id: string | null;

  constructor({ at, actor, type, eventId, aggregate, aggregateId }: PersonChange) {
    this.at = iso(at);
    this.actor = actor;
    this.type = type;
    this.event_id = eventId;
    this.aggregate = aggregate;
    this.aggregate_id = aggregateId;
  }
}

/** Event counts over time, with pauses and changes by people. */
export class TicksView {
  /** ISO 8601, UTC: time of the very first event; null if there is none. */
  readonly first_at: string | null;
  /** ISO 8601, UTC. */
  readonly from: string;
  /** ISO 8601, UTC. */
  readonly to: string;
  readonly buckets: readonly BucketView[];
  /** At most 500 spans that overlap the period, in the order in which they started. */
  readonly spans: readonly StateSpanView[];
  /** True if there are more than 500; the longest are shown. */
  readonly spans_truncated: boolean;
  /** At most 500, oldest first. */
  readonly changes: readonly PersonChangeView[];
  /** True if there are more than 500; the latest are shown. */
  readonly changes_truncated: boolean;

  constructor({ firstAt, from, to, buckets, spans, hasMoreSpans, changes, hasMoreChanges }: Timeline) {
    this.first_at = isoOrNull(firstAt);
    this.from = iso(from);
    this.to = iso(to);
    this.buckets = buckets.map(({ at, ...counts }) => ({ at: iso(at), ...counts }));
    this.spans = spans.map((span) => new StateSpanView(span));
    this.spans_truncated = hasMoreSpans;
    this.changes = changes.map((change) => new PersonChangeView(change));
    this.changes_truncated = hasMoreChanges;
  }
}

/** Shows what happened when, for the console's time slider (management-api.md: `GET /history/ticks`). */
@Controller('manage/v1/history/ticks')
@UseGuards(ApiKeyGuard)
export class TicksController {
  constructor(
    private readonly timelines: Timelines,
    private readonly resources: OwnedResources,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Documented({
    summary: 'Count events over time, with pauses and changes by people',
    scope: 'read',
    query: TicksQuery,
  })
  @Get()
  async ticks(@Req() request: FastifyRequest): Promise<TicksView> {
    const query = readQuery(request, TicksQuery);
    const scope = await this.resources.findHistoryScope(request, query.owner_id);
    const now = this.clock.now();
    const times = { from: toInstant(query.from), to: toInstant(query.to) ?? now };
    const timeline = await this.timelines.show(scope, { ...times, buckets: toBuckets(query.buckets), now });
    if (!timeline) throw fieldProblem('to', 'out_of_order', HISTORY_MESSAGES.emptyTime);
    return new TicksView(timeline);
  }
}
