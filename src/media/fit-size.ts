/** A network's limits for a photo. */
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

/** A photo's size in pixels. */
export interface PhotoSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Returns the largest size of the same shape within the limits, multiplied by `scale`; null if no size of that shape is
 * within them. The function is sent as source text (see photo-program.ts): it may use nothing from outside but types.
 *
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
  // Rounded towards a square, so that rounding never exceeds a limit that the shape meets.
  const newShort = Math.min(Math.ceil(short * factor), Math.floor(Math.min(maxSide, maxSum / 2)));
  const newLong = Math.max(newShort, Math.floor(Math.min(long * factor, maxSum - newShort)));
  return width >= height ? { width: newLong, height: newShort } : { width: newShort, height: newLong };
};
