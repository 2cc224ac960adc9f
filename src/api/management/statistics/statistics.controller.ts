import { Readable } from 'node:stream';
import { Controller, Get, Inject, Param, Post, Req, Res, UseGuards, UseInterceptors } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CLOCK, type Clock, type Instant } from '../../../kernel/clock.js';
import { LOG, type Log } from '../../../kernel/log.js';
import { reasonOf } from '../../../kernel/result.js';
import { PostExcerpts } from '../../../projections/posts/post-details.queries.js';
import { FindPost } from '../../../projections/posts/posts.queries.js';
import type { PublicationRow } from '../../../projections/posts/posts.tables.js';
import { SampleNow } from '../../../statistics/sample-now.js';
import {
  PublicationStatistics,
  type StatisticsFilter,
  StatisticsQueries,
} from '../../../statistics/statistics.queries.js';
import { Documented } from '../../documentation/documented.js';
import { readQuery } from '../../transport/fields.js';
import { HttpProblem } from '../../transport/problem.view.js';
import { ApiKeyGuard, getListScope } from '../api-key.guard.js';
import { ChangePipeline } from '../change-pipeline.js';
import { IdPipe, toInstant } from '../common-fields.js';
import { HeavyReadTurn } from '../heavy-read-turn.js';
import { CALL_MESSAGES } from '../messages.js';
import { type Call, OfResource, type ResourceCall, TheCall } from '../owned-resources.js';
import { requirePost } from '../posts/posts.controller.js';
import {
  BUCKETS,
  ChannelStatisticsQuery,
  ChannelStatisticsView,
  CSV_HEADER,
  MOST_BUCKETS,
  PostStatisticsView,
  PublicationStatisticsView,
  StatisticsBucketView,
  StatisticsQuery,
  toCsvLine,
  TopPostsView,
  TopPostView,
  TopQuery,
  toTopLimit,
} from './statistics.dto.js';

/** Shows the numbers of a post, and reads them at once (D-75). */
@Controller('manage/v1/posts/:id/statistics')
@UseGuards(ApiKeyGuard)
export class PostStatisticsController {
  constructor(
    private readonly findPost: FindPost,
    private readonly statistics: PublicationStatistics,
    private readonly sampleNow: SampleNow,
    private readonly changes: ChangePipeline,
  ) {}

  @Documented({ summary: 'Show the numbers of a post', scope: 'read', forLimitedKeys: true })
  @Get()
  async showStatistics(@Req() request: FastifyRequest, @Param('id', IdPipe) id: string): Promise<PostStatisticsView> {
    const { publications } = await requirePost(this.findPost, request, id);
    return this.buildView(id, publications);
  }

  @Documented({
    summary: 'Read the numbers of a post now',
    scope: 'read',
    forLimitedKeys: true,
    description:
      'Asks the networks at once, at most once a minute for a post, and answers with what they say in time. It takes no turn from posts.',
    codes: { 429: ['too_soon'] },
  })
  @Post()
  async readStatistics(@TheCall() call: Call, @Param('id', IdPipe) id: string): Promise<PostStatisticsView> {
    const { publications } = await requirePost(this.findPost, call.request, id);
    return this.changes.handlePost(call, async () => {
      const seconds = await this.sampleNow.execute(id, publications);
      if (seconds !== null)
        throw HttpProblem.withRetryAfter(seconds, 429, 'too_soon', CALL_MESSAGES.sampledJustNow({ seconds }));
      // Numbers are outside the log: nothing changes there.
      return { outcome: { position: -1n }, readModels: [], show: () => this.buildView(id, publications) };
    });
  }

  private async buildView(id: string, publications: readonly PublicationRow[]): Promise<PostStatisticsView> {
    const found = await this.statistics.findWithSamples(publications);
    const views = publications.map((row) => new PublicationStatisticsView(row, found.get(row.publication_id)!));
    return new PostStatisticsView(id, views);
  }
}

