import { Readable } from 'node:stream';
import { Controller, Get, Inject, Post, Req, Res, UseGuards, UseInterceptors } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Platform } from '../../../domain/channel/channel.events.js';
import { CLOCK, type Clock, type Instant, iso, isoOrNull } from '../../../kernel/clock.js';
import { LOG, type Log } from '../../../kernel/log.js';
import { reasonOf } from '../../../kernel/result.js';
import type { Numbers } from '../../../platforms/publisher.js';
import { PostExcerpts } from '../../../projections/posts/post-details.queries.js';
import type { PublicationRow } from '../../../projections/posts/posts.tables.js';
import { NO_NUMBERS, sumNumbers } from '../../../statistics/numbers.js';
import { SampleNow } from '../../../statistics/sample-now.js';
import {
  type CountedBucket,
  type CountedPost,
  type CountedPublication,
  type ListedPublication,
  NumbersView,
  PublicationStatistics,
  type SampleView,
  type StatisticsFilter,
  StatisticsQueries,
  type StatisticsView,
} from '../../../statistics/statistics.queries.js';
import { FIELD_MESSAGES } from '../../../validation/messages.js';
import { Must } from '../../../validation/rules.js';
import type { FieldProblem } from '../../../validation/wording.js';
import { Documented } from '../../documentation/documented.js';
import { readQuery } from '../../transport/fields.js';
import { HttpProblem } from '../../transport/problem.view.js';
import { ApiKeyGuard, getListScope, HeavyReadTurn } from '../api-key.guard.js';
import { ChangePipeline } from '../change-pipeline.js';
import { ID_PATTERN, isTime, toInstant } from '../common-fields.js';
import { CALL_MESSAGES } from '../messages.js';
import { OfPost, OfResource, type PostCall, type ResourceCall } from '../owned-resources.js';

/** A publication's statistics, with all samples that are kept. */
class PublicationStatisticsView {
  /** `pub_…` */
  readonly id: string;
  /** The channel. */
  readonly target_id: string;
  readonly platform: Platform;
  readonly statistics: StatisticsView;
  /** Oldest first; once they have expired, only the last. */
  readonly samples: readonly SampleView[];

  constructor(row: PublicationRow, { statistics, samples }: CountedPublication) {
    this.id = row.publication_id;
    this.target_id = row.channel_id;
    this.platform = row.platform;
    this.statistics = statistics;
    this.samples = samples;
  }
}

/** The numbers of a post on all channels. */
class PostStatisticsView {
  /** Sums over the publications; a total is null if all its parts are. */
  readonly totals: NumbersView;
  readonly publications: readonly PublicationStatisticsView[];

  constructor(
    /** `post_…` */
    readonly id: string,
    publications: readonly PublicationStatisticsView[],
  ) {
    this.totals = new NumbersView(sumNumbers(publications.map(({ statistics }) => statistics)));
    this.publications = publications;
  }
}

/** Lengths of a bucket, in ms. */
const BUCKETS = { hour: 3_600_000, day: 86_400_000 } as const;
const MOST_BUCKETS = 500;

/** Query parameters of a channel's statistics. */
class ChannelStatisticsQuery {
  /** Publications at this time or later. Default: 30 days before `until`. */
  @isTime()
  readonly since: string | undefined;

  /** Publications before this time. Default: now. */
  @isTime()
  readonly until: string | undefined;

  /** Length of a bucket; default `day`. Days are UTC. */
  @Must.beOneOf(['hour', 'day'])
  readonly bucket: keyof typeof BUCKETS | undefined;
}

/** What a channel published in a period, with the sums of the latest numbers. */
class StatisticsBucketView extends NumbersView {
  /** Start of the bucket (ISO 8601, UTC). */
  readonly at: string;
  /** Number of publications. */
  readonly published: number;

  constructor(at: Instant, found: CountedBucket | undefined) {
    super(found ?? NO_NUMBERS);
    this.at = iso(at);
    this.published = found?.published ?? 0;
  }
}

/** A channel's statistics over time. */
class ChannelStatisticsView {
  constructor(
    /** `tgt_…` */
    readonly id: string,
    readonly bucket: 'hour' | 'day',
    /** Oldest first, with the empty ones. */
    readonly buckets: readonly StatisticsBucketView[],
  ) {}
}

