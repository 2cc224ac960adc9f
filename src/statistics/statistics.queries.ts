import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Settings } from '../config/settings.js';
import { SETTINGS } from '../config/tokens.js';
import { CLOCK, type Clock, type Instant, iso, isoOrNull, MINUTE_MS } from '../kernel/clock.js';
import { PlatformCatalogue, Publishers } from '../platforms/platform-catalogue.js';
import type { Numbers } from '../platforms/publisher.js';
import { POOL } from '../postgres/tokens.js';
import { DISCOVERY } from '../projections/discovery/discovery.tables.js';
import { POSTS, type PublicationRow } from '../projections/posts/posts.tables.js';
import { STATISTICS_MESSAGES as MESSAGES } from './messages.js';
import { nextSampleAt, NO_NUMBERS } from './numbers.js';

/** How many people saw something, and what they did; null for a number that no network gives. */
export class NumbersView implements Numbers {
  readonly views: number | null;
  readonly reactions: number | null;
  readonly comments: number | null;
  readonly shares: number | null;

  constructor({ views, reactions, comments, shares }: Numbers) {
    this.views = views;
    this.reactions = reactions;
    this.comments = comments;
    this.shares = shares;
  }
}

type StatisticsState = 'pending' | 'ok' | 'unavailable' | 'gone' | 'off';

/** The numbers of a publication, as its network tells them (D-75). */
export class StatisticsView {
  /**
   * `pending` (not read yet), `ok`, `unavailable` (`text` says why), `gone` (missing on the network, or taken back; the
   * last numbers stay) or `off`.
   */
  readonly state: StatisticsState;
  /** Time of the numbers, ISO 8601, UTC; null if there are none. */
  readonly as_of: string | null;
  /** Null if the network does not give this number. */
  readonly views: number | null;
  readonly reactions: number | null;
  readonly comments: number | null;
  /** Reposts. */
  readonly shares: number | null;
  /** Why the numbers are not available, and what would help; null otherwise. */
  readonly text: string | null;

  constructor(state: StatisticsState, asOf: Instant | null, numbers: Numbers, text: string | null) {
    this.state = state;
    this.as_of = isoOrNull(asOf);
    this.views = numbers.views;
    this.reactions = numbers.reactions;
    this.comments = numbers.comments;
    this.shares = numbers.shares;
    this.text = text;
  }
}

/** Numbers at a time. */
export class SampleView extends NumbersView {
  /** ISO 8601, UTC. */
  readonly at: string;

  constructor(at: Instant, numbers: Numbers) {
    super(numbers);
    this.at = iso(at);
  }
}

/** The statistics of a publication, with its samples, oldest first. */
export interface CountedPublication {
  readonly statistics: StatisticsView;
  readonly samples: readonly SampleView[];
}

type Shown = Pick<PublicationRow, 'publication_id' | 'channel_id' | 'platform' | 'state' | 'published_at'>;

interface FoundRow {
  readonly publication_id: string;
  /** Null before the first sample. */
  readonly row:
    | (Numbers & {
        readonly state: 'ok' | 'unavailable' | 'gone' | null;
        readonly reason: string | null;
        readonly as_of: Instant | null;
      })
    | null;
  readonly samples: readonly (number | null)[] | null;
  /** The channel's setting; null if it is not set. */
  readonly setting: string | null;
  readonly has_channel: boolean;
}

const SAMPLE_LENGTH = 5;

