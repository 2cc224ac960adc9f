import type { JsonObject } from '../kernel/json.js';
import type { MediaFile, StepOutcome, Warning } from './publisher.js';

/** The outcome of an upload, which remembers that its photo was made to fit. */
export const rememberFitted = (outcome: StepOutcome, { isFitted }: Pick<MediaFile, 'isFitted'>): StepOutcome =>
  isFitted && outcome.kind === 'done' ? { ...outcome, result: { ...outcome.result, fitted: true } } : outcome;

/** What a photo that was made to fit is told with (D-22). @param result of its upload @param index of the medium, from 0 */
export const fittedWarnings = (result: JsonObject | undefined, index: number): Warning[] =>
  result?.['fitted'] === true
    ? [{ code: 'photo_fitted', message: `Medium ${index + 1} is scaled down or encoded anew to fit the network.` }]
    : [];
