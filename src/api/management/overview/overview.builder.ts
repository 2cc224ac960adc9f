import { Inject, Injectable } from '@nestjs/common';
import { EVENT_STORE, type EventStore } from '../../../event-store/port.js';
import { type Clock, CLOCK } from '../../../kernel/clock.js';
import { iso } from '../../../kernel/instant.js';
import { PlatformCatalogue } from '../../../platforms/platform-catalogue.js';
import { ActivityQueries } from '../../../projections/activity/activity.queries.js';
import type { OwnerRow } from '../../../projections/discovery/discovery.tables.js';
import { ProjectionProgress } from '../../../projections/engine/progress.js';
import { NextPublications } from '../../../projections/publish-schedule/next-publications.queries.js';
import { PlanQuotas } from '../plan-quotas.js';
import { AttentionBuilder } from './attention.builder.js';
import { ChecksBuilder } from './checks.builder.js';
import { buildNetworks } from './networks.js';
import type { CurrentOverviewView } from './overview.view.js';
import { RecentBuilder } from './recent.builder.js';
import { buildDay, buildMinutes, ShownTimes } from './time-series.js';
import { WaitingBuilder } from './waiting.builder.js';

const READ_MODELS = ['activity', 'discovery', 'posts', 'publish-schedule'];

/** Longest wait for the read models to show what is in the log, ms: an overview of a moment ago is better than a late one. */
const CATCH_UP_MS = 300;

/** Builds the overview of an owner, or of all owners. */
@Injectable()
export class OverviewBuilder {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly progress: ProjectionProgress,
    private readonly platforms: PlatformCatalogue,
    private readonly activity: ActivityQueries,
    private readonly next: NextPublications,
    private readonly quotas: PlanQuotas,
    private readonly attention: AttentionBuilder,
    private readonly waiting: WaitingBuilder,
    private readonly recent: RecentBuilder,
    private readonly checks: ChecksBuilder,
  ) {}

  /** @param owner null: all owners */
  async build(role: CurrentOverviewView['role'], owner: OwnerRow | null): Promise<CurrentOverviewView> {
    await this.progress.waitUntilCaughtUp(READ_MODELS, this.store, CATCH_UP_MS);
    const now = this.clock.now();
    const ownerId = owner?.owner_id ?? null;
    const [main, waiting, recent, operator] = await Promise.all([
      this.buildMain(owner, now),
      this.waiting.build(ownerId, now),
      this.recent.build(ownerId),
      role === 'operator' ? this.checks.build(now) : null,
    ]);
    return {
      at: iso(now),
      role,
      owner: main.owner,
      attention: [...main.attention, ...(operator?.attention ?? [])],
      networks: main.networks,
      waiting,
      minutes: main.minutes,
      day: main.day,
      recent,
      checks: operator?.checks ?? null,
      longest: ownerId === null ? await this.waiting.buildLongest() : null,
    };
  }

  private async buildMain(owner: OwnerRow | null, now: number) {
    const times = new ShownTimes(now);
    const ownerId = owner?.owner_id ?? null;
    const { ids: platforms } = this.platforms;
    const [counts, left] = await Promise.all([
      this.activity.readCounts(ownerId, times),
      owner && this.quotas.findPostsLeft([owner]),
    ]);
    const networks = await buildNetworks(
      { activity: this.activity, next: this.next },
      ownerId,
      platforms,
      counts,
      times,
    );
    const postsLeft = owner && left!.get(owner.owner_id)!;
    const usedUp = owner && postsLeft?.left === 0 ? { ...owner, postsLeft } : null;
    return {
      owner: owner &&
        postsLeft && {
          ...{ id: owner.owner_id, name: owner.name, plan: owner.plan, posts_left: postsLeft.left },
          ...{ posts_used: postsLeft.used, resets_at: iso(postsLeft.resetsAt) },
        },
      attention: await this.attention.build({ ownerId, now, usedUp, networks }),
      networks,
      minutes: buildMinutes(counts, times),
      day: buildDay(counts, times),
    };
  }
}
