import { oneOf } from '../kernel/message.js';
import type { Media } from '../payload/payload.js';
import { type FieldProblem, formatCount } from '../validation/wording.js';
import type { Inspection } from './inspector.js';
import { MEDIA_MESSAGES } from './messages.js';
import type { Examination } from './probe.js';

type MediaType = Media['type'];

const MB = 1_048_576; // D-43

/** Formats, named as in publish-api.md. */
type Format = 'jpg' | 'png' | 'webp' | 'mp4' | 'mov' | 'webm' | 'mp3' | 'm4a' | 'ogg';

/** Limits for each media type (publish-api.md: Limits). */
const RULES: Readonly<Record<MediaType, { readonly maxBytes: number; readonly formats: readonly Format[] }>> = {
  photo: { maxBytes: 20 * MB, formats: ['jpg', 'png', 'webp'] },
  video: { maxBytes: 2_048 * MB, formats: ['mp4', 'mov', 'webm'] },
  audio: { maxBytes: 500 * MB, formats: ['mp3', 'm4a', 'ogg'] },
};
const MAX_SUM_BYTES = 4_096 * MB;
/** Maximum pixels of a photo (publish-api.md: Limits). */
export const MAX_PIXELS = 25_000_000;
const MAX_VIDEO_SECONDS = 30 * 60;

/** Returns the largest file size of a media type, in bytes (publish-api.md: Limits). */
export const maxBytesOf = (type: MediaType): number => RULES[type].maxBytes;

/** Formats by extension. */
const FORMAT_OF: Readonly<Record<string, Format>> = {
  jpg: 'jpg',
  png: 'png',
  apng: 'png',
  webp: 'webp',
  mp4: 'mp4',
  m4v: 'mp4',
  mov: 'mov',
  webm: 'webm',
  mp3: 'mp3',
  m4a: 'm4a',
  m4b: 'm4a',
  ogg: 'ogg',
  oga: 'ogg',
  opus: 'ogg',
  spx: 'ogg',
};

