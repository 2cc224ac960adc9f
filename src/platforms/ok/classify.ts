import { ErrorTable } from '../error-table.js';
import type { StepOutcome } from '../publisher.js';
import type { RefusedCall } from '../unanswered-call.js';
import { OK_ERRORS } from './errors.js';
import { TITLE } from './title.js';

const errors = new ErrorTable('ok', TITLE, OK_ERRORS);

/** OK's `{"error_code": …}`, sent with HTTP 200. */
export interface OkRefusal {
  readonly errorCode: number;
  readonly errorMsg: string;
}

/** Returns the outcome of a refusal (network-errors.md, D-20, D-25, D-26). */
export const classify = ({ errorCode, errorMsg }: OkRefusal, call: RefusedCall): StepOutcome =>
  errors.classify({ codes: [errorCode], words: errorMsg }, call);
