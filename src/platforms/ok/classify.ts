import type { StepOutcome } from '../publisher.js';
import type { RefusedCall } from '../unanswered-call.js';
import { OK_ERRORS } from './errors.js';

/** OK's `{"error_code": …}`, sent with HTTP 200. */
export interface OkRefusal {
  readonly errorCode: number;
  readonly errorMsg: string;
}

/** Returns the outcome of a refusal (networks.md §9, D-20, D-25, D-26). */
export const classify = ({ errorCode, errorMsg }: OkRefusal, call: RefusedCall): StepOutcome =>
  OK_ERRORS.classify({ codes: [errorCode], words: errorMsg }, call);
