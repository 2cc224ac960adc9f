import { Inject, Injectable } from '@nestjs/common';
import { monthlyPostsOf } from '../../../config/limits-profile.js';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import type { PostsLeft } from '../../../domain/owner/monthly-quota.js';
import { SLOW_WITHDRAWAL_MINUTES } from '../../../domain/publication/publication.events.js';
import { isStoreOutage } from '../../../event-store/port.js';
import { type Instant, iso, MINUTE_MS } from '../../../kernel/clock.js';
import { MonthlyQuota } from '../../../limits/monthly-quota.js';
import { PlatformCatalogue } from '../../../platforms/platform-catalogue.js';
import {
  type Activity,
  ActivityQueries,
  AlertQueries,
  type Alerts,
  type WaitingOwner,
} from '../../../projections/activity/activity.queries.js';
import type { FeedRow } from '../../../projections/activity/activity.tables.js';
import type { OwnerRow } from '../../../projections/discovery/discovery.tables.js';
import { ResourceNames } from '../../../projections/discovery/references.queries.js';
import { PostExcerpts } from '../../../projections/posts/post-details.queries.js';
import { PendingApprovalQueries, type PendingApprovals } from '../../../projections/posts/posts.queries.js';
import {
  OpenPublicationQueries,
  type OpenPublications,
  OpenWithdrawalQueries,
  type PublicationDetails,
  PublicationDetailsQueries,
} from '../../../projections/posts/publications.queries.js';
import { type UsedUpOwner, UsedUpOwners } from '../../../projections/posts/usage.queries.js';
import { CountHeld, type HeldCounts } from '../../../projections/publish-schedule/holds.queries.js';
import {
  NextPublicationQueries,
  type NextPublications,
} from '../../../projections/publish-schedule/next-publications.queries.js';
import { type PublicationView, PublicationViewBuilder, type WaitingForView } from '../posts/publication.view.js';
import type {
  LongestWaitView,
  MinuteView,
  RecentView,
  TenMinutesView,
  WaitingPublicationView,
} from './overview.view.js';

/** Maximum number of ids in an attention item. */
export const MOST_IDS = 20;
/** Maximum number of waiting publications, and of longest-waiting owners, to show. */
export const MOST_WAITING = 10;

/** The data that an overview is built from. */
export interface OverviewFacts {
  readonly times: ShownTimes;
  /** Identifiers of the networks. */
  readonly platforms: readonly string[];
  /** Null if all owners are shown. */
  readonly owner: (OwnerRow & { readonly postsLeft: PostsLeft }) | null;
  readonly activity: Activity;
  readonly alerts: Alerts;
  readonly next: NextPublications;
  readonly duplicates: OpenPublications;
  /** Publications whose newest content the network refused. */
  readonly failedEdits: OpenPublications;
  readonly withdrawals: OpenPublications;
  readonly approvals: PendingApprovals;
  readonly held: HeldCounts;
  /** Owners who have used up their quota, and when they did; earliest first. */
  readonly usedUp: readonly (UsedUpOwner & { readonly since: Instant })[];
  /** Number of queued publications of the first channel that needs attention; null if no channel needs attention. */
  readonly waitingOnChannel: number | null;
  /** Owners whose publications have waited longest; null unless all owners are shown. */
  readonly waitingOwners: readonly WaitingOwner[] | null;
  /** Ids of the waiting publications to show. */
  readonly waiting: readonly string[];
  /** Details of the publications to describe, by id. */
  readonly details: ReadonlyMap<string, PublicationDetails>;
  /** Views of the queued publications, by id; empty while the event store cannot be read. */
  readonly views: ReadonlyMap<string, PublicationView>;
  /** The first characters of posts, by post id. */
  readonly excerpts: ReadonlyMap<string, string | null>;
  /** Names of the resources in the feed. */
  readonly names: ReadonlyMap<string, string>;
}

/** Maximum number of entries to show. */
const SHOWN = 20;

/** Picks the feed entries to show, newest first: only the latest entry per publication or resource. */
export const listRecent = (feed: readonly FeedRow[]): FeedRow[] => {
  const seen = new Set<string>();
  return feed
    .toSorted((a, b) => b.number - a.number)
    .filter(({ subject_id }) => !seen.has(subject_id) && seen.add(subject_id))
    .slice(0, SHOWN);
};

/** Builds the views of the latest feed entries. */
export const buildRecent = ({ activity, excerpts, names }: OverviewFacts): RecentView[] =>
  listRecent(activity.feed).map(({ at, kind, platform, post_id, subject_id }) => {
    const isPublication = post_id !== null;
    return {
      at: iso(at),
      kind,
      platform,
      post_id,
      publication_id: isPublication ? subject_id : null,
      excerpt: isPublication ? (excerpts.get(post_id) ?? null) : null,
      resource_id: isPublication ? null : subject_id,
      name: isPublication ? null : (names.get(subject_id) ?? null),
    };
  });

