import { ErrorTable } from '../error-table.js';
import type { StepOutcome } from '../publisher.js';
import type { RefusedCall } from '../unanswered-call.js';
import { VK_ERRORS } from './errors.js';
import { TITLE } from './title.js';

const errors = new ErrorTable('vk', TITLE, VK_ERRORS);

/** VK's `{"error": …}`, sent with HTTP 200. */
export interface VkRefusal {
  readonly errorCode: number;
  readonly subcode?: number | undefined;
  readonly errorMsg: string;
}

/** Returns the outcome of a refusal (network-errors.md, D-20, D-25, D-26). */
export const classify = ({ errorCode, subcode, errorMsg }: VkRefusal, call: RefusedCall): StepOutcome =>
  errors.classify({ codes: [errorCode], subcode, words: errorMsg }, call);
