import { isoOrNull } from '../../../kernel/instant.js';
import {
  type ActivityCounts,
  type ActivityQueries,
  findPercentile,
} from '../../../projections/activity/activity.queries.js';
import type { NextPublications } from '../../../projections/publish-schedule/next-publications.queries.js';
import type { NetworkState, NetworkView } from './overview.view.js';
import { MINUTES, type ShownTimes } from './time-series.js';

/** Number of minutes in one bar of a network. */
const BAR = 5;

/** Builds what happens on each network. */
export const buildNetworks = async (
  { activity, next }: { readonly activity: ActivityQueries; readonly next: NextPublications },
  ownerId: string | null,
  platforms: readonly string[],
  counts: ActivityCounts,
  times: ShownTimes,
): Promise<NetworkView[]> => {
  const [standings, oldest, postponed, waits] = await Promise.all([
    activity.readStandings(ownerId),
    activity.findOldest(ownerId, platforms),
    activity.findPostponed(ownerId, platforms, ['platform_limit', 'quota'], times.now),
    next.readNetworks(ownerId, platforms, times.now),
  ]);
  return platforms.map((platform) => {
    const {
      queued = 0,
      publishing = 0,
      failed = 0,
      in_doubt = 0,
      last_published_at = null,
    } = standings.find((row) => row.platform === platform) ?? {};
    const { next_at = null, is_held = false } = waits.find((row) => row.platform === platform) ?? {};
    const isPostponedBy = (rule: string): boolean =>
      postponed.some((row) => row.platform === platform && row.rule === rule);
    const minutes = counts.minutes.filter((row) => row.platform === platform);
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
        isHeld: queued > 0 && (is_held || isPostponedBy('quota')),
        isSlowed: isPostponedBy('platform_limit'),
        isBusy: queued + publishing + published_hour > 0,
      }),
      published_hour,
      waiting: queued,
      oldest_at: isoOrNull(oldest.get(platform)),
      next_at: queued > 0 ? isoOrNull(next_at) : null,
      in_doubt,
      failed,
      refused_hour: minutes.reduce((sum, { refused }) => sum + refused, 0),
      p95_seconds: p95 === null ? null : p95 / 1_000,
      last_published_at: isoOrNull(last_published_at),
      minutes: bars,
    };
  });
};

const stateOf = (facts: Readonly<Record<'isInDoubt' | 'isHeld' | 'isSlowed' | 'isBusy', boolean>>): NetworkState => {
  if (facts.isInDoubt) return 'in_doubt';
  if (facts.isHeld) return 'held';
  if (facts.isSlowed) return 'slowed';
  return facts.isBusy ? 'going' : 'idle';
};
