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

export interface PhotoLimits {
  readonly maxBytes: number;
  /** Maximum pixels of the longer side. */
  readonly maxSide?: number;
  /** Maximum width plus height, in pixels. */
  readonly maxSum?: number;
  /** Maximum ratio of the longer side to the shorter; scaling cannot change it. */
  readonly maxRatio?: number;
  /** MIME types without parameters. */
  readonly formats: readonly string[];
}

/** A photo's size in pixels. */
interface PhotoSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Returns the largest size with the same aspect ratio within the limits, multiplied by `scale`; null if there is none.
 * Must not reference anything outside its body except types, because the helper process receives it as source text.
 * @param scale above 0, at most 1
 */
export const fitSize = (
  { width, height }: PhotoSize,
  { maxSide = Infinity, maxSum = Infinity, maxRatio = Infinity }: PhotoLimits,
  scale = 1,
): PhotoSize | null => {
  const [long, short] = [Math.max(width, height), Math.min(width, height)];
  if (long > short * maxRatio) return null;
  const factor = scale * Math.min(1, maxSide / long, maxSum / (long + short));
  // Rounds towards a square, so that the result stays within every limit that the exact size meets.
  const newShort = Math.min(Math.ceil(short * factor), Math.floor(Math.min(maxSide, maxSum / 2)));
  const newLong = Math.max(newShort, Math.floor(Math.min(long * factor, maxSum - newShort)));
  return width >= height ? { width: newLong, height: newShort } : { width: newShort, height: newLong };
};
