import { ErrorTable } from '../error-table.js';
import type { Interrupted } from '../exchange.js';
import { platformSays } from '../platform-says.js';
import type { StepOutcome } from '../publisher.js';
import { classifyInterrupted, classifyUnreadable, type RefusedCall } from '../unanswered-call.js';
import { MAX_ERRORS } from './errors.js';
import { TITLE } from './title.js';

const errors = new ErrorTable('max', TITLE, MAX_ERRORS);

/** A failed call to MAX. */
export type MaxFailure =
  /** MAX's own error: `{code, message}`, or `success: false` in a 200 (D-41). `retryAfter`: the HTTP header. */
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly code: string;
      readonly message: string;
      readonly retryAfter: string | undefined;
    }
  /** A response that does not come from MAX: a proxy's HTML, a malformed body, or a message without an id. */
  | {
      readonly kind: 'unreadable';
      readonly status: number;
      readonly retryAfter: string | undefined;
      /** Text in the response. */
      readonly says?: string;
    }
  | Interrupted;

/**
 * Returns the outcome of a failed call (network-errors.md, D-20, D-25, D-26). Only a visible call can be in doubt; any
 * other call may always be repeated.
 */
export const classify = (failure: MaxFailure, call: RefusedCall): StepOutcome => {
  switch (failure.kind) {
    case 'refused':
      return classifyRefusal(failure, call);
    case 'unreadable':
      return classifyForeign(failure, call);
    case 'lost':
    case 'never_sent':
      return classifyInterrupted(failure, { title: TITLE, visible: call.visible });
  }
};

type Refusal = Extract<MaxFailure, { kind: 'refused' }>;

const classifyRefusal = ({ status, code, message, retryAfter }: Refusal, call: RefusedCall): StepOutcome => {
  const words = [code, message].filter(Boolean).join(': ');
  const codes = [status >= 500 ? 500 : status, ...(code === '' ? [] : [code])];
  const isSlowDown = status === 429 || code === 'too.many.requests';
  return errors.classify({ codes, words, ...(isSlowDown && { waitSeconds: readSeconds(retryAfter) }) }, call);
};

/** Classifies a response that does not come from MAX. If the status is 429, the call is retried after a delay. */
const classifyForeign = (
  { status, retryAfter, says = '' }: Extract<MaxFailure, { kind: 'unreadable' }>,
  call: RefusedCall,
): StepOutcome =>
  status === 429
    ? errors.classify({ codes: [429], words: says, waitSeconds: readSeconds(retryAfter) }, call)
    : classifyUnreadable(status, platformSays(says, call.credentials), { title: TITLE, visible: call.visible });

const readSeconds = (retryAfter: string | undefined): number | null => {
  const seconds = retryAfter === undefined ? NaN : Number(retryAfter);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds) : null;
};
