import { Inject, Injectable } from '@nestjs/common';
import { monthlyPostsOf } from '../../../config/limits-profile.js';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { isStoreOutage } from '../../../event-store/store-outage.js';
import type { Instant } from '../../../kernel/instant.js';
import { PlatformCatalogue } from '../../../platforms/platform-catalogue.js';
import { ActivityQueries } from '../../../projections/activity/activity.queries.js';
import { AlertQueries } from '../../../projections/activity/alerts.queries.js';
import type { OwnerRow } from '../../../projections/discovery/discovery.tables.js';
import { ResourceNames } from '../../../projections/discovery/resource-names.queries.js';
import { OpenDuplicateQueries } from '../../../projections/posts/open-duplicates.queries.js';
import { PendingApprovalQueries } from '../../../projections/posts/pending-approvals.queries.js';
import { PostExcerpts } from '../../../projections/posts/post-excerpts.queries.js';
import {
  type PublicationDetails,
  PublicationDetailsQueries,
} from '../../../projections/posts/publication-details.queries.js';
import { UsedUpOwners } from '../../../projections/posts/used-up.queries.js';
import { CountHeld } from '../../../projections/publish-schedule/held-counts.queries.js';
import { NextPublicationQueries } from '../../../projections/publish-schedule/next-publications.queries.js';
import { PlanQuotas } from '../plan-quotas.js';
import type { PublicationView } from '../posts/publication.view.js';
import { PublicationViewBuilder } from '../posts/publication-view-builder.js';
import { MOST_IDS, MOST_WAITING, type OverviewFacts } from './overview-facts.js';
import { listRecent } from './recent.js';
import { ShownTimes } from './time-series.js';
import { chooseWaiting } from './waiting.js';

/** Reads all data for an overview, in three rounds of a few queries each. */
@Injectable()
export class OverviewFactsReader {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly platforms: PlatformCatalogue,
    private readonly activity: ActivityQueries,
    private readonly alerts: AlertQueries,
    private readonly next: NextPublicationQueries,
    private readonly duplicates: OpenDuplicateQueries,
    private readonly approvals: PendingApprovalQueries,
    private readonly held: CountHeld,
    private readonly quotas: PlanQuotas,
    private readonly usedUp: UsedUpOwners,
    private readonly details: PublicationDetailsQueries,
    private readonly views: PublicationViewBuilder,
    private readonly excerpts: PostExcerpts,
    private readonly names: ResourceNames,
  ) {}

  /** @param owner null for all owners */
  async read(owner: OwnerRow | null, now: Instant): Promise<OverviewFacts> {
    const ownerId = owner?.owner_id ?? null;
    const times = new ShownTimes(now);
    const { firstMinute, firstTenMinutes } = times;
    const { ids: platforms } = this.platforms;
    const limits = { settled: MOST_IDS, waiting: MOST_WAITING };
    const [activity, alerts, next, duplicates, approvals, held, quota, waitingOwners] = await Promise.all([
      this.activity.read(ownerId, { platforms, firstMinute, firstTenMinutes, now, limits }),
      this.alerts.list(ownerId, now, MOST_IDS),
      this.next.read(ownerId, platforms, now, MOST_WAITING),
      this.duplicates.list(ownerId, MOST_IDS),
      this.approvals.list(ownerId, MOST_IDS),
      this.held.execute(ownerId),
      this.readQuota(owner, now),
      ownerId === null ? this.activity.findWaitingOwners(MOST_WAITING) : null,
    ]);
    const waiting = chooseWaiting(next.publications, activity.longestWaiting);
    const queued = [...waiting, ...(waitingOwners ?? []).map(({ publication_id }) => publication_id)];
    const settled = [activity.inDoubt, activity.failed, duplicates.publications].flatMap(([first]) => first?.id ?? []);
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
