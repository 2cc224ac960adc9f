import type { PublishError, StepOutcome } from './publisher.js';

/** Codes of a file that is there and sound, and that cannot be carried whatever is done to it (D-22). */
const CANNOT_GO: ReadonlySet<string> = new Set([
  'media_too_large',
  'media_too_long',
  'media_too_many_pixels',
  'media_unsuitable',
]);

/** Whether a medium that could not be had goes as a link in the text instead, with a warning (D-22). */
export const goesAsLink = (error: PublishError): boolean => error.category === 'media' && CANNOT_GO.has(error.code);

/**
 * What a medium that could not be had means for its post (publish-api.md: POST /v1/webhooks/{slug}, rule 3; D-24): wrong for good
 * with category `media`, else worth another try. Nothing has been sent for it.
 */
export const outcomeOfMediaError = (error: PublishError): StepOutcome =>
  error.category === 'media' ? { kind: 'failed', error } : { kind: 'retry', error, afterMs: null, named: false };
