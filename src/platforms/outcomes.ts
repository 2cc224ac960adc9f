import type { JsonObject } from '../kernel/ids.js';
import type { PublishError, StepOutcome } from './publisher.js';

/** Returns the outcome of a step that creates no message, such as an upload. */
export const doneWithoutMessage = (result: JsonObject): StepOutcome => ({
  kind: 'done',
  result,
  messageIds: [],
  urls: [],
});

/** Returns a retry after the gateway's own backoff. */
export const retry = (error: PublishError): StepOutcome => ({ kind: 'retry', named: false, afterMs: null, error });

/** Returns `in_doubt` if readers may see the effect of the call, otherwise a retry (D-25). */
export const inDoubtIfVisible = (visible: boolean, error: PublishError): StepOutcome =>
  visible ? { kind: 'in_doubt', error } : retry(error);

/** Returns an error that the gateway itself reports (D-35). */
export const gatewayError = (
  code: string,
  message: string,
  category: PublishError['category'] = 'network',
): PublishError => ({ code, category, source: 'gateway', message });

/** Returns the outcome for every step of a channel whose credentials are unusable: no call is made. */
export const unusableCredentials = (
  code: string,
  message: string,
): Extract<StepOutcome, { kind: 'needs_attention' }> => ({
  kind: 'needs_attention',
  error: gatewayError(code, message, 'credentials'),
});