/** Finds the statistics of publications. */
@Injectable()
export class PublicationStatistics {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly publishers: Publishers,
    private readonly catalogue: PlatformCatalogue,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(MINUTE_MS) private readonly minuteMs: number,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'statisticsDays'>,
  ) {}

  /** Returns the statistics by publication id. */
  async find(rows: readonly Shown[]): Promise<ReadonlyMap<string, StatisticsView>> {
    const found = await this.findRows(rows, false);
    return new Map(rows.map((row) => [row.publication_id, this.describe(row, found.get(row.publication_id))]));
  }

  async findWithSamples(rows: readonly Shown[]): Promise<ReadonlyMap<string, CountedPublication>> {
    const found = await this.findRows(rows, true);
    return new Map(
      rows.map((row) => {
        const known = found.get(row.publication_id);
        return [row.publication_id, { statistics: this.describe(row, known), samples: samplesOf(known) }];
      }),
    );
  }

  private async findRows(rows: readonly Shown[], withSamples: boolean): Promise<ReadonlyMap<string, FoundRow>> {
    if (rows.length === 0) return new Map();
    const { rows: found } = await this.pool.query<FoundRow>({
      name: `statistics of publications ${withSamples ? 'with samples' : ''}`,
      text: `
        select x.publication_id, to_jsonb(s) - 'samples' as row, ${withSamples ? 'to_jsonb(s.samples)' : 'null'} as samples,
          c.state #>> '{settings,statistics}' as setting, c.channel_id is not null as has_channel
        from unnest($1::text[], $2::text[]) x(publication_id, channel_id)
        left join ops_statistics s on s.publication_id = x.publication_id
        left join ${DISCOVERY}.channel c on c.channel_id = x.channel_id`,
      values: [rows.map(({ publication_id }) => publication_id), rows.map(({ channel_id }) => channel_id)],
    });
    return new Map(found.map((each) => [each.publication_id, each]));
  }

  private describe({ platform, state, published_at }: Shown, found: FoundRow | undefined): StatisticsView {
    const row = found?.row ?? null;
    const view = (shown: StatisticsState, text: string | null = null): StatisticsView =>
      new StatisticsView(shown, row?.as_of ?? null, row ?? NO_NUMBERS, text);
    if (state === 'withdrawn') return view('gone');
    if (this.settings.statisticsDays === 0 || found?.setting === 'off') return view('off');
    const publisher = this.publishers.get(platform);
    if (!publisher.readNumbers) {
      const network = this.catalogue.get(platform).title;
      return view('unavailable', publisher.noNumbers ?? MESSAGES.notSupported({ network }));
    }
    if (row?.state) return view(row.state, row.state === 'unavailable' ? row.reason : null);
    if (published_at === null) return view('pending');
    if (found?.has_channel === false) return view('unavailable', MESSAGES.channelDeleted);
    const hasEnded = nextSampleAt(published_at, this.clock.now(), this.minuteMs) === null;
    return hasEnded ? view('unavailable', MESSAGES.notSampled) : view('pending');
  }
}

/** Once the samples have expired, the last one is left. */
const samplesOf = (found: FoundRow | undefined): readonly SampleView[] => {
  const values = found?.samples ?? [];
  const { row } = found ?? {};
  if (values.length === 0) return row?.as_of ? [new SampleView(row.as_of, row)] : [];
  return Array.from({ length: values.length / SAMPLE_LENGTH }, (_, index) => {
    const [at, views, reactions, comments, shares] = values.slice(index * SAMPLE_LENGTH) as [
      number,
      ...(number | null)[],
    ];
    const numbers = {
      views: views ?? null,
      reactions: reactions ?? null,
      comments: comments ?? null,
      shares: shares ?? null,
    };
    return new SampleView(at, numbers);
  });
};

/** Publications by their time of publication; null or undefined for all. */
export interface StatisticsFilter {
  readonly ownerId: string | null;
  readonly projectId?: string | undefined;
  readonly channelId?: string | undefined;
  /** Inclusive. */
  readonly since: Instant;
  /** Exclusive. */
  readonly until: Instant;
}

/** Publications in a period, with the sums of their latest numbers. */
export interface CountedBucket extends Numbers {
  readonly at: Instant;
  readonly published: number;
}

/** A post with its totals. */
export interface CountedPost extends Numbers {
  readonly post_id: string;
  readonly published_at: Instant;
}

