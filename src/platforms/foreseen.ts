import { grouped, type Complaint } from '../payload/wording.js';
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

const unsuitable = (what: string): Complaint => ({ code: 'media_unsuitable', what });
