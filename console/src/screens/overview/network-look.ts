import type { Network, WaitingPublication } from '../../api/overview.js';
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
