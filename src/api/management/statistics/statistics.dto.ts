import type { Platform } from '../../../domain/channel/channel.events.js';
import { type Instant, iso, isoOrNull } from '../../../kernel/clock.js';
import type { Numbers } from '../../../platforms/publisher.js';
import type { PublicationRow } from '../../../projections/posts/posts.tables.js';
import { NO_NUMBERS, sumNumbers } from '../../../statistics/numbers.js';
import {
  type CountedBucket,
  type CountedPost,
  type CountedPublication,
  type ListedPublication,
  NumbersView,
  type SampleView,
  type StatisticsView,
} from '../../../statistics/statistics.queries.js';
import { FIELD_MESSAGES } from '../../../validation/messages.js';
import { Must } from '../../../validation/rules.js';
import type { FieldProblem } from '../../../validation/wording.js';
import { ID_PATTERN, isTime } from '../common-fields.js';

/** A publication's statistics, with all samples that are kept. */
export class PublicationStatisticsView {
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
export class PostStatisticsView {
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
export const BUCKETS = { hour: 3_600_000, day: 86_400_000 } as const;
export const MOST_BUCKETS = 500;

/** Query parameters of a channel's statistics. */
export class ChannelStatisticsQuery {
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
export class StatisticsBucketView extends NumbersView {
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
export class ChannelStatisticsView {
  constructor(
    /** `tgt_…` */
    readonly id: string,
    readonly bucket: 'hour' | 'day',
    /** Oldest first, with the empty ones. */
    readonly buckets: readonly StatisticsBucketView[],
  ) {}
}

/** Query parameters of the table of all numbers. */
export class StatisticsQuery {
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
export class TopQuery extends StatisticsQuery {
  /** The number to compare; default `views`. Posts without it are left out. */
  @Must.beOneOf(['views', 'reactions', 'comments', 'shares'])
  readonly by: keyof Numbers | undefined;

  @Must.beAllowedBy(topComplaint, { type: 'integer', minimum: 1, maximum: MOST_TOP, default: DEFAULT_TOP })
  readonly limit: string | undefined;
}

/** Converts a checked limit of top posts. */
export const toTopLimit = (limit: string | undefined): number => (limit === undefined ? DEFAULT_TOP : Number(limit));

/** A post with its totals over the publications that match. */
export class TopPostView {
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
export class TopPostsView {
  constructor(readonly items: readonly TopPostView[]) {}
}

export const CSV_HEADER =
  'post_id,publication_id,target_id,platform,channel,url,published_at,as_of,views,reactions,comments,shares\r\n';

/** Returns a line of the table; a number that is not known is an empty cell. */
export const toCsvLine = (row: ListedPublication): string =>
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
