import type { Network, Overview } from '../../api/overview.js';

/** The figures at the top of an overview. */
export interface Summary {
  /** Number of items that need attention. */
  readonly attention: number;
  readonly waiting: number;
  readonly publishedHour: number;
  /** Time at which the oldest waiting publication was accepted; null if none is waiting. */
  readonly oldestAt: string | null;
  /** 95th percentile of the time to publish, in seconds, on the slowest network; null if nothing was published. */
  readonly p95Seconds: number | null;
}

const sum = (networks: readonly Network[], figure: (network: Network) => number): number =>
  networks.reduce((total, network) => total + figure(network), 0);

/** Adds up the figures of all networks. */
export const summarize = ({ attention, networks }: Pick<Overview, 'attention' | 'networks'>): Summary => {
  const oldest = networks.flatMap(({ oldest_at: at }) => at ?? []).sort();
  const p95 = networks.flatMap(({ p95_seconds: seconds }) => seconds ?? []);
  return {
    attention: attention.reduce((total, { count }) => total + count, 0),
    waiting: sum(networks, ({ waiting }) => waiting),
    publishedHour: sum(networks, ({ published_hour: published }) => published),
    oldestAt: oldest[0] ?? null,
    p95Seconds: p95.length === 0 ? null : Math.max(...p95),
  };
};
