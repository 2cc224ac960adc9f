import type { JsonObject } from '../kernel/json.js';
import { photoFits } from '../media/fits.js';
import type { Media } from '../payload/payload.js';
import { grouped, type Complaint } from '../validation/wording.js';
import type { ProbedMedium, WantedMedia } from './publisher.js';

/**
 * Why a medium will go as a link (D-22), as far as it can be told before the file is there; null where nothing speaks
 * against it. Photos are made to fit, whatever their size and format; their shape alone cannot be changed.
 */
export const foreseenObstacle = (
  { type, sizeBytes, mime, width, height }: ProbedMedium,
  { maxBytes, maxRatio = Infinity, formats }: WantedMedia,
): Complaint | null => {
  if (type === 'photo') {
    if (width === undefined || height === undefined) return null;
    const isTooLong = Math.max(width, height) > Math.min(width, height) * maxRatio;
    return isTooLong ? unsuitable('cannot be made into a photo that can go') : null;
  }
  if (sizeBytes !== null && sizeBytes > maxBytes)
    return {
      code: 'media_too_large',
      what: `has ${grouped(sizeBytes)} bytes; at most ${grouped(maxBytes)} can go`,
    };
  return mime !== null && !formats.includes(mime) ? unsuitable(`is ${mime}, which cannot go`) : null;
};

/** Whether a photo will be made to fit, as far as it can be told. */
export const foreseenFitting = (medium: ProbedMedium, wanted: WantedMedia): boolean =>
  medium.type === 'photo' &&
  ![medium.sizeBytes, medium.mime, medium.width].some((known) => known === null || known === undefined) &&
  foreseenObstacle(medium, wanted) === null &&
  !photoFits(medium, wanted);

/**
 * Results of the steps that upload media one by one, for what can be told of them.
 * @param wanted what the network takes; a type that is missing is not uploaded
 * @param uploadOf the name of a medium's upload
 * @param unsent the result of an upload that ends with an obstacle
 */
export const foreseenUploads = (
  media: readonly ProbedMedium[],
  wanted: Readonly<Partial<Record<Media['type'], WantedMedia>>>,
  uploadOf: (index: number) => string,
  unsent: (obstacle: Complaint, index: number) => JsonObject,
): Readonly<Record<string, JsonObject>> => {
  const results: Record<string, JsonObject> = {};
  for (const [index, medium] of media.entries()) {
    const limits = wanted[medium.type];
    const obstacle = limits && foreseenObstacle(medium, limits);
    if (obstacle) results[uploadOf(index)] = unsent(obstacle, index);
    else if (limits && foreseenFitting(medium, limits)) results[uploadOf(index)] = { fitted: true };
  }
  return results;
};

const unsuitable = (what: string): Complaint => ({ code: 'media_unsuitable', what });
