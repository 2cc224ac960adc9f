import { mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import sharp from 'sharp';
import type { MediaFile, MediaLimits, PublishError, SendContext } from '../../src/platforms/publisher.js';

/** Media of posts without media: a request for one is an error. */
export const noMedia: SendContext['media'] = async (index) => {
  throw new Error(`there is no medium ${index}`);
};

const TYPES: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  ogg: 'audio/ogg',
};

/** First bytes by which a network detects a type. */
const HEADS: Readonly<Record<string, string>> = {
  jpg: 'ffd8ffe0',
  png: '89504e470d0a1a0a',
  webp: '524946460000000057454250',
  mp4: '000000186674797069736f6d',
  mov: '000000146674797071742020',
  webm: '1a45dfa3',
  mp3: '49443304',
  m4a: '00000018667479704d344120',
  ogg: '4f676753',
};

/** Creates a folder for files that begin like media files. */
export const mediaFolder = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'crosspost-media-'));
  let lent = 0;
  /** Requested media, in order. */
  const requested: { index: number; limits: MediaLimits }[] = [];

  /** Creates a file of a size, sparse if it is large; the extension of its name determines its type. */
  const make = async (name: string, sizeBytes = 64): Promise<string> => {
    const path = join(folder, name);
    const ending = name.split('.').at(-1) ?? '';
    await writeFile(path, Buffer.concat([Buffer.from(HEADS[ending] ?? '', 'hex'), Buffer.from(name)]));
    const file = await open(path, 'r+');
    await file.truncate(sizeBytes);
    await file.close();
    return path;
  };

  /** Makes a cover picture of a video. */
  const makeCover = async (): Promise<NonNullable<MediaFile['cover']>> => {
    const path = join(folder, 'cover.jpg');
    const image = sharp({ create: { width: 320, height: 180, channels: 3, background: '#207080' } });
    const { size: sizeBytes } = await image.jpeg().toFile(path);
    return { path, sizeBytes, mime: 'image/jpeg', filename: 'cover.jpg' };
  };

  /**
   * Opens the files of these paths, by index. Returns an error in place of a path, and refuses a file beyond the
   * limits.
   * @param more what else is known about videos
   */
  const lending =
    (files: readonly (string | PublishError)[], more: Pick<MediaFile, 'video' | 'cover'> = {}): SendContext['media'] =>
    async (index, limits) => {
      requested.push({ index, limits });
      const path = files[index];
      if (path === undefined) throw new Error(`there is no medium ${index}`);
      if (typeof path !== 'string') return path;
      const { size: sizeBytes } = await stat(path);
      const filename = basename(path);
      const mime = TYPES[filename.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
      if (sizeBytes > limits.maxBytes) return mediaError('media_too_large');
      if (!limits.formats.includes(mime)) return mediaError('media_unsuitable');
      lent++;
      let isReleased = false;
      const release = (): void => {
        if (!isReleased) lent--;
        isReleased = true;
      };
      const known = mime.startsWith('video/') ? more : {};
      return { path, sizeBytes, mime, filename, isFitted: false, release, ...known } satisfies MediaFile;
    };

  return {
    make,
    makeCover,
    lending,
    requested,
    /** Number of files that have not been released. */
    lent: () => lent,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
};

/** Returns the error of a medium that is not available. */
export const mediaError = (code: string, category: PublishError['category'] = 'media'): PublishError => ({
  code,
  category,
  source: 'gateway',
  message: `The medium: ${code}.`,
});
