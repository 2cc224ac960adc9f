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

/**
 * Returns the medium that a parameter refers to: `attach://name`, an upload with the parameter's name, or a URL; null
 * if the request has no such file.
 * @throws ApiError if the reference is unknown, or the file is empty, too large, or not a valid photo where one is
 * required
 */
export const readMedium = async (
  kind: MediumKind,
  reference: string,
  fieldName: string,
  parameters: Parameters,
  store: MediaStore,
): Promise<LedgerMedium | null> => {
  if (/^https?:\/\//i.test(reference)) {
    return { type: kind, file: null, url: reference, mime: '', bytes: 0, name: '', hash: null };
  }
  const attached = /^attach:\/\/(.*)$/s.exec(reference)?.[1];
  if (reference !== '' && attached === undefined) {
    throw badRequest("Wrong remote file identifier specified: can't unserialize it");
  }
  const file = parameters.file(attached ?? fieldName);
  return file ? store.storeFile(visibleTypeOf(kind, file), file, detectMimeType(file.head)) : null;
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
