import type { PhotoLimits } from './fitted-size.js';
import type { MediaFacts } from './media-rules.js';

/**
 * Whether a photo may go as it is, or has to be made anew: by its format, bytes, pixels and shape. One whose size in
 * pixels nobody knows is made anew, which finds it out.
 */
export const photoFits = (
  { sizeBytes, mime, width, height }: MediaFacts,
  { maxBytes, maxSide = Infinity, maxSum = Infinity, maxRatio = Infinity, formats }: PhotoLimits,
): boolean => {
  if (mime === null || !formats.includes(mime) || sizeBytes === null || sizeBytes > maxBytes) return false;
  if (width === undefined || height === undefined) return false;
  const [long, short] = [Math.max(width, height), Math.min(width, height)];
  return long <= maxSide && long + short <= maxSum && long <= short * maxRatio;
};
