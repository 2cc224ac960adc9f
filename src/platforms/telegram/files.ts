import type { Json, JsonObject } from '../../kernel/ids.js';
import type { LocatedMedium, Media } from '../../payload/payload.js';
import { sourceOf } from '../../payload/uploads.js';
import type { FilePart } from '../exchange.js';
import { becomesLink, classifyMediaError, forecastObstacle, willBeFitted } from '../media.js';
import { doneWithoutMessage } from '../outcomes.js';
import { coverPlaceholder, filePlaceholder } from '../preview-calls.js';
import {
  type MediaFile,
  type MediaLimits,
  type PreviewCall,
  type ProbedMedium,
  type PublishError,
  type SendContext,
  type Step,
  type StepOutcome,
  videoFactsOf,
  type WantedMedium,
} from '../publisher.js';
import { TELEGRAM_LIMITS } from './limits.js';
import { coverName, FETCH, type FetchedMedium, kindOfFile, parseAttachment } from './media-plan.js';

const WANTED: Readonly<Record<Media['type'], MediaLimits>> = TELEGRAM_LIMITS.media;

/**
 * Downloads a post's media before anything is sent, so that media that cannot be sent are left out when the messages
 * are planned. The result has each medium's kind, or why it becomes a link. The files stay in the cache for later
 * steps.
 */
export const fetchMedia = async (step: Step, { media }: SendContext): Promise<StepOutcome> => {
  const types = step.request['types'] as readonly Media['type'][];
  const fetched = await Promise.all(
    types.map(async (type, index): Promise<FetchedMedium | PublishError> => {
      const kept = keptOf(step, index);
      if (kept) return kept;
      const file = await media(index, WANTED[type]);
      if ('code' in file) return becomesLink(file) ? { link: file.code } : file;
      file.release();
      const kind = kindOfFile(type, file.mime);
      return {
        kind,
        ...(file.isFitted && { fitted: true }),
        ...(kind === 'video' && file.video && { video: file.video, ...(file.cover && { cover: true }) }),
      };
    }),
  );
  const errors = fetched.filter((one): one is PublishError => 'code' in one);
  // A permanent error takes precedence over a temporary one.
  const [worst] = errors.sort((a, b) => Number(b.category === 'media') - Number(a.category === 'media'));
  if (worst) return classifyMediaError(worst);
  return doneWithoutMessage({ media: fetched as FetchedMedium[] });
};

/** Returns a step's media: all of the post's media for the download step, otherwise the media in the request. */
export const mediaOf = ({ name, request }: Step): readonly WantedMedium[] => {
  if (name !== FETCH) return listFiles(request).map(({ index, type }) => ({ index, limits: WANTED[type] }));
  const types = request['types'] as readonly Media['type'][];
  const wanted = types.map((type, index) => ({ index, limits: WANTED[type] }));
  return wanted.filter(({ index }) => !keptOf({ request }, index));
};

/** Returns what is known about a medium that needs no download. */
const keptOf = ({ request }: Pick<Step, 'request'>, index: number): FetchedMedium | null =>
  ((request['kept'] ?? []) as unknown as readonly (FetchedMedium | null)[])[index] ?? null;

/**
 * Predicts the result of {@link fetchMedia}; null for a medium whose real type is unknown. Whether a video has a cover is
 * known only when it is on disk (ADR-282).
 */
export const forecastFiles = (media: readonly ProbedMedium[]): SendContext['results'] => {
  if (media.length === 0) return {};
  const found = media.map((medium): FetchedMedium | null => {
    const obstacle = forecastObstacle(medium, WANTED[medium.type]);
    if (obstacle) return { link: obstacle.code };
    const isFitted = willBeFitted(medium, WANTED[medium.type]);
    if (medium.mime === null) return null;
    const kind = kindOfFile(medium.type, medium.mime);
    const video = kind === 'video' ? videoFactsOf(medium) : undefined;
    const cover = video && (medium.sizeBytes ?? 0) > TELEGRAM_LIMITS.media.video.cover.aboveBytes;
    return {
      kind,
      ...(isFitted && { fitted: true }),
      ...(video && { video }),
      ...(cover && { cover }),
    };
  });
  return { [FETCH]: { media: found } };
};

interface AttachedFiles {
  /** The request, without the thumbnails that are not among the parts. */
  readonly request: JsonObject;
  readonly parts: readonly FilePart[];
  /** Total size of all files. */
  readonly sizeBytes: number;
  release(): void;
}

/** Opens the files that a request refers to, or returns the first error. The caller must release the files. */
export const attachFiles = async (
  request: JsonObject,
  media: SendContext['media'],
): Promise<AttachedFiles | PublishError> => {
  const files: MediaFile[] = [];
  const parts: FilePart[] = [];
  const release = (): void => files.forEach((file) => file.release());
  for (const { field, type, index, hasCover } of listFiles(request)) {
    const file = await media(index, WANTED[type]);
    if ('code' in file) {
      release();
      return file;
    }
    files.push(file);
    parts.push({ field, file });
    if (hasCover && file.cover) parts.push({ field: coverName(index), file: file.cover });
  }
  const sizeBytes = parts.reduce((sum, { file }) => sum + file.sizeBytes, 0);
  return { request: withoutMissingCovers(request, parts), parts, sizeBytes, release };
};

/** A file that was downloaded once more may have lost its cover. */
const withoutMissingCovers = (request: JsonObject, parts: readonly FilePart[]): JsonObject => {
  const attached = parts.map(({ field }) => `attach://${field}`);
  const check = (part: JsonObject): JsonObject => {
    const { thumbnail, ...rest } = part;
    return typeof thumbnail === 'string' && attached.includes(thumbnail) ? part : rest;
  };
  const { media } = request;
  if (media === undefined) return check(request);
  return {
    ...check(request),
    media: isArray(media) ? media.map((item) => check(item as JsonObject)) : check(media as JsonObject),
  };
};

const isArray = (value: Json): value is readonly Json[] => Array.isArray(value);

/** Returns a step's call, with placeholders for its files (D-38). The download step makes no call. */
export const previewCalls = (
  { name, method, request }: Step,
  media: readonly LocatedMedium[],
): readonly PreviewCall[] => {
  if (name === FETCH) return [];
  const files: Record<string, string> = {};
  for (const { field, index, hasCover } of listFiles(request)) {
    const source = media[index] ? sourceOf(media[index]) : '';
    files[field] = filePlaceholder(source);
    if (hasCover) files[coverName(index)] = coverPlaceholder(source);
  }
  return [{ method, request: { ...request, ...files } }];
};

interface FileField {
  readonly field: string;
  readonly type: Media['type'];
  readonly index: number;
  /** True if the request names a thumbnail for it. */
  readonly hasCover: boolean;
}

/** Lists the files in a request: in the parameter of a single medium, and in each item of an album or an edit. */
const listFiles = (request: JsonObject): FileField[] => {
  // An edit has one item, an album several.
  const items = [request['media'] ?? []].flat() as readonly JsonObject[];
  const named = [request, ...items].flatMap((part) =>
    FILE_FIELDS.map((name) => [part[name], part['thumbnail'] !== undefined] as const),
  );
  return named.flatMap(([reference, hasCover]) => {
    const medium = typeof reference === 'string' ? parseAttachment(reference) : null;
    return medium ? [{ field: (reference as string).slice('attach://'.length), hasCover, ...medium }] : [];
  });
};
const FILE_FIELDS = ['photo', 'video', 'audio', 'document', 'media'];
