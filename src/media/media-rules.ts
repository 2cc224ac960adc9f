import type { Media } from '../payload/payload.js';
import { grouped, type Complaint } from '../validation/wording.js';
import type { Examination } from './examine.js';
import type { Inspection } from './inspector-program.js';

type MediaType = Media['type'];

const MB = 1_048_576; // D-43

/** Formats by the names that the specification has for them. */
type Format = 'jpg' | 'png' | 'webp' | 'mp4' | 'mov' | 'webm' | 'mp3' | 'm4a' | 'ogg';

/** What each type of media may be (publish-api.md: Limits). */
const RULES: Readonly<Record<MediaType, { readonly maxBytes: number; readonly formats: readonly Format[] }>> = {
  photo: { maxBytes: 20 * MB, formats: ['jpg', 'png', 'webp'] },
  video: { maxBytes: 2_048 * MB, formats: ['mp4', 'mov', 'webm'] },
  audio: { maxBytes: 500 * MB, formats: ['mp3', 'm4a', 'ogg'] },
};
const MAX_SUM_BYTES = 4_096 * MB;
/** Of a photo (publish-api.md: Limits). */
export const MAX_PIXELS = 25_000_000;
const MAX_VIDEO_SECONDS = 30 * 60;

/** The largest file that may be fetched for a medium of this type, in bytes (publish-api.md: Limits). */
export const maxBytesOf = (type: MediaType): number => RULES[type].maxBytes;

/** Extensions of the same format under other names. */
const FORMAT_OF: Readonly<Record<string, Format>> = {
  ...{ jpg: 'jpg', png: 'png', apng: 'png', webp: 'webp' },
  ...{ mp4: 'mp4', m4v: 'mp4', mov: 'mov', webm: 'webm' },
  ...{ mp3: 'mp3', m4a: 'm4a', m4b: 'm4a', ogg: 'ogg', oga: 'ogg', opus: 'ogg', spx: 'ogg' },
};

const MIME_OF: Readonly<Record<Format, string>> = {
  ...{ jpg: 'image/jpeg', png: 'image/png', webp: 'image/webp' },
  ...{ mp4: 'video/mp4', mov: 'video/quicktime', webm: 'video/webm' },
  ...{ mp3: 'audio/mpeg', m4a: 'audio/mp4', ogg: 'audio/ogg' },
};

/** What is known of a file on a host or on disk. */
export interface MediaFacts {
  /** Null where nobody says. */
  readonly sizeBytes: number | null;
  /** By the file's own bytes, without parameters; null where they are of no known type. */
  readonly mime: string | null;
  /** Pixels. */
  readonly width?: number;
  readonly height?: number;
  readonly durationSeconds?: number;
}

/** The facts that an examination has found. */
export const factsOf = ({ sizeBytes, inspection, isComplete }: Examination): MediaFacts => {
  const format = formatOf(inspection, isComplete);
  return {
    sizeBytes,
    mime: format ? MIME_OF[format] : (inspection?.mime?.split(';')[0] ?? null),
    ...(inspection?.width !== undefined && { width: inspection.width, height: inspection.height }),
    ...(inspection?.durationSeconds !== undefined && { durationSeconds: inspection.durationSeconds }),
  };
};

/** An MP4 without pictures is an M4A, whatever it calls itself. */
const formatOf = (inspection: Inspection | null, isComplete: boolean): Format | undefined => {
  const format = FORMAT_OF[inspection?.extension ?? ''];
  const isSound = isComplete && inspection?.hasVideo === false && inspection.hasAudio === true;
  return format === 'mp4' && isSound ? 'm4a' : format;
};

/**
 * What is certainly wrong with a file that is to be published as a medium of some type: its real type, its size, its
 * megapixels, its length (publish-api.md: Limits; D-5, D-24). Where its bytes could not be parsed only its size is judged.
 */
export const mediaComplaint = (
  type: MediaType,
  { sizeBytes, inspection, isComplete }: Examination,
): Complaint | undefined => {
  if (sizeBytes === 0) return complaint('media_empty', 'is an empty file: check the link');
  return (
    (inspection && typeComplaint(type, inspection, isComplete)) ??
    sizeComplaint(type, sizeBytes) ??
    (inspection && contentComplaint(type, inspection, isComplete)) ??
    undefined
  );
};

