/** What a photo may be on a network. */
export interface PhotoLimits {
  readonly maxBytes: number;
  /** Pixels of the longer side. */
  readonly maxSide?: number;
  /** Pixels of width and height together. */
  readonly maxSum?: number;
  /** Longer side by shorter side; scaling cannot change it. */
  readonly maxRatio?: number;
  /** Mime types without parameters. */
  readonly formats: readonly string[];
}

/** Pixels. */
export interface PhotoSize {
  readonly width: number;
  readonly height: number;
}

/**
 * The largest size of the same shape within the limits, or smaller by `scale`; null where no size of that shape is
 * within them. It travels as source text (see photo-process.ts): it may use nothing from outside itself but types.
 *
 * @param scale above 0, at most 1
 */
export const fittedSize = (
  { width, height }: PhotoSize,
  { maxSide = Infinity, maxSum = Infinity, maxRatio = Infinity }: PhotoLimits,
  scale = 1,
): PhotoSize | null => {
  const [long, short] = [Math.max(width, height), Math.min(width, height)];
  if (long > short * maxRatio) return null;
  const factor = scale * Math.min(1, maxSide / long, maxSum / (long + short));
  // Rounded towards a square: rounding must not break a limit that the shape keeps.
  const newShort = Math.min(Math.ceil(short * factor), Math.floor(Math.min(maxSide, maxSum / 2)));
  const newLong = Math.max(newShort, Math.floor(Math.min(long * factor, maxSum - newShort)));
  return width >= height ? { width: newLong, height: newShort } : { width: newShort, height: newLong };
};
