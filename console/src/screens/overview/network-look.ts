import type { Network, Overview, WaitingPublication } from '../../api/overview.js';
import type { IconName, Tone } from '../../components/icon.js';
import { isEndedByPerson } from '../../publications/shown-state.js';
import type { OverviewMessages } from './messages.js';

/** How a network's state is shown, and what its publications are waiting for. */
export interface NetworkLook {
  readonly icon: IconName;
  readonly tone: Tone;
  readonly word: (m: OverviewMessages, count: string) => string;
  /** A pause that holds publications back; null if none is known or another state matters more. */
  readonly pause: { readonly channel: string; readonly until: string } | null;
  /** True if the wait lasts until someone acts. */
  readonly needsPerson: boolean;
}

const PAUSES: readonly (string | null)[] = ['channel_pause', 'project_pause'];

/**
 * Returns how a network is shown. A network that is held back only by pauses is shown as paused, not on hold, because
 * there is nothing to fix.
 */
export const lookAt = (network: Network, waiting: readonly WaitingPublication[]): NetworkLook => {
  const own = waiting.filter(({ platform }) => platform === network.platform);
  const paused = own.find(({ waiting_for: why }) => why !== null && why.until !== null && PAUSES.includes(why.rule));
  const pause = paused?.waiting_for?.until
    ? { channel: paused.channel.name ?? '', until: paused.waiting_for.until }
    : null;
  const needsPerson = own.some(({ waiting_for: why }) => why !== null && isEndedByPerson(why.rule));
  switch (network.state) {
    case 'in_doubt':
      return { icon: 'inDoubt', tone: 'doubt', word: (m, count) => m.inDoubt(count), pause, needsPerson };
    case 'held':
      return pause && !needsPerson
        ? { icon: 'paused', tone: 'idle', word: (m) => m.paused, pause, needsPerson }
        : { icon: 'onHold', tone: 'warn', word: (m) => m.onHold, pause: null, needsPerson: true };
    case 'slowed':
      return { icon: 'slowed', tone: 'idle', word: (m) => m.slowed, pause: null, needsPerson };
    case 'going':
      return { icon: 'published', tone: 'ok', word: (m) => m.going, pause, needsPerson };
    case 'idle':
      return { icon: 'waiting', tone: 'idle', word: (m) => m.idle, pause: null, needsPerson };
  }
};

/** The figures at the top of an overview. */
export interface Summary {
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
export const summarize = ({ networks }: Pick<Overview, 'networks'>): Summary => {
  const oldest = networks.flatMap(({ oldest_at: at }) => at ?? []).sort();
  const p95 = networks.flatMap(({ p95_seconds: seconds }) => seconds ?? []);
  return {
    waiting: sum(networks, ({ waiting }) => waiting),
    publishedHour: sum(networks, ({ published_hour: published }) => published),
    oldestAt: oldest[0] ?? null,
    p95Seconds: p95.length === 0 ? null : Math.max(...p95),
  };
};

/**
 * Returns the values of a chart's grid lines, except the line at zero: up to three round steps. The last line is at or
 * above the highest value.
 */
export const chartLines = (highest: number): readonly number[] => {
  const step = roundUp(Math.max(1, highest) / 3);
  const count = Math.max(1, Math.ceil(highest / step));
  return Array.from({ length: count }, (_, index) => (index + 1) * step);
};

/** Rounds a value up to the next number in the series 1, 2, 5, 10, 20, 50 … */
const roundUp = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return ([1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10) * power;
};