/** Query parameters of the table of all numbers. */
class StatisticsQuery {
  /** Operators may omit it to see all owners; owners may pass only their own id. */
  @Must.match(ID_PATTERN, 'an id such as own_…')
  readonly owner_id: string | undefined;

  @Must.match(ID_PATTERN, 'an id such as prj_…')
  readonly project_id: string | undefined;

  @Must.match(ID_PATTERN, 'an id such as tgt_…')
  readonly channel_id: string | undefined;

  /** Publications at this time or later. Default: 30 days before `until`. */
  @isTime()
  readonly since: string | undefined;

  /** Publications before this time. Default: now. */
  @isTime()
  readonly until: string | undefined;
}

const MOST_TOP = 50;
const DEFAULT_TOP = 10;

const topComplaint = (value: unknown): FieldProblem | undefined =>
  typeof value === 'string' && /^\d{1,2}$/.test(value) && Number(value) >= 1 && Number(value) <= MOST_TOP
    ? undefined
    : { code: 'out_of_range', predicate: FIELD_MESSAGES.badLimit({ limit: MOST_TOP }) };

/** Query parameters of the top posts. */
class TopQuery extends StatisticsQuery {
  /** The number to compare; default `views`. Posts without it are left out. */
  @Must.beOneOf(['views', 'reactions', 'comments', 'shares'])
  readonly by: keyof Numbers | undefined;

  @Must.beAllowedBy(topComplaint, { type: 'integer', minimum: 1, maximum: MOST_TOP, default: DEFAULT_TOP })
  readonly limit: string | undefined;
}

/** Converts a checked limit of top posts. */
const toTopLimit = (limit: string | undefined): number => (limit === undefined ? DEFAULT_TOP : Number(limit));

/** A post with its totals over the publications that match. */
class TopPostView {
  readonly post_id: string;
  /** The first 120 UTF-16 units of the text, cut at a grapheme boundary; null if it has no text. */
  readonly excerpt: string | null;
  /** Time of the first publication, ISO 8601, UTC. */
  readonly published_at: string;
  readonly totals: NumbersView;

  constructor(post: CountedPost, excerpt: string | null) {
    this.post_id = post.post_id;
    this.excerpt = excerpt;
    this.published_at = iso(post.published_at);
    this.totals = new NumbersView(post);
  }
}

/** Posts with the highest number first, equal ones newest first. */
class TopPostsView {
  constructor(readonly items: readonly TopPostView[]) {}
}

const CSV_HEADER =
  'post_id,publication_id,target_id,platform,channel,url,published_at,as_of,views,reactions,comments,shares\r\n';

/** Returns a line of the table; a number that is not known is an empty cell. */
const toCsvLine = (row: ListedPublication): string =>
  [
    ...[row.post_id, row.publication_id, row.target_id, row.platform, row.channel, row.url],
    ...[iso(row.published_at), isoOrNull(row.as_of), row.views, row.reactions, row.comments, row.shares],
  ]
    .map(toCell)
    .join() + '\r\n';

const toCell = (value: string | number | null): string => {
  if (value === null) return '';
  const text = String(value);
  // A spreadsheet would take the cell for a formula.
  const safe = /^[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** Shows the numbers of a post, and reads them at once (D-75). */
@Controller('manage/v1/posts/:id/statistics')
@UseGuards(ApiKeyGuard)
export class PostStatisticsController {
  constructor(
    private readonly statistics: PublicationStatistics,
    private readonly sampleNow: SampleNow,
    private readonly changes: ChangePipeline,
  ) {}

  @Documented({ summary: 'Show the numbers of a post', scope: 'read', forLimitedKeys: true })
  @Get()
  showStatistics(@OfPost() { id, found }: PostCall): Promise<PostStatisticsView> {
    return this.buildView(id, found.publications);
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
  async readStatistics(@OfPost() call: PostCall): Promise<PostStatisticsView> {
    const { publications } = call.found;
    return this.changes.handlePost(call, async () => {
      const seconds = await this.sampleNow.execute(call.id, publications);
      if (seconds !== null)
        throw HttpProblem.withRetryAfter(seconds, 429, 'too_soon', CALL_MESSAGES.sampledJustNow({ seconds }));
      // Numbers are outside the log: nothing changes there.
      return { outcome: { position: -1n }, readModels: [], show: () => this.buildView(call.id, publications) };
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
