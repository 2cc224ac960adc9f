import type { JsonObject } from '../kernel/json.js';
import { DEGRADATION_MESSAGES } from './messages.js';
import type { MediaFile, StepOutcome, Warning } from './publisher.js';

/** Returns the outcome of an upload, with `fitted: true` in its result if the photo was fitted. */
export const markFitted = (outcome: StepOutcome, { isFitted }: Pick<MediaFile, 'isFitted'>): StepOutcome =>
  isFitted && outcome.kind === 'done' ? { ...outcome, result: { ...outcome.result, fitted: true } } : outcome;

/** Returns the warning about a photo that was fitted (D-22). @param result result of its upload step */
export const fittedWarnings = (result: JsonObject | undefined, index: number): Warning[] =>
  result?.['fitted'] === true ? [{ code: 'photo_fitted', message: DEGRADATION_MESSAGES.photoFitted({ index }) }] : [];
