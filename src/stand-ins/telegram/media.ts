import type { LedgerMedium } from '../kit/ledger.js';
import type { MediaStore } from '../kit/media-store.js';
import { mimeOf } from '../kit/mime-of.js';
import { photoShape } from '../kit/photo-shape.js';
import type { UploadedFile } from '../kit/uploaded-file.js';
import type { Parameters } from './parameters.js';
import { Refusal, badRequest } from './refusal.js';

/** What a bot can send as a medium; the method is `send` and the kind with a capital letter. */
export const MEDIUM_KINDS = ['photo', 'video', 'audio', 'document'] as const;
/** Name of a kind of medium. */
export type MediumKind = (typeof MEDIUM_KINDS)[number];

/** Uploads (networks.md §1). */
const MAX_PHOTO_BYTES = 10 * 1_048_576;
const MAX_FILE_BYTES = 50 * 1_048_576;
/** Of a photo: pixels of width and height together, and the longer side by the shorter. */
const MAX_SUM = 10_000;
const MAX_RATIO = 20;

/**
 * The medium that a parameter names: `attach://name`, an upload under the parameter's own name, or a URL. Refused
 * where there is none, it is empty, too large, or no picture where a photo is wanted.
 */
export const takeMedium = async (
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
  return file ? store.keep(typeOf(kind, file), file, mimeOf(file.head)) : null;
};

/** The type that readers get: what is no MP4 arrives as a document, and so does sound that is neither MP3 nor M4A. */
const typeOf = (kind: MediumKind, file: UploadedFile): string => {
  const { size } = file;
  const mime = mimeOf(file.head);
  if (size === 0) throw badRequest('File must be non-empty');
  if (size > MAX_FILE_BYTES) throw new Refusal(413, 'Request Entity Too Large');
  if (kind === 'photo') {
    if (size > MAX_PHOTO_BYTES) {
      throw badRequest(
        `File of size ${size} bytes is too big for a photo; the maximum size is ${MAX_PHOTO_BYTES} bytes`,
      );
    }
    if (!mime.startsWith('image/')) throw badRequest('IMAGE_PROCESS_FAILED');
    const { long, short } = photoShape(file) ?? { long: 1, short: 1 };
    if (long + short > MAX_SUM || long > short * MAX_RATIO) throw badRequest('PHOTO_INVALID_DIMENSIONS');
    return 'photo';
  }
  if (kind === 'video') return mime === 'video/mp4' ? 'video' : 'document';
  if (kind === 'audio') return mime === 'audio/mpeg' || mime === 'audio/mp4' ? 'audio' : 'document';
  return 'document';
};