const MINUTE = 60_000;
const TEN_MINUTES = 10 * MINUTE;
/** Number of minutes to show. */
export const MINUTES = 60;
const TENS = 144;

/**
 * The time intervals shown in an overview, in UTC. The last minute and the last ten-minute interval are still in
 * progress.
 */
export class ShownTimes {
  readonly firstMinute: Instant;
  readonly firstTenMinutes: Instant;

  constructor(readonly now: Instant) {
    this.firstMinute = now - (now % MINUTE) - (MINUTES - 1) * MINUTE;
    this.firstTenMinutes = now - (now % TEN_MINUTES) - (TENS - 1) * TEN_MINUTES;
  }

  /** Returns the zero-based index of a minute among the shown minutes. */
  placeOf(at: Instant): number {
    return (at - this.firstMinute) / MINUTE;
  }
}

/** Builds the views of the last 60 minutes, with totals across all networks. */
export const buildMinutes = ({ activity: { minutes }, times }: OverviewFacts): MinuteView[] => {
  const views = Array.from({ length: MINUTES }, (_, i) => ({
    at: iso(times.firstMinute + i * MINUTE),
    published: 0,
    failed: 0,
    in_doubt: 0,
  }));
  for (const { at, published, failed, in_doubt } of minutes) {
    const view = views[times.placeOf(at)]!;
    view.published += published;
    view.failed += failed;
    view.in_doubt += in_doubt;
  }
  return views;
};

/** Builds the views of the last 144 ten-minute intervals. */
export const buildDay = ({ activity: { tenMinutes }, times }: OverviewFacts): TenMinutesView[] => {
  const byTime = new Map(tenMinutes.map((row) => [row.at, row]));
  return Array.from({ length: TENS }, (_, i) => {
    const at = times.firstTenMinutes + i * TEN_MINUTES;
    const { events = 0, failed = 0, in_doubt = 0 } = byTime.get(at) ?? {};
    return { at: iso(at), events, failed, in_doubt };
  });
};

/** Number of entries reserved for the publications that have waited longest. */
const LONGEST = 3;
/** Rules that hold publications until a person acts or, for `quota`, until the next month. */
const NEEDS_PERSON: ReadonlySet<WaitingForView['rule']> = new Set(['needs_attention', 'quota', 'restored']);

/** Chooses the publications to show: mostly the next ones due, plus a few that have waited longest. */
export const chooseWaiting = (next: readonly string[], longest: readonly string[]): string[] => {
  const chosen = new Set(next.slice(0, MOST_WAITING - LONGEST));
  for (const id of [...longest.slice(0, LONGEST), ...next, ...longest]) if (chosen.size < MOST_WAITING) chosen.add(id);
  return [...chosen];
};

/** Builds the views of waiting publications, in the order in which they are expected to be published. */
export const buildWaiting = ({ waiting, details, views, excerpts, times }: OverviewFacts): WaitingPublicationView[] => {
  const shown = waiting.flatMap((id) => {
    const [view, found] = [views.get(id), details.get(id)];
    if (!view || !found) return [];
    const channel = { id: view.target_id, name: found.channel_name };
    return [{ ...view, excerpt: excerpts.get(view.post_id) ?? null, accepted_at: iso(found.accepted_at), channel }];
  });
  return shown.toSorted((a, b) => compare(goesAt(a, times.now), goesAt(b, times.now)) || compareAge(a, b));
};

/** Builds the list of owners whose publications have waited longest; null unless all owners are shown. */
export const buildLongest = ({ waitingOwners, views }: OverviewFacts): LongestWaitView[] | null =>
  waitingOwners &&
  waitingOwners.map(({ owner_id, owner_name, publication_id, platform, posts, oldest_at }) => ({
    owner_id,
    owner_name,
    platform,
    posts,
    oldest_at: iso(oldest_at),
    rule: views.get(publication_id)?.waiting_for?.rule ?? null,
  }));

/**
 * Returns when a publication is expected to go out: now if unknown, `Infinity` if a {@link NEEDS_PERSON} rule holds it.
 */
const goesAt = ({ waiting_for }: WaitingPublicationView, now: Instant): Instant => {
  if (waiting_for && NEEDS_PERSON.has(waiting_for.rule)) return Infinity;
  const until = waiting_for?.until ?? null;
  return until === null ? now : Date.parse(until);
};

const compareAge = (a: WaitingPublicationView, b: WaitingPublicationView): number =>
  compare(a.accepted_at, b.accepted_at) || (a.sequence ?? 0) - (b.sequence ?? 0);

const compare = <T extends string | number>(a: T, b: T): number => {
  if (a === b) return 0;
  return a < b ? -1 : 1;
};

