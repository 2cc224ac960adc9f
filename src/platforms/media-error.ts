import type { PublishError, StepOutcome } from './publisher.js';

/** Error codes of intact files that cannot be converted into anything that a network accepts (D-22). */
const UNSUITABLE: ReadonlySet<string> = new Set([
  'media_too_large',
  'media_too_long',
  'media_too_many_pixels',
  'media_unsuitable',
]);

/** True if the medium becomes a link in the text, with a warning (D-22). */
export const becomesLink = (error: PublishError): boolean => error.category === 'media' && UNSUITABLE.has(error.code);

/**
 * Classifies the error of a medium that could not be fetched (publish-api.md: POST /v1/webhooks/{slug}, rule 3; D-24):
 * permanent if its category is `media`, otherwise it can be retried. Nothing has been sent for the medium.
 */
export const classifyMediaError = (error: PublishError): StepOutcome =>
  error.category === 'media' ? { kind: 'failed', error } : { kind: 'retry', error, afterMs: null, named: false };
