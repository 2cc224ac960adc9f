import type { Fault } from './control.js';

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

/** Returns the faults of a trouble, for `POST /_control/faults`, and the delay of every call in ms. */
export const faultsOf = (
  trouble: Trouble,
  { token, limits, publishing }: TroubleAnswers,
): { readonly faults: readonly object[]; readonly delayMs: number } => {
  const always = (faults: readonly object[]) => ({
    faults: faults.map((fault) => ({ ...fault, times: null })),
    delayMs: 0,
  });
  switch (trouble) {
    case 'token':
      return always([{ mode: 'answer', ...token }]);
    case 'limits':
      return always([{ mode: 'answer', ...limits }]);
    case 'outage':
      return always([{ mode: 'drop_before_accepting' }]);
    case 'slow':
      return { faults: [], delayMs: SLOW_MS };
    case 'unclear':
      return always(publishing.map((method) => ({ mode: 'accept_then_drop', method })));
  }
};
