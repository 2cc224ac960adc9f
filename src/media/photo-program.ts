import type * as SharpLibrary from 'sharp';
import type { fitSize, PhotoLimits } from './fit-size.js';

/** A request to make a photo that fits the limits. */
export interface PhotoRequest {
  /** Path of the original. */
  readonly from: string;
  readonly to: string;
  readonly limits: PhotoLimits;
}

/** A photo within the limits. */
export interface ResizedPhoto {
  readonly sizeBytes: number;
  readonly mime: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** The program's response. `photo` is null if the file cannot be made to fit. */
export type PhotoAnswer =
  | { readonly photo: ResizedPhoto }
  | { readonly photo: null; readonly reason: string }
  /** The disk failed; nothing is wrong with the file. */
  | { readonly failure: string };

/**
 * Decodes and encodes untrusted images in a helper process (see helper.ts).
 * @param library URL of sharp
 * @param maxPixels maximum pixels of an image to decode
 */
export const photoProgram = async (
  size: typeof fitSize,
  library: string,
  maxPixels: number,
): Promise<(request: PhotoRequest) => Promise<PhotoAnswer>> => {
  const { default: sharp } = (await import(library)) as typeof SharpLibrary;
  sharp.cache(false);
  // Blocks all other formats, whatever the file's name.
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ['Jpeg', 'Png', 'Webp'].map((format) => `VipsForeignLoad${format}File`) });

  /** Scales and JPEG qualities to try, in order, until the file is small enough. */
  const TRIES = [
    [1, 90],
    [1, 80],
    [0.75, 80],
    [0.5, 80],
    [0.35, 75],
    [0.2, 70],
  ] as const;

  const fit = async ({ from, to, limits }: PhotoRequest): Promise<PhotoAnswer> => {
    const input = (): SharpLibrary.Sharp => sharp(from, { limitInputPixels: maxPixels, failOn: 'error' });
    const { format, hasAlpha, autoOrient: shape } = await input().metadata();
    if (shape.width * shape.height > maxPixels) return { photo: null, reason: 'it has too many pixels' };
    if (!size(shape, limits)) return { photo: null, reason: 'its shape is too long and narrow' };

    const written = async (scale: number, how: (image: SharpLibrary.Sharp) => SharpLibrary.Sharp, mime: string) => {
      const image = input()
        .autoOrient()
        .resize({ ...size(shape, limits, scale)!, fit: 'fill' });
      const made = await how(image.toColourspace('srgb')).toFile(to);
      const photo = { sizeBytes: made.size, mime, width: made.width, height: made.height };
      return photo.sizeBytes <= limits.maxBytes ? { photo } : null;
    };
    // Drawings and transparent images stay lossless if they are small enough.
    if ((hasAlpha || format === 'png') && limits.formats.includes('image/png')) {
      const answer = await written(1, (image) => image.png(), 'image/png');
      if (answer) return answer;
    }
    for (const [scale, quality] of TRIES) {
      const toJpeg = (image: SharpLibrary.Sharp): SharpLibrary.Sharp =>
        image.flatten({ background: '#fff' }).jpeg({ quality });
      const answer = limits.formats.includes('image/jpeg') && (await written(scale, toJpeg, 'image/jpeg'));
      if (answer) return answer;
    }
    return { photo: null, reason: 'it stays too large' };
  };

  return (request) =>
    fit(request).catch((error: unknown) => {
      const words = String(error);
      const isOurs = /unable to (?:open|write)|no space left|input file is missing|EACCES|ENOENT|ENOSPC/i.test(words);
      return isOurs ? { failure: words } : { photo: null, reason: words };
    });
};
