import { Controller, Get, Inject, Injectable, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { EVENT_STORE, type EventStore } from '../../../event-store/port.js';
import { Readiness, type ReadinessReport } from '../../../health/readiness.js';
import type { LogHead } from '../../../history/transparency-log/log-tables.js';
import { TransparencyLog } from '../../../history/transparency-log/transparency-log.js';
import { CLOCK, type Clock, type Instant, iso, isoOrNull } from '../../../kernel/clock.js';
import { PlatformCatalogue } from '../../../platforms/platform-catalogue.js';
import { findPercentile } from '../../../projections/activity/activity.queries.js';
import { FindResource } from '../../../projections/discovery/discovery.queries.js';
import { ProjectionProgress } from '../../../projections/engine/progress.js';
import { ProjectionStatuses } from '../../../projections/engine/projection-status.queries.js';
import { Documented } from '../../documentation/documented.js';
import { readQuery } from '../../transport/fields.js';
import { notFoundProblem } from '../../transport/problem.view.js';
import { ApiKeyGuard, getListScope, getOwnerScope } from '../api-key.guard.js';
import { OwnerQuery } from '../common-fields.js';
import { OVERVIEW_MESSAGES as TEXTS } from '../messages.js';
import { buildAttention, buildStopped, buildStoreUnavailable } from './attention.js';
import type {
  AttentionItemView,
  CheckView,
  CurrentOverviewView,
  NetworkState,
  NetworkView,
  OverviewOwner,
} from './overview.view.js';
import {
  buildDay,
  buildLongest,
  buildMinutes,
  buildRecent,
  buildWaiting,
  MINUTES,
  type OverviewFacts,
  OverviewFactsReader,
} from './overview-facts.js';

const FINE = 'ok';
const NO_FIGURES = { latency_ms: null, position: null, degraded: [] };

/** Builds the gateway health checks for the operator, and the related attention items. */
@Injectable()
export class ChecksBuilder {
  constructor(
    private readonly readiness: Readiness,
    private readonly projections: ProjectionStatuses,
    private readonly log: TransparencyLog,
  ) {}

  async build(now: Instant): Promise<{ readonly checks: CheckView[]; readonly attention: AttentionItemView[] }> {
    const startedAt = performance.now();
    const timed = this.projections.listStopped().then((stopped) => ({ stopped, ms: performance.now() - startedAt }));
    const [report, { stopped, ms }, head] = await Promise.all([this.readiness.read(), timed, this.log.findHead()]);
    const { event_store: store } = report.checks;
    const attention = [buildStopped(stopped), store === FINE ? null : buildStoreUnavailable(store, now)];
    return {
      checks: [
        { ...NO_FIGURES, name: 'database', ...outcomeOf(report.checks.database), latency_ms: Math.round(ms) },
        { ...NO_FIGURES, name: 'event_store', ...outcomeOf(store), position: report.event_store.position },
        { ...NO_FIGURES, name: 'discovery', ...outcomeOf(report.checks.discovery) },
        { ...NO_FIGURES, name: 'read_models', ...describeReadModels(report) },
        { ...NO_FIGURES, name: 'history', ...describeLog(head) },
      ],
      attention: attention.filter((each) => each !== null),
    };
  }
}

const outcomeOf = (message: string): Pick<CheckView, 'ok' | 'message'> => ({ ok: message === FINE, message });

const describeLog = (head: LogHead | null): Pick<CheckView, 'ok' | 'message' | 'position'> =>
  head === null
    ? { ok: false, message: TEXTS.notSigned, position: null }
    : { ok: true, message: TEXTS.signed({ size: head.size }), position: String(head.size) };

const describeReadModels = ({ degraded }: ReadinessReport): Pick<CheckView, 'ok' | 'message' | 'degraded'> => ({
  ok: degraded.length === 0,
  message: degraded.length === 0 ? FINE : degraded.map(({ name, reason }) => `${name}: ${reason}`).join('; '),
  degraded: degraded.map(({ name }) => name),
});

/** Number of minutes in one bar of a network's chart. */
const BAR = 5;

/** Summarises the traffic of each network. */
export const buildNetworks = (facts: OverviewFacts): NetworkView[] =>
  facts.platforms.map((platform) => buildNetwork(platform, facts));

const buildNetwork = (platform: string, { activity, next, times }: OverviewFacts): NetworkView => {
  const isOwn = (row: { readonly platform: string }): boolean => row.platform === platform;
  const {
    queued = 0,
    publishing = 0,
    failed = 0,
    in_doubt = 0,
    last_published_at = null,
  } = activity.standings.find(isOwn) ?? {};
  const { oldest_at = null, is_limited = false, lacks_quota = false } = activity.networks.find(isOwn) ?? {};
  const { next_at = null, is_held = false } = next.networks.find(isOwn) ?? {};
  const minutes = activity.minutes.filter(isOwn);
  const bars = Array.from({ length: MINUTES / BAR }, () => 0);
  for (const { at, published } of minutes) bars[Math.floor(times.placeOf(at) / BAR)]! += published;
  const published_hour = bars.reduce((sum, bar) => sum + bar, 0);
  const p95 = findPercentile(
    minutes.map(({ latencies }) => latencies),
    0.95,
  );
  return {
    platform,
    state: stateOf({
      isInDoubt: in_doubt > 0,
      isHeld: queued > 0 && (is_held || lacks_quota),
      isSlowed: is_limited,
      isBusy: queued + publishing + published_hour > 0,
    }),
    published_hour,
    waiting: queued,
    oldest_at: isoOrNull(oldest_at),
    next_at: queued > 0 ? isoOrNull(next_at) : null,
    in_doubt,
    failed,
    refused_hour: minutes.reduce((sum, { refused }) => sum + refused, 0),
    p95_seconds: p95 === null ? null : p95 / 1_000,
    last_published_at: isoOrNull(last_published_at),
    minutes: bars,
  };
};

const stateOf = (facts: Readonly<Record<'isInDoubt' | 'isHeld' | 'isSlowed' | 'isBusy', boolean>>): NetworkState => {
  if (facts.isInDoubt) return 'in_doubt';
  if (facts.isHeld) return 'held';
  if (facts.isSlowed) return 'slowed';
  return facts.isBusy ? 'going' : 'idle';
};

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

/** Shows what was published, what is waiting, and what needs someone's attention (management-api.md: Overview). */
@Controller('manage/v1/overview')
@UseGuards(ApiKeyGuard)
export class OverviewController {
  constructor(private readonly overview: OverviewBuilder) {}

  @Documented({
    summary: 'Show what is published, what waits and what needs attention',
    scope: 'read',
    query: OwnerQuery,
    codes: { 404: ['not_found'] },
  })
  @Get()
  async show(@Req() request: FastifyRequest): Promise<CurrentOverviewView> {
    const ownerId = getListScope(request, readQuery(request, OwnerQuery).owner_id);
    return this.overview.build(getOwnerScope(request) === null ? 'operator' : 'owner', ownerId);
  }
}