/** A publication, for the table of all numbers. */
export interface ListedPublication extends Numbers {
  readonly post_id: string;
  readonly publication_id: string;
  readonly target_id: string;
  readonly platform: string | null;
  readonly channel: string | null;
  readonly url: string | null;
  readonly published_at: Instant;
  readonly as_of: Instant | null;
}

const SUMS = `sum(s.views)::float8 as views, sum(s.reactions)::float8 as reactions, sum(s.comments)::float8 as comments,
  sum(s.shares)::float8 as shares`;

const matching = ({ ownerId, projectId, channelId, since, until }: StatisticsFilter, first: number) => {
  const values: unknown[] = [since, until];
  let text = `s.published_at >= $${first} and s.published_at < $${first + 1}`;
  for (const [column, value] of Object.entries({ owner_id: ownerId, project_id: projectId, channel_id: channelId })) {
    if (value === null || value === undefined) continue;
    values.push(value);
    text += ` and s.${column} = $${first + values.length - 1}`;
  }
  return { text, values };
};

/** Number of rows of the table of all numbers to read at a time. */
const PAGE = 2_000;

/** Reads the numbers of many publications. They appear here some seconds after publishing. */
@Injectable()
export class StatisticsQueries {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Returns the buckets with publications, in order. */
  async listBuckets(channelId: string, since: Instant, until: Instant, bucketMs: number): Promise<CountedBucket[]> {
    const { rows } = await this.pool.query<CountedBucket>({
      name: 'statistics of a channel',
      text: `select (published_at / $4::bigint * $4::bigint)::float8 as at, count(*)::int as published, ${SUMS}
             from ops_statistics s where channel_id = $1 and published_at >= $2 and published_at < $3
             group by 1 order by 1`,
      values: [channelId, since, until, bucketMs],
    });
    return rows;
  }

  /** Returns the posts with the most of one number, equal ones newest first. */
  async listTop(filter: StatisticsFilter, by: keyof Numbers, limit: number): Promise<CountedPost[]> {
    const { text, values } = matching(filter, 2);
    const { rows } = await this.pool.query<CountedPost>(
      `select post_id, min(published_at)::float8 as published_at, ${SUMS} from ops_statistics s where ${text}
       group by post_id having sum(s.${by}) is not null
       order by sum(s.${by}) desc, min(published_at) desc, post_id desc limit $1`,
      [limit, ...values],
    );
    return rows;
  }

  /** Counts publications, up to a limit. */
  async count(filter: StatisticsFilter, limit: number): Promise<number> {
    const { text, values } = matching(filter, 2);
    const { rows } = await this.pool.query<{ count: number }>(
      `select count(*)::int as count from (select from ops_statistics s where ${text} limit $1) s`,
      [limit, ...values],
    );
    return rows[0]!.count;
  }

  /** Lists publications, oldest first, in parts. */
  async *list(filter: StatisticsFilter): AsyncGenerator<readonly ListedPublication[]> {
    const { text, values } = matching(filter, 4);
    let after: readonly [number, string] = [0, ''];
    for (;;) {
      const { rows } = await this.pool.query<ListedPublication>(
        `select s.post_id, s.publication_id, s.channel_id as target_id, coalesce(p.platform, c.platform) as platform, c.name as channel,
           p.urls ->> 0 as url, s.published_at::float8 as published_at, s.as_of::float8 as as_of,
           s.views::float8 as views, s.reactions::float8 as reactions, s.comments::float8 as comments,
           s.shares::float8 as shares
         from (
           select * from ops_statistics s where ${text} and (s.published_at, s.publication_id) > ($1, $2)
           order by s.published_at, s.publication_id limit $3) s
         left join ${POSTS}.publication p on p.publication_id = s.publication_id
         left join ${DISCOVERY}.channel c on c.channel_id = s.channel_id
         order by s.published_at, s.publication_id`,
        [...after, PAGE, ...values],
      );
      if (rows.length > 0) yield rows;
      const last = rows.at(-1);
      if (!last || rows.length < PAGE) return;
      after = [last.published_at, last.publication_id];
    }
  }
}
