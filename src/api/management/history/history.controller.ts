import { Controller, Get, Inject, Param, Req, UseGuards, UseInterceptors } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AGGREGATE_NAMES, findAggregate } from '../../../history/aggregates/catalogue.js';
import { AuditTrail } from '../../../history/audit-trail/audit-trail.js';
import { UnreadableHistory } from '../../../history/read-log.js';
import type { TimeRange } from '../../../history/time-travel/diff.js';
import { OwnerTimeTravel } from '../../../history/time-travel/owner-time-travel.js';
import { TimeTravel } from '../../../history/time-travel/time-travel.js';
import { Traces } from '../../../history/trace/traces.js';
import { CLOCK, type Clock } from '../../../kernel/clock.js';
import type { ShownAggregate } from '../../../kernel/events.js';
import { oneOf } from '../../../kernel/message.js';
import { PostExcerpts } from '../../../projections/posts/post-details.queries.js';
import { Documented } from '../../documentation/documented.js';
import { readQuery } from '../../transport/fields.js';
import { encodeCursor, ListView, toLimit, toPage } from '../../transport/page.js';
import { HttpProblem } from '../../transport/problem.view.js';
import { ApiKeyGuard, getOwnerScope } from '../api-key.guard.js';
import { IdPipe, toInstant } from '../common-fields.js';
import { HeavyReadTurn } from '../heavy-read-turn.js';
import { fieldProblem } from '../http-problems.js';
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