/** Shows what a channel published, and the numbers of it. */
@Controller('manage/v1/channels')
@UseGuards(ApiKeyGuard)
export class ChannelStatisticsController {
  constructor(
    private readonly queries: StatisticsQueries,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Documented({
    summary: 'Show the numbers of a channel over time',
    scope: 'read',
    description: 'Publications by their time of publication, with the sums of their latest numbers.',
    query: ChannelStatisticsQuery,
    codes: { 422: ['too_many_buckets'] },
  })
  @UseInterceptors(HeavyReadTurn)
  @Get(':id/statistics')
  async showStatistics(
    @OfResource('channel') { request, id }: ResourceCall<'channel'>,
  ): Promise<ChannelStatisticsView> {
    const query = readQuery(request, ChannelStatisticsQuery);
    const { bucket = 'day' } = query;
    const { since, until } = periodOf(query, this.clock.now());
    const ms = BUCKETS[bucket];
    const first = Math.floor(since / ms) * ms;
    const size = Math.max(0, Math.ceil((until - first) / ms));
    if (size > MOST_BUCKETS) {
      const message = CALL_MESSAGES.tooManyBuckets({ size, limit: MOST_BUCKETS });
      throw HttpProblem.withMessage(422, 'too_many_buckets', message);
    }
    const found = new Map((await this.queries.listBuckets(id, since, until, ms)).map((each) => [each.at, each]));
    const times = Array.from({ length: size }, (_, index) => first + index * ms);
    return new ChannelStatisticsView(
      id,
      bucket,
      times.map((at) => new StatisticsBucketView(at, found.get(at))),
    );
  }
}

const MOST_ROWS = 100_000;

/** Compares posts, and lists all numbers. */
@Controller('manage/v1')
@UseGuards(ApiKeyGuard)
export class StatisticsController {
  constructor(
    private readonly queries: StatisticsQueries,
    private readonly excerpts: PostExcerpts,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  @Documented({ summary: 'List the posts with the highest numbers', scope: 'read', query: TopQuery })
  @UseInterceptors(HeavyReadTurn)
  @Get('statistics/top')
  async top(@Req() request: FastifyRequest): Promise<TopPostsView> {
    const query = readQuery(request, TopQuery);
    const filter = this.readFilter(request, query);
    const posts = await this.queries.listTop(filter, query.by ?? 'views', toTopLimit(query.limit));
    const excerpts = await this.excerpts.find(posts.map(({ post_id }) => post_id));
    return new TopPostsView(posts.map((post) => new TopPostView(post, excerpts.get(post.post_id) ?? null)));
  }

  @Documented({
    summary: 'Export the numbers of all publications as CSV',
    scope: 'read',
    description:
      'Oldest first, in UTF-8. A number that the network does not give is empty. A cell that a spreadsheet would take for a formula begins with an apostrophe.',
    query: StatisticsQuery,
    answer: 'text/csv',
    codes: { 422: ['too_many_rows'] },
  })
  @UseInterceptors(HeavyReadTurn)
  @Get('statistics.csv')
  async csv(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Readable> {
    const filter = this.readFilter(request, readQuery(request, StatisticsQuery));
    if ((await this.queries.count(filter, MOST_ROWS + 1)) > MOST_ROWS)
      throw HttpProblem.withMessage(422, 'too_many_rows', CALL_MESSAGES.tooManyRows({ limit: MOST_ROWS }));
    reply.header('content-type', 'text/csv; charset=utf-8');
    const body = Readable.from(this.listLines(filter), { objectMode: false });
    body.on('error', (error) => this.log.warn({ reason: reasonOf(error) }, 'an export of numbers was interrupted'));
    return body;
  }

  private async *listLines(filter: StatisticsFilter): AsyncGenerator<string> {
    yield CSV_HEADER;
    for await (const rows of this.queries.list(filter)) yield rows.map(toCsvLine).join('');
  }

  private readFilter(request: FastifyRequest, query: StatisticsQuery): StatisticsFilter {
    const { owner_id, project_id: projectId, channel_id: channelId } = query;
    const ownerId = getListScope(request, owner_id);
    return { ownerId, projectId, channelId, ...periodOf(query, this.clock.now()) };
  }
}

const DEFAULT_DAYS = 30;

const periodOf = (
  query: { readonly since: string | undefined; readonly until: string | undefined },
  now: Instant,
): { readonly since: Instant; readonly until: Instant } => {
  const until = toInstant(query.until) ?? now;
  return { since: toInstant(query.since) ?? until - DEFAULT_DAYS * BUCKETS.day, until };
};
