import { Controller, Get, Inject, Param, Req, UseGuards, UseInterceptors } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AGGREGATE_NAMES, findAggregate } from '../../../history/aggregates/catalogue.js';
import { AuditTrail } from '../../../history/audit-trail/audit-trail.js';
import { UnreadableHistory } from '../../../history/read-log.js';
import type { TimeRange } from '../../../history/time-travel/diff.js';
import { OwnerTimeTravel } from '../../../history/time-travel/owner-time-travel.js';
import { TimeTravel } from '../../../history/time-travel/time-travel.js';
import { MOST_TICKS, type Timeline, Timelines } from '../../../history/timeline/timeline.js';
import { Traces } from '../../../history/trace/traces.js';
import { CLOCK, type Clock, iso, isoOrNull } from '../../../kernel/clock.js';
import type { ShownAggregate } from '../../../kernel/events.js';
import { oneOf } from '../../../kernel/message.js';
import type { PersonChange, StateSpan } from '../../../projections/audit/audit.queries.js';
import { PostExcerpts } from '../../../projections/posts/post-details.queries.js';
import { FIELD_MESSAGES } from '../../../validation/messages.js';
import { Must } from '../../../validation/rules.js';
import type { FieldProblem } from '../../../validation/wording.js';
import { Documented } from '../../documentation/documented.js';
import { encodeCursor, ListView, readQuery, toLimit, toPage } from '../../transport/fields.js';
import { fieldProblem, HttpProblem } from '../../transport/problem.view.js';
import { ApiKeyGuard, getOwnerScope, HeavyReadTurn } from '../api-key.guard.js';
import { ID_PATTERN, IdPipe, isTime, toInstant } from '../common-fields.js';
import { HISTORY_MESSAGES } from '../messages.js';
import { OwnedResources } from '../owned-resources.js';
import {
  AggregateHistoryQuery,
  AggregateHistoryView,
  AuditQuery,
  DiffQuery,
  DiffView,
  ListedEventView,
  OverviewQuery,
  OverviewView,
  OwnerDiffQuery,
  OwnerDiffView,
  postOf,
  TraceView,
} from './history.dto.js';

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

const UNREADABLE = { 409: ['history_unreadable'] };

