import type { PhotoLimits } from './fit-size.js';
import type { MediaFacts } from './media-rules.js';

/** True if a photo is within the limits. False if its dimensions are unknown: converting it determines them. */
export const isWithinPhotoLimits = (
  { sizeBytes, mime, width, height }: MediaFacts,
  { maxBytes, maxSide = Infinity, maxSum = Infinity, maxRatio = Infinity, formats }: PhotoLimits,
): boolean => {
  if (mime === null || !formats.includes(mime) || sizeBytes === null || sizeBytes > maxBytes) return false;
  if (width === undefined || height === undefined) return false;
  const [long, short] = [Math.max(width, height), Math.min(width, height)];
  return long <= maxSide && long + short <= maxSum && long <= short * maxRatio;
};
