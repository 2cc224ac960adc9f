import type { Fault } from './control.js';
import type { RunningStandIn } from './server.js';

/** What can be broken on a network on purpose, to see what the gateway does. */
export const TROUBLES = ['token', 'limits', 'outage', 'slow', 'unclear'] as const;

/** Name of a trouble. */
export type Trouble = (typeof TROUBLES)[number];

/** What a network answers while it is in trouble. */
export interface TroubleAnswers {
  /** To a token that it does not accept. */
  readonly token: Pick<Fault, 'status' | 'body'>;
  /** To a call beyond its limits. */
  readonly limits: Pick<Fault, 'status' | 'body'>;
  /** Methods that publish. */
  readonly publishing: readonly string[];
}

/** Long enough for a channel's test to give up, and for people to see that a post is being sent. */
const SLOW_MS = 8_000;

/** Breaks a network in one of several ways, or mends it (`null`). */
export const setTrouble = async (
  { ask, setReachable }: Pick<RunningStandIn, 'ask' | 'setReachable'>,
  trouble: Trouble | null,
  { token, limits, publishing }: TroubleAnswers,
): Promise<void> => {
  const add = (fault: Partial<Fault>): Promise<unknown> =>
    ask('POST', '/_control/faults', { mode: 'answer', ...fault, times: null });
  await ask('DELETE', '/_control/faults');
  await setReachable(trouble !== 'outage');
  if (trouble === 'token') await add(token);
  if (trouble === 'limits') await add(limits);
  if (trouble === 'slow') await ask('POST', '/_control/delay', { ms: SLOW_MS });
  if (trouble === 'unclear') for (const method of publishing) await add({ mode: 'accept_then_drop', method });
};