const typeComplaint = (type: MediaType, inspection: Inspection, isComplete: boolean): Complaint | undefined => {
  const { formats } = RULES[type];
  const format = formatOf(inspection, isComplete);
  if (format && formats.includes(format)) return undefined;
  // Until its tracks are known, an MP4 may turn out to be sound alone.
  if (type === 'audio' && format === 'mp4' && !isComplete) return undefined;
  const wanted = `send ${listed(formats)}`;
  const realType = format && (Object.keys(RULES) as MediaType[]).find((one) => RULES[one].formats.includes(format));
  if (format && realType)
    return complaint(
      'media_wrong_type',
      `is ${NAMES[realType]} (${format}), not ${NAMES[type]}: ${wanted}, or give its real type`,
    );
  if (inspection.extension === 'html')
    return complaint('media_wrong_type', `is a web page, not ${NAMES[type]}: use the direct link to the file`);
  if (inspection.mime === null)
    return complaint('media_wrong_type', `is not ${NAMES[type]}, by what is in the file: ${wanted}`);
  return complaint('media_format', `is ${inspection.mime}, which cannot be published as ${NAMES[type]}: ${wanted}`);
};

const sizeComplaint = (type: MediaType, sizeBytes: number | null): Complaint | undefined => {
  const { maxBytes } = RULES[type];
  if (sizeBytes === null || sizeBytes <= maxBytes) return undefined;
  return complaint(
    'media_too_large',
    `has ${bytes(sizeBytes)}; ${NAMES[type]} may have ${bytes(maxBytes)}: make it smaller`,
  );
};

const contentComplaint = (type: MediaType, inspection: Inspection, isComplete: boolean): Complaint | undefined => {
  const { width = 0, height = 0, durationSeconds = 0, hasVideo, hasAudio } = inspection;
  const pixels = width * height;
  if (type === 'photo' && pixels > MAX_PIXELS)
    return complaint(
      'media_too_many_pixels',
      `has ${width} x ${height} = ${grouped(pixels)} pixels; at most ${grouped(MAX_PIXELS)} are allowed: scale it down`,
    );
  if (hasVideo === undefined || hasAudio === undefined) return undefined;
  if (type === 'video' && durationSeconds > MAX_VIDEO_SECONDS)
    return complaint(
      'media_too_long',
      `lasts ${clock(durationSeconds)}; at most ${clock(MAX_VIDEO_SECONDS)} are allowed: cut it`,
    );
  if (!isComplete || hasVideo) return undefined;
  if (!hasAudio) return DAMAGED;
  return type === 'video'
    ? complaint('media_wrong_type', 'has no pictures in it, only sound: send a video')
    : undefined;
};

/** The sum of the sizes that are known (publish-api.md: Limits). It is a complaint about the list, not about one medium. */
export const sumComplaint = (facts: readonly Pick<MediaFacts, 'sizeBytes'>[]): Complaint | undefined => {
  const sum = facts.reduce((total, { sizeBytes }) => total + (sizeBytes ?? 0), 0);
  if (sum <= MAX_SUM_BYTES) return undefined;
  return complaint(
    'media_sum_too_large',
    `have ${bytes(sum)} together; at most ${bytes(MAX_SUM_BYTES)} are allowed: send fewer or smaller files`,
  );
};

const complaint = (code: string, what: string): Complaint => ({ code, what });
const DAMAGED = complaint('media_damaged', 'is damaged: it ends before its contents begin; export it anew');
const NAMES: Readonly<Record<MediaType, string>> = { photo: 'a photo', video: 'a video', audio: 'audio' };

const listed = (words: readonly string[]): string => `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

/** `20.1 MB (21,075,001 bytes)`; one byte too many must not read like the limit itself. */
const bytes = (count: number): string => `${Math.round((count / MB) * 10) / 10} MB (${grouped(count)} bytes)`;

/** `30:00`, `30:00.5`, `1:02:03`. */
const clock = (seconds: number): string => {
  const tenths = Math.ceil(seconds * 10);
  const [hours, minutes] = [Math.floor(tenths / 36_000), Math.floor(tenths / 600) % 60];
  const rest = `${String(Math.floor(tenths / 10) % 60).padStart(2, '0')}${tenths % 10 ? `.${tenths % 10}` : ''}`;
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`;
};
