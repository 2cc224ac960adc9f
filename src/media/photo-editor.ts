import { resolve } from 'node:path';
import type * as SharpLibrary from 'sharp';
import { type Log, silentLog } from '../kernel/log.js';
import { storageError } from './download.js';
import { buildProgram, HelperProcess } from './helper.js';
import { MAX_PIXELS } from './media-rules.js';
import { MEDIA_CACHE_MESSAGES } from './messages.js';
import { fitSize, type PhotoLimits } from './photo-limits.js';

/** A request to make a photo that fits the limits. */
interface PhotoRequest {
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
type PhotoAnswer =
  | { readonly photo: ResizedPhoto }
  | { readonly photo: null; readonly reason: string }
  /** The disk failed; nothing is wrong with the file. */
  | { readonly failure: string };

/**
 * Decodes and encodes untrusted images in a helper process (see helper.ts).
 * @param library URL of sharp
 * @param maxPixels maximum pixels of an image to decode
 */
const photoProgram = async (
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

interface PhotoEditorOptions {
  /** Time limit for one photo, in ms; default 30 s. */
  readonly timeoutMs?: number;
  readonly log?: Log;
}

/** Makes photos fit limits, one at a time, in a helper process that serves owners in turn. */
export class PhotoEditor {
  private readonly helper: HelperProcess<PhotoRequest, PhotoAnswer>;
  private readonly log: Log;

  constructor({ timeoutMs = 30_000, log = silentLog }: PhotoEditorOptions = {}) {
    const sharp = import.meta.resolve('sharp');
    const program = buildProgram(photoProgram, fitSize, sharp, MAX_PIXELS);
    this.helper = new HelperProcess({ program, libraries: [sharp], timeoutMs, maxHeapMb: 64, maxMemoryMb: 1_536 });
    this.log = log;
  }

  /**
   * Scales, orients and encodes a photo.
   * @param signal skips the photo if it aborts before the photo's turn
   * @returns null if the file cannot be made to fit: it is not a photo, or a decoder fails
   * @throws FetchError `storage` for disk errors, if the signal aborted, or if the gateway is stopping
   */
  async fit({ from, to, limits }: PhotoRequest, signal?: AbortSignal, owner?: string): Promise<ResizedPhoto | null> {
    // The process has its own working folder, so paths must be absolute.
    const reply = await this.helper.ask({ from: resolve(from), to: resolve(to), limits }, signal, owner);
    if ('withdrawn' in reply) throw storageError(MEDIA_CACHE_MESSAGES.resizeStopped);
    const answer: PhotoAnswer = 'answer' in reply ? reply.answer : { photo: null, reason: reply.failed };
    if ('failure' in answer) throw storageError(MEDIA_CACHE_MESSAGES.resizeFailed, new Error(answer.failure));
    if (!answer.photo) this.log.warn({ reason: answer.reason }, 'a photo could not be resized to fit');
    return answer.photo;
  }

  /** Kills the process; a photo in progress fails. */
  close(): void {
    this.helper.close();
  }
}