/** Reads all data for an overview, in three rounds of a few queries each. */
@Injectable()
export class OverviewFactsReader {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly platforms: PlatformCatalogue,
    private readonly activity: ActivityQueries,
    private readonly alerts: AlertQueries,
    private readonly next: NextPublicationQueries,
    private readonly open: OpenPublicationQueries,
    private readonly withdrawals: OpenWithdrawalQueries,
    private readonly approvals: PendingApprovalQueries,
    private readonly held: CountHeld,
    private readonly quotas: MonthlyQuota,
    private readonly usedUp: UsedUpOwners,
    private readonly details: PublicationDetailsQueries,
    private readonly views: PublicationViewBuilder,
    private readonly excerpts: PostExcerpts,
    private readonly names: ResourceNames,
    @Inject(MINUTE_MS) private readonly minuteMs: number,
  ) {}

  /** @param owner null for all owners */
  async read(owner: OwnerRow | null, now: Instant): Promise<OverviewFacts> {
    const ownerId = owner?.owner_id ?? null;
    const times = new ShownTimes(now);
    const { firstMinute, firstTenMinutes } = times;
    const { ids: platforms } = this.platforms;
    const limits = { settled: MOST_IDS, waiting: MOST_WAITING };
    const [activity, alerts, next, duplicates, failedEdits, withdrawals, approvals, held, quota, waitingOwners] =
      await Promise.all([
        this.activity.read(ownerId, { platforms, firstMinute, firstTenMinutes, now, limits }),
        this.alerts.list(ownerId, now, MOST_IDS),
        this.next.read(ownerId, platforms, now, MOST_WAITING),
        this.open.list('duplicate_since', ownerId, MOST_IDS),
        this.open.list('edit_failed_since', ownerId, MOST_IDS),
        this.withdrawals.list(ownerId, now - SLOW_WITHDRAWAL_MINUTES * this.minuteMs, MOST_IDS),
        this.approvals.list(ownerId, MOST_IDS),
        this.held.execute(ownerId),
        this.readQuota(owner, now),
        ownerId === null ? this.activity.findWaitingOwners(MOST_WAITING) : null,
      ]);
    const waiting = chooseWaiting(next.publications, activity.longestWaiting);
    const queued = [...waiting, ...(waitingOwners ?? []).map(({ publication_id }) => publication_id)];
    const settled = [
      activity.inDoubt,
      activity.failed,
      duplicates.publications,
      failedEdits.publications,
      withdrawals.publications,
    ].flatMap(([first]) => first?.id ?? []);
    const recent = listRecent(activity.feed);
    const [channel] = alerts.channel.alerts;
    const [details, waitingOnChannel, names] = await Promise.all([
      this.details.find([...new Set([...queued, ...settled])]),
      channel === undefined ? null : this.alerts.countWaiting(channel.id),
      this.names.find(recent.flatMap(({ post_id, subject_id }) => (post_id === null ? [subject_id] : []))),
    ]);
    const posts = [...details.values()].map(({ row }) => row.post_id);
    const pending = approvals.posts.slice(0, 1).map(({ post_id }) => post_id);
    const [views, excerpts] = await Promise.all([
      this.buildViews([...details.values()]),
      this.excerpts.find([...posts, ...pending, ...recent.flatMap(({ post_id }) => post_id ?? [])]),
    ]);
    return {
      times,
      platforms,
      activity,
      alerts,
      next,
      duplicates,
      failedEdits,
      withdrawals,
      approvals,
      held,
      ...quota,
      waitingOnChannel,
      waitingOwners,
      waiting,
      details,
      views,
      excerpts,
      names,
    };
  }

  /** Finds used-up quotas. Assumes that each was used up by the owner's latest publication. */
  private async readQuota(owner: OwnerRow | null, now: Instant): Promise<Pick<OverviewFacts, 'owner' | 'usedUp'>> {
    const postsLeft = owner && (await this.quotas.findPostsLeft([owner])).get(owner.owner_id)!;
    const found = owner && postsLeft && { ...owner, postsLeft };
    const usedUp = found ? [found].filter(({ postsLeft: { left } }) => left === 0) : await this.findUsedUp(now);
    const published = await this.activity.findLastPublished(usedUp.map(({ owner_id }) => owner_id));
    const dated = usedUp.map((each) => ({ ...each, since: published.get(each.owner_id) ?? now }));
    return { owner: found, usedUp: dated.toSorted((a, b) => a.since - b.since) };
  }

  private findUsedUp(now: Instant) {
    return this.usedUp.find(now, monthlyPostsOf(this.settings.limitsProfile));
  }

  /**
   * Builds the views of queued publications; empty while the event store, where the reasons for waits are recorded,
   * cannot be read.
   */
  private async buildViews(details: readonly PublicationDetails[]): Promise<Map<string, PublicationView>> {
    const queued = details.flatMap(({ row }) => (row.state === 'queued' ? [row] : []));
    try {
      return new Map((await this.views.buildViews(queued)).map((view) => [view.id, view]));
    } catch (error) {
      if (isStoreOutage(error)) return new Map();
      throw error;
    }
  }
}
