import type { JsonObject } from '../kernel/json.js';
import { isWithinPhotoLimits } from '../media/photo-limits.js';
import type { Media } from '../payload/payload.js';
import { type FieldProblem, formatCount } from '../validation/wording.js';
import { OBSTACLE_MESSAGES } from './messages.js';
import type { MediaLimits, ProbedMedium } from './publisher.js';

/**
 * Returns the reason why a medium will become a link (D-22); null if the probe reveals none. Photos are converted to
 * fit any size and format limits; only their aspect ratio cannot change.
 */
export const forecastObstacle = (
  { type, sizeBytes, mime, width, height }: ProbedMedium,
  { maxBytes, maxRatio = Infinity, formats }: MediaLimits,
): FieldProblem | null => {
  if (type === 'photo') {
    if (width === undefined || height === undefined) return null;
    const isTooLong = Math.max(width, height) > Math.min(width, height) * maxRatio;
    return isTooLong ? unsuitable(OBSTACLE_MESSAGES.photoNotConvertible) : null;
  }
  if (sizeBytes !== null && sizeBytes > maxBytes)
    return {
      code: 'media_too_large',
      predicate: OBSTACLE_MESSAGES.sizeAboveLimit({ bytes: formatCount(sizeBytes), limit: formatCount(maxBytes) }),
    };
  return mime !== null && !formats.includes(mime) ? unsuitable(OBSTACLE_MESSAGES.formatNotAccepted({ mime })) : null;
};

/** True if the probe shows that a photo will be fitted. */
export const willBeFitted = (medium: ProbedMedium, limits: MediaLimits): boolean =>
  medium.type === 'photo' &&
  ![medium.sizeBytes, medium.mime, medium.width].some((known) => known === null || known === undefined) &&
  forecastObstacle(medium, limits) === null &&
  !isWithinPhotoLimits(medium, limits);

/**
 * Predicts the results of the steps that upload media one by one, as far as the probes allow.
 * @param limits the network's limits; a medium of any other type is not uploaded
 * @param stepName returns the name of a medium's upload step
 * @param toResult returns the result for a medium that cannot be uploaded
 */
export const forecastUploads = (
  media: readonly ProbedMedium[],
  limits: Readonly<Partial<Record<Media['type'], MediaLimits>>>,
  stepName: (index: number) => string,
  toResult: (obstacle: FieldProblem, index: number) => JsonObject,
): Readonly<Record<string, JsonObject>> => {
  const results: Record<string, JsonObject> = {};
  for (const [index, medium] of media.entries()) {
    const limit = limits[medium.type];
    const obstacle = limit && forecastObstacle(medium, limit);
    if (obstacle) results[stepName(index)] = toResult(obstacle, index);
    else if (limit && willBeFitted(medium, limit)) results[stepName(index)] = { fitted: true };
  }
  return results;
};

const unsuitable = (what: string): FieldProblem => ({ code: 'media_unsuitable', predicate: what });
