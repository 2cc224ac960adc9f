import { isoOrNull } from '../../../kernel/instant.js';
import { findPercentile } from '../../../projections/activity/activity.queries.js';
import type { NetworkState, NetworkView } from './overview.view.js';
import type { OverviewFacts } from './overview-facts.js';
import { MINUTES } from './time-series.js';

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