/** MIME types by format, which is also the usual extension. */
export const MIME_OF: Readonly<Record<Format, string>> = {
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

/** Known facts about a file. */
export interface MediaFacts {
  /** Null if unknown. */
  readonly sizeBytes: number | null;
  /** MIME type detected from the file's bytes, without parameters; null if unknown. */
  readonly mime: string | null;
  /** Pixels. */
  readonly width?: number;
  readonly height?: number;
  readonly durationSeconds?: number;
}

export const factsOf = ({ sizeBytes, inspection, isComplete }: Examination): MediaFacts => {
  const format = formatOf(inspection, isComplete);
  return {
    sizeBytes,
    mime: format ? MIME_OF[format] : (inspection?.mime?.split(';')[0] ?? null),
    ...(inspection?.width !== undefined && { width: inspection.width, height: inspection.height }),
    ...(inspection?.durationSeconds !== undefined && { durationSeconds: inspection.durationSeconds }),
  };
};

/** Returns the format; an MP4 without a video track is an M4A, whatever its name. */
const formatOf = (inspection: Inspection | null, isComplete: boolean): Format | undefined => {
  const format = FORMAT_OF[inspection?.extension ?? ''];
  const isSound = isComplete && inspection?.hasVideo === false && inspection.hasAudio === true;
  return format === 'mp4' && isSound ? 'm4a' : format;
};

/**
 * Finds a definite problem with publishing a file as a media type (publish-api.md: Limits; D-5, D-24). If its bytes
 * could not be parsed, checks only its size.
 */
export const findMediaProblem = (
  type: MediaType,
  { sizeBytes, inspection, isComplete }: Examination,
): FieldProblem | undefined => {
  if (sizeBytes === 0) return problem('media_empty', MEDIA_MESSAGES.empty);
  return (
    (inspection && findTypeProblem(type, inspection, isComplete)) ??
    findSizeProblem(type, sizeBytes) ??
    (inspection && findContentProblem(type, inspection, isComplete)) ??
    undefined
  );
};

const findTypeProblem = (type: MediaType, inspection: Inspection, isComplete: boolean): FieldProblem | undefined => {
  const { formats } = RULES[type];
  const format = formatOf(inspection, isComplete);
  if (format && formats.includes(format)) return undefined;
  // Until its tracks are known, an MP4 may contain audio only.
  if (type === 'audio' && format === 'mp4' && !isComplete) return undefined;
  const wanted = NAMES[type];
  const alternatives = { wanted, formats: oneOf(formats) };
  const realType = format && (Object.keys(RULES) as MediaType[]).find((one) => RULES[one].formats.includes(format));
  if (format && realType)
    return problem('media_wrong_type', MEDIA_MESSAGES.otherType({ found: NAMES[realType], format, ...alternatives }));
  if (inspection.extension === 'html') return problem('media_wrong_type', MEDIA_MESSAGES.webPage({ wanted }));
  if (inspection.mime === null) return problem('media_wrong_type', MEDIA_MESSAGES.notOfType(alternatives));
  return problem('media_format', MEDIA_MESSAGES.unsupportedFormat({ mime: inspection.mime, ...alternatives }));
};

const findSizeProblem = (type: MediaType, sizeBytes: number | null): FieldProblem | undefined => {
  const { maxBytes } = RULES[type];
  if (sizeBytes === null || sizeBytes <= maxBytes) return undefined;
  return problem(
    'media_too_large',
    MEDIA_MESSAGES.tooLarge({ size: bytes(sizeBytes), type: NAMES[type], limit: bytes(maxBytes) }),
  );
};

const findContentProblem = (type: MediaType, inspection: Inspection, isComplete: boolean): FieldProblem | undefined => {
  const { width = 0, height = 0, durationSeconds = 0, hasVideo, hasAudio } = inspection;
  const pixels = width * height;
  if (type === 'photo' && pixels > MAX_PIXELS)
    return problem(
      'media_too_many_pixels',
      MEDIA_MESSAGES.tooManyPixels({ width, height, pixels: formatCount(pixels), limit: formatCount(MAX_PIXELS) }),
    );
  if (hasVideo === undefined || hasAudio === undefined) return undefined;
  if (type === 'video' && durationSeconds > MAX_VIDEO_SECONDS)
    return problem(
      'media_too_long',
      MEDIA_MESSAGES.tooLong({ duration: clock(durationSeconds), limit: clock(MAX_VIDEO_SECONDS) }),
    );
  if (!isComplete || hasVideo) return undefined;
  if (!hasAudio) return DAMAGED;
  return type === 'video' ? problem('media_wrong_type', MEDIA_MESSAGES.noVideoTrack) : undefined;
};

/** Type and format of a file, detected from its bytes alone. */
export interface DetectedFile {
  readonly type: MediaType;
  /** Also the usual extension. */
  readonly format: string;
  readonly mime: string;
}

/**
 * Determines the type of an uploaded file, or why it cannot be published (D-90). What is not certain counts as damage,
 * because the whole file is here. @param examination null inspection: its bytes crash the parser
 */
export const detectFile = (examination: Examination): DetectedFile | FieldProblem => {
  const { sizeBytes, inspection, isComplete } = examination;
  if (sizeBytes === 0) return problem('media_empty', MEDIA_MESSAGES.emptyUpload);
  if (!inspection) return DAMAGED;
  const found = detectType(inspection, isComplete);
  if (!found) return problem('media_format', MEDIA_MESSAGES.unknownUpload({ formats: oneOf(ALL_FORMATS) }));
  const { type } = found;
  const isUnknown = type === 'photo' ? inspection.width === undefined : type === 'video' && !inspection.hasVideo;
  const wrong = findMediaProblem(type, examination) ?? (isUnknown && isComplete ? DAMAGED : undefined);
  if (wrong?.code === 'media_wrong_type') return problem('media_format', wrong.predicate);
  return wrong ?? found;
};

/**
 * Returns the type of a file, judging by its first bytes, or why no such file can be published; null if they do not say.
 * @param sizeBytes null if it is unknown
 */
export const detectHead = (inspection: Inspection, sizeBytes: number | null): DetectedFile | FieldProblem | null => {
  if (inspection.mime === null) return null;
  const found = detectType(inspection, false);
  if (!found) return problem('media_format', MEDIA_MESSAGES.unknownUpload({ formats: oneOf(ALL_FORMATS) }));
  return findSizeProblem(found.type, sizeBytes) ?? found;
};

/** Finds a problem with the announced or received size of an upload. @param type null while it is unknown */
export const findUploadSizeProblem = (type: MediaType | null, sizeBytes: number): FieldProblem | undefined =>
  findSizeProblem(type ?? 'video', sizeBytes);

const detectType = (inspection: Inspection, isComplete: boolean): DetectedFile | undefined => {
  const format = formatOf(inspection, isComplete);
  const type = format && (Object.keys(RULES) as MediaType[]).find((one) => RULES[one].formats.includes(format));
  return type && { type, format, mime: MIME_OF[format] };
};

const ALL_FORMATS = Object.values(RULES).flatMap(({ formats }) => formats);

/** Finds a problem with the total of the known sizes (publish-api.md: Limits). */
export const findSumProblem = (facts: readonly Pick<MediaFacts, 'sizeBytes'>[]): FieldProblem | undefined => {
  const sum = facts.reduce((total, { sizeBytes }) => total + (sizeBytes ?? 0), 0);
  if (sum <= MAX_SUM_BYTES) return undefined;
  return problem('media_sum_too_large', MEDIA_MESSAGES.sumTooLarge({ size: bytes(sum), limit: bytes(MAX_SUM_BYTES) }));
};

const problem = (code: string, predicate: string): FieldProblem => ({ code, predicate });
const DAMAGED = problem('media_damaged', MEDIA_MESSAGES.damaged);
const NAMES: Readonly<Record<MediaType, string>> = { photo: 'a photo', video: 'a video', audio: 'audio' };

/**
 * Formats a size as `20.1 MB (21,075,001 bytes)`, so that a size one byte over a limit does not read like the limit.
 */
const bytes = (count: number): string => `${Math.round((count / MB) * 10) / 10} MB (${formatCount(count)} bytes)`;

/** Formats seconds as `30:00`, `30:00.5` or `1:02:03`. */
const clock = (seconds: number): string => {
  const tenths = Math.ceil(seconds * 10);
  const [hours, minutes] = [Math.floor(tenths / 36_000), Math.floor(tenths / 600) % 60];
  const rest = `${String(Math.floor(tenths / 10) % 60).padStart(2, '0')}${tenths % 10 ? `.${tenths % 10}` : ''}`;
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`;
};
