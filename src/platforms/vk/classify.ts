import type { StepOutcome } from '../publisher.js';
import type { RefusedCall } from '../unanswered-call.js';
import { VK_ERRORS } from './errors.js';

/** VK's `{"error": …}`, sent with HTTP 200. */
export interface VkRefusal {
  readonly errorCode: number;
  readonly subcode?: number | undefined;
  readonly errorMsg: string;
}

/** Returns the outcome of a refusal (networks.md §9, D-20, D-25, D-26). */
export const classify = ({ errorCode, subcode, errorMsg }: VkRefusal, call: RefusedCall): StepOutcome =>
  VK_ERRORS.classify({ codes: [errorCode], subcode, words: errorMsg }, call);
