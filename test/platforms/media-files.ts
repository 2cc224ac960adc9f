import { mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { MediaFile, PublishError, SendContext, WantedMedia } from '../../src/platforms/publisher.js';

/** For posts without media: asking for one is a mistake. */
export const noMedia: SendContext['media'] = async (index) => {
  throw new Error(`nobody has a medium ${index}`);
};

const TYPES: Readonly<Record<string, string>> = {
  ...{ jpg: 'image/jpeg', png: 'image/png', webp: 'image/webp' },
  ...{ mp4: 'video/mp4', mov: 'video/quicktime', webm: 'video/webm' },
  ...{ mp3: 'audio/mpeg', m4a: 'audio/mp4', ogg: 'audio/ogg' },
};

/** The first bytes by which a network knows a type. */
const HEADS: Readonly<Record<string, string>> = {
  ...{ jpg: 'ffd8ffe0', png: '89504e470d0a1a0a', webp: '524946460000000057454250' },
  ...{ mp4: '000000186674797069736f6d', mov: '000000146674797071742020', webm: '1a45dfa3' },
  ...{ mp3: '49443304', m4a: '00000018667479704d344120', ogg: '4f676753' },
};

/** A folder of files that look like media by their first bytes. */
export const mediaFolder = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'crosspost-media-'));
  let lent = 0;
  /** What was asked for, in order. */
  const asked: { index: number; wanted: WantedMedia }[] = [];

  /** A file of so many bytes, sparse where it is long; its name tells its type. */
  const make = async (name: string, sizeBytes = 64): Promise<string> => {
    const path = join(folder, name);
    const ending = name.split('.').at(-1) ?? '';
    await writeFile(path, Buffer.concat([Buffer.from(HEADS[ending] ?? '', 'hex'), Buffer.from(name)]));
    const file = await open(path, 'r+');
    await file.truncate(sizeBytes);
    await file.close();
    return path;
  };

  /** Lends the files of these paths, by index; an error in a path's place is told instead. Refuses what is not wanted. */
  const lending =
    (files: readonly (string | PublishError)[]): SendContext['media'] =>
    async (index, wanted) => {
      asked.push({ index, wanted });
      const path = files[index];
      if (path === undefined) throw new Error(`nobody has a medium ${index}`);
      if (typeof path !== 'string') return path;
      const { size: sizeBytes } = await stat(path);
      const filename = basename(path);
      const mime = TYPES[filename.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
      if (sizeBytes > wanted.maxBytes) return mediaError('media_too_large');
      if (!wanted.formats.includes(mime)) return mediaError('media_unsuitable');
      lent++;
      let isReleased = false;
      const release = (): void => {
        if (!isReleased) lent--;
        isReleased = true;
      };
      return { path, sizeBytes, mime, filename, isFitted: false, release } satisfies MediaFile;
    };

  return {
    make,
    lending,
    asked,
    /** How many files are lent at the moment. */
    lent: () => lent,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
};

/** A medium that could not be had. */
export const mediaError = (code: string, category: PublishError['category'] = 'media'): PublishError => ({
  code,
  category,
  source: 'gateway',
  message: `The medium: ${code}.`,
});
