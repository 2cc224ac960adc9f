import type * as SharpLibrary from 'sharp';
import type { fittedSize, PhotoLimits } from './fitted-size.js';

/** What the program is asked: to make a photo of a file, within limits. */
export interface PhotoOrder {
  readonly from: string;
  /** Where the photo is to be put. */
  readonly to: string;
  readonly limits: PhotoLimits;
}

/** A photo within limits. */
export interface FittedPhoto {
  readonly sizeBytes: number;
  readonly mime: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** What the program answers. `photo` null: nothing within the limits can be made of the file, because of `reason`. */
export type PhotoAnswer =
  | { readonly photo: FittedPhoto }
  | { readonly photo: null; readonly reason: string }
  /** Our disk, not the file. */
  | { readonly failure: string };

/**
 * Decodes strangers' pictures and encodes them anew, in a process of its own (see helper-process.ts): the decoders are
 * written in C.
 * @param library where sharp is, a URL
 * @param maxPixels of a picture that is decoded
 */
export const photoProgram = async (
  size: typeof fittedSize,
  library: string,
  maxPixels: number,
): Promise<(order: PhotoOrder) => Promise<PhotoAnswer>> => {
  const { default: sharp } = (await import(library)) as typeof SharpLibrary;
  sharp.cache(false);
  // Formats that a post may not have are not even tried, whatever a file calls itself.
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ['Jpeg', 'Png', 'Webp'].map((format) => `VipsForeignLoad${format}File`) });

  /** What is tried until the file is small enough: scale, quality of JPEG. */
  const TRIES = [
    [1, 90],
    [1, 80],
    [0.75, 80],
    [0.5, 80],
    [0.35, 75],
    [0.2, 70],
  ] as const;

  const fit = async ({ from, to, limits }: PhotoOrder): Promise<PhotoAnswer> => {
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
    // What is drawn, or can be seen through, stays as sharp and as transparent as it is, if it is small enough.
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

  return (order) =>
    fit(order).catch((error: unknown) => {
      const words = String(error);
      const isOurs = /unable to (?:open|write)|no space left|input file is missing|EACCES|ENOENT|ENOSPC/i.test(words);
      return isOurs ? { failure: words } : { photo: null, reason: words };
    });
};
