import { retry } from './outcomes.js';
import type { PublishError, StepOutcome } from './publisher.js';

/** Error codes for intact files that cannot be converted into a form that the network accepts (D-22). */
const UNSUITABLE: ReadonlySet<string> = new Set([
  'media_too_large',
  'media_too_long',
  'media_too_many_pixels',
  'media_unsuitable',
]);

/** True if the medium becomes a link in the text (D-22). */
export const becomesLink = (error: PublishError): boolean => error.category === 'media' && UNSUITABLE.has(error.code);

/**
 * Classifies the error of a medium that could not be fetched (publish-api.md: POST /v1/webhooks/{slug}, rule 3; D-24).
 * Only errors in the `media` category are permanent.
 */
export const classifyMediaError = (error: PublishError): StepOutcome =>
  error.category === 'media' ? { kind: 'failed', error } : retry(error);
