import type { PhotoLimits } from './fit-size.js';
import type { MediaFacts } from './media-rules.js';

/**
 * Returns true if a photo's format, bytes, pixels and shape are within the limits; otherwise the photo has to be
 * converted. A photo with unknown dimensions has to be converted too, which determines them.
 */
export const isWithinPhotoLimits = (
  { sizeBytes, mime, width, height }: MediaFacts,
  { maxBytes, maxSide = Infinity, maxSum = Infinity, maxRatio = Infinity, formats }: PhotoLimits,
): boolean => {
  if (mime === null || !formats.includes(mime) || sizeBytes === null || sizeBytes > maxBytes) return false;
  if (width === undefined || height === undefined) return false;
  const [long, short] = [Math.max(width, height), Math.min(width, height)];
  return long <= maxSide && long + short <= maxSum && long <= short * maxRatio;
};