/** Shows past states and who changed what, based on the events (management-api.md: `GET /history`). */
@Controller('manage/v1/history')
@UseGuards(ApiKeyGuard)
@UseInterceptors(HeavyReadTurn)
export class HistoryController {
  constructor(
    private readonly timeTravel: TimeTravel,
    private readonly ownerTimeTravel: OwnerTimeTravel,
    private readonly trail: AuditTrail,
    private readonly traces: Traces,
    private readonly excerpts: PostExcerpts,
    private readonly resources: OwnedResources,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Documented({
    summary: 'Show endpoints, channels, projects and pauses as they were',
    scope: 'read',
    query: OverviewQuery,
    codes: UNREADABLE,
  })
  @Get()
  async overview(@Req() request: FastifyRequest): Promise<OverviewView> {
    const query = readQuery(request, OverviewQuery);
    const at = toInstant(query.at) ?? this.clock.now();
    const scope = await this.resources.findHistoryScope(request, query.owner_id);
    return new OverviewView(at, await readable(() => this.ownerTimeTravel.showAll(at, scope)));
  }

  @Documented({
    summary: 'Compare all endpoints, channels, projects and pauses at two times',
    scope: 'read',
    query: OwnerDiffQuery,
    codes: UNREADABLE,
  })
  @Get('diff')
  async diffAll(@Req() request: FastifyRequest): Promise<OwnerDiffView> {
    const query = readQuery(request, OwnerDiffQuery);
    const times = toTimes(query, this.clock);
    const scope = await this.resources.findHistoryScope(request, query.owner_id);
    return new OwnerDiffView(times, await readable(() => this.ownerTimeTravel.compareAll(scope, times)));
  }

  @Documented({ summary: 'List events, newest first', scope: 'read', query: AuditQuery, codes: UNREADABLE })
  @Get('events')
  async events(@Req() request: FastifyRequest): Promise<ListView<ListedEventView>> {
    const query = readQuery(request, AuditQuery);
    const { after, limit } = toPage(query);
    const { id, actor, type } = query;
    const times = { since: toInstant(query.since), until: toInstant(query.until) };
    const ownerId = await this.resources.findHistoryScope(request, query.owner_id);
    const filter = { ownerId, aggregates: query.aggregate?.split(','), id, actor, type, ...times };
    const before = after === null ? null : BigInt(after);
    const { events, next } = await readable(() => this.trail.list(filter, before, limit));
    const excerpts = await this.excerpts.find(events.flatMap((event) => postOf(event) ?? []));
    const items = events.map((event) => new ListedEventView(event, excerpts));
    return new ListView(items, next === null ? null : encodeCursor(String(next)));
  }

  @Documented({ summary: 'Show all events of one story', scope: 'read', codes: UNREADABLE })
  @Get('trace/:id')
  async trace(@Req() request: FastifyRequest, @Param('id') id: string): Promise<TraceView> {
    const isId = /^[\w-]{1,64}$/.test(id);
    const story = isId ? await readable(() => this.traces.find(id, getOwnerScope(request))) : null;
    if (!story) throw HttpProblem.withMessage(404, 'not_found', HISTORY_MESSAGES.noStory);
    return new TraceView(id, story.request, story.events);
  }

  @Documented({
    summary: 'Show an aggregate as it was, with its events',
    scope: 'read',
    query: AggregateHistoryQuery,
    codes: UNREADABLE,
  })
  @Get(':aggregate/:id')
  async aggregate(
    @Req() request: FastifyRequest,
    @Param('aggregate') name: string,
    @Param('id', IdPipe) id: string,
  ): Promise<AggregateHistoryView> {
    const aggregate = requireAggregate(name);
    const query = readQuery(request, AggregateHistoryQuery);
    if (query.at !== undefined && query.revision !== undefined)
      throw fieldProblem('revision', 'conflicting', HISTORY_MESSAGES.atAndRevision);
    const page = { from: BigInt(query.from ?? 0), limit: toLimit(query.limit) };
    const revision = query.revision === undefined ? undefined : BigInt(query.revision);
    const at = toInstant(query.at);
    const until = { ...(at === undefined ? {} : { at }), ...(revision === undefined ? {} : { revision }) };
    const found = await readable(() => this.timeTravel.show(aggregate, id, getOwnerScope(request), until, page));
    if (!found) throw notThen(aggregate);
    const shownAt = at ?? (revision === undefined ? this.clock.now() : found.aggregate.at);
    return new AggregateHistoryView(name, id, shownAt, found.aggregate, found.events);
  }

  @Documented({
    summary: 'Compare an aggregate at two times',
    scope: 'read',
    query: DiffQuery,
    codes: UNREADABLE,
  })
  @Get(':aggregate/:id/diff')
  async diff(
    @Req() request: FastifyRequest,
    @Param('aggregate') name: string,
    @Param('id', IdPipe) id: string,
  ): Promise<DiffView> {
    const aggregate = requireAggregate(name);
    const query = readQuery(request, DiffQuery);
    const times = toTimes(query, this.clock);
    const found = await readable(() => this.timeTravel.diff(aggregate, id, getOwnerScope(request), times));
    if (!found) throw notThen(aggregate);
    return new DiffView(name, id, found);
  }
}

/** Returns the two times to compare. @throws HttpProblem 422 if one is missing or invalid */
const toTimes = (query: DiffQuery, clock: Clock): TimeRange => {
  const from = toInstant(query.from);
  if (from === undefined) throw fieldProblem('from', 'missing', HISTORY_MESSAGES.fromMissing);
  const to = toInstant(query.to) ?? clock.now();
  if (to < from) throw fieldProblem('to', 'out_of_order', HISTORY_MESSAGES.toBeforeFrom);
  return { from, to };
};

const requireAggregate = (name: string): ShownAggregate => {
  const aggregate = findAggregate(name);
  if (aggregate) return aggregate;
  const message = HISTORY_MESSAGES.unknownAggregate({ aggregates: oneOf(AGGREGATE_NAMES) });
  throw HttpProblem.withMessage(404, 'not_found', message);
};

const notThen = ({ name }: ShownAggregate): HttpProblem =>
  HttpProblem.withMessage(404, 'not_found', HISTORY_MESSAGES.notThen({ what: name }));

/** Responds with 409 if an event is damaged or was written by a newer version of the program. */
const readable = async <T>(read: () => Promise<T>): Promise<T> => {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof UnreadableHistory)) throw error;
    throw HttpProblem.withMessage(409, 'history_unreadable', HISTORY_MESSAGES.unreadable({ reason: error.message }));
  }
};
