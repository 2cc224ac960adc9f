import { detectMimeType } from '../kit/detect-mime-type.js';
import type { LedgerMedium } from '../kit/ledger-entry.js';
import type { MediaStore } from '../kit/media-store.js';
import { readPhotoDimensions } from '../kit/photo-dimensions.js';
import type { UploadedFile } from '../kit/uploaded-file.js';
import { ApiError, badRequest } from './api-error.js';
import type { Parameters } from './parameters.js';

/** Kinds of media. The method for a kind is `send` followed by the capitalised kind. */
export const MEDIUM_KINDS = ['photo', 'video', 'audio', 'document'] as const;
/** One of {@link MEDIUM_KINDS}. */
export type MediumKind = (typeof MEDIUM_KINDS)[number];

// Limits for uploads (networks.md §1).
const MAX_PHOTO_BYTES = 10 * 1_048_576;
const MAX_FILE_BYTES = 50 * 1_048_576;
/** Maximum sum of a photo's width and height, in pixels. */
const MAX_SUM = 10_000;
/** Maximum ratio of a photo's longer side to its shorter side. */
const MAX_RATIO = 20;

/** What Telegram says about a medium besides its file: pixels and seconds. */
export interface MediumFacts {
  readonly width: number;
  readonly height: number;
  readonly duration: number;
}

/** A medium of a request. */
export interface SentMedium {
  readonly medium: LedgerMedium;
  readonly facts: MediumFacts;
}

/** Telegram itself measures videos up to some 10 MB; this stand-in makes up their size and length. */
const MEASURED = { width: 640, height: 360, duration: 1 };
const MAX_MEASURED_BYTES = 10 * 1_048_576;
/** How Telegram stores a larger video whose size and length are not sent (networks.md §1). */
const UNMEASURED = { width: 320, height: 320, duration: 0 };

/**
 * Returns the medium that a parameter refers to: `attach://name`, an upload with the parameter's name, or a URL; null
 * if the request has no such file.
 * @param sent the request's width, height and duration
 * @throws ApiError if the reference is unknown, or the file is empty, too large, or not a valid photo where one is
 * required
 */
export const readMedium = async (
  kind: MediumKind,
  reference: string,
  fieldName: string,
  parameters: Parameters,
  store: MediaStore,
  sent: Readonly<Record<string, unknown>>,
): Promise<SentMedium | null> => {
  if (/^https?:\/\//i.test(reference)) {
    return {
      medium: { type: kind, file: null, url: reference, mime: '', bytes: 0, name: '', hash: null },
      facts: MEASURED,
    };
  }
  const attached = /^attach:\/\/(.*)$/s.exec(reference)?.[1];
  if (reference !== '' && attached === undefined) {
    throw badRequest("Wrong remote file identifier specified: can't unserialize it");
  }
  const file = parameters.file(attached ?? fieldName);
  if (!file) return null;
  const medium = await store.storeFile(visibleTypeOf(kind, file), file, detectMimeType(file.head));
  return { medium, facts: readFacts(kind, file, sent) };
};

const readFacts = (
  kind: MediumKind,
  file: UploadedFile,
  { width, height, duration }: Readonly<Record<string, unknown>>,
): MediumFacts => {
  if (kind === 'photo') return { ...(readPhotoDimensions(file) ?? MEASURED), duration: 0 };
  const known = file.size > MAX_MEASURED_BYTES ? UNMEASURED : MEASURED;
  return {
    width: readNumber(width, 'width') ?? known.width,
    height: readNumber(height, 'height') ?? known.height,
    duration: readNumber(duration, 'duration') ?? known.duration,
  };
};

const readNumber = (value: unknown, name: string): number | undefined => {
  if (value === undefined) return undefined;
  if (!/^\d{1,9}$/.test(String(value))) throw badRequest(`${name} must be a whole number`);
  return Number(value);
};

/** Returns the type that readers see: videos other than MP4, and audio other than MP3 and M4A, arrive as documents. */
const visibleTypeOf = (kind: MediumKind, file: UploadedFile): string => {
  const { size } = file;
  const mime = detectMimeType(file.head);
  if (size === 0) throw badRequest('File must be non-empty');
  if (size > MAX_FILE_BYTES) throw new ApiError(413, 'Request Entity Too Large');
  if (kind === 'photo') {
    if (size > MAX_PHOTO_BYTES) {
      throw badRequest(
        `File of size ${size} bytes is too big for a photo; the maximum size is ${MAX_PHOTO_BYTES} bytes`,
      );
    }
    if (!mime.startsWith('image/')) throw badRequest('IMAGE_PROCESS_FAILED');
    const { long, short } = readPhotoDimensions(file) ?? { long: 1, short: 1 };
    if (long + short > MAX_SUM || long > short * MAX_RATIO) throw badRequest('PHOTO_INVALID_DIMENSIONS');
    return 'photo';
  }
  if (kind === 'video') return mime === 'video/mp4' ? 'video' : 'document';
  if (kind === 'audio') return mime === 'audio/mpeg' || mime === 'audio/mp4' ? 'audio' : 'document';
  return 'document';
};
