import { Inject, Injectable } from '@nestjs/common';
import { EVENT_STORE, type EventStore } from '../../../event-store/port.js';
import { CLOCK, type Clock } from '../../../kernel/clock.js';
import { iso } from '../../../kernel/instant.js';
import { PlatformCatalogue } from '../../../platforms/platform-catalogue.js';
import { FindResource } from '../../../projections/discovery/discovery.queries.js';
import { ProjectionProgress } from '../../../projections/engine/progress.js';
import { notFoundProblem } from '../http-problems.js';
import { buildAttention } from './attention.js';
import { ChecksBuilder } from './checks.builder.js';
import { buildNetworks } from './networks.js';
import type { CurrentOverviewView, OverviewOwner } from './overview.view.js';
import type { OverviewFacts } from './overview-facts.js';
import { OverviewFactsReader } from './overview-facts.reader.js';
import { buildRecent } from './recent.js';
import { buildDay, buildMinutes } from './time-series.js';
import { buildLongest, buildWaiting } from './waiting.js';

const READ_MODELS = ['activity', 'discovery', 'posts', 'publish-schedule'];
/** Longest wait for the read models, in ms: a slightly stale overview is better than a late one. */
const CATCH_UP_MS = 300;

/** Builds the overview of an owner, or of all owners. */
@Injectable()
export class OverviewBuilder {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly progress: ProjectionProgress,
    private readonly platforms: PlatformCatalogue,
    private readonly findResource: FindResource,
    private readonly facts: OverviewFactsReader,
    private readonly checks: ChecksBuilder,
  ) {}

  /** @param ownerId null for all owners @throws HttpProblem 404 */
  async build(role: CurrentOverviewView['role'], ownerId: string | null): Promise<CurrentOverviewView> {
    await this.progress.waitUntilCaughtUp(READ_MODELS, this.store, CATCH_UP_MS);
    const now = this.clock.now();
    const owner = ownerId === null ? null : await this.findResource.execute('owner', ownerId, ownerId);
    if (ownerId !== null && owner === null) throw notFoundProblem('owner');
    const [facts, operator] = await Promise.all([
      this.facts.read(owner, now),
      role === 'operator' ? this.checks.build(now) : null,
    ]);
    return {
      at: iso(now),
      role,
      owner: buildOwner(facts),
      attention: [...buildAttention(facts, (platform) => this.titleOf(platform)), ...(operator?.attention ?? [])],
      networks: buildNetworks(facts),
      waiting: buildWaiting(facts),
      minutes: buildMinutes(facts),
      day: buildDay(facts),
      recent: buildRecent(facts),
      checks: operator?.checks ?? null,
      longest: buildLongest(facts),
    };
  }

  private titleOf(platform: string | null): string {
    return platform === null ? '' : (this.platforms.find(platform)?.title ?? platform);
  }
}

const buildOwner = ({ owner }: OverviewFacts): OverviewOwner | null =>
  owner && {
    id: owner.owner_id,
    name: owner.name,
    plan: owner.plan,
    posts_left: owner.postsLeft.left,
    posts_used: owner.postsLeft.used,
    resets_at: iso(owner.postsLeft.resetsAt),
  };
