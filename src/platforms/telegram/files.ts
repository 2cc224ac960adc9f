import type { Json, JsonObject } from '../../kernel/ids.js';
import type { LocatedMedium, Media } from '../../payload/payload.js';
import { sourceOf } from '../../payload/uploads.js';
import type { FilePart } from '../exchange.js';
import {
  becomesLink,
  classifyMediaError,
  coverPlaceholder,
  filePlaceholder,
  fittedWarnings,
  forecastObstacle,
  linkedMediaWarnings,
  willBeFitted,
} from '../media.js';
import { DEGRADATION_MESSAGES as MESSAGES } from '../messages.js';
import { doneWithoutMessage } from '../outcomes.js';
import {
  type MediaFile,
  type MediaLimits,
  type PreviewCall,
  type ProbedMedium,
  type PublishError,
  type SendContext,
  type Step,
  type StepOutcome,
  type VideoFacts,
  videoFactsOf,
  type WantedMedium,
  type Warning,
} from '../publisher.js';
import { TELEGRAM_LIMITS, TITLE } from './limits.js';

/** Media type on Telegram; a document is a video or audio file in a format that Telegram does not play. */
export type TelegramKind = Media['type'] | 'document';

export interface PlannedItem {
  readonly kind: TelegramKind;
  /** The reference to the attached file: see {@link attachmentName}. */
  readonly attachment: string;
  /** Size and length of a video, if known. */
  readonly video?: VideoFacts | undefined;
  /** The reference to its attached cover picture, if it has one. */
  readonly thumbnail?: string | undefined;
}

/** The media of one message: a single medium, or an album of two to ten. */
export interface PlannedGroup {
  /** Name of the step. */
  readonly name: string;
  readonly items: readonly PlannedItem[];
}

/** How a post's media are distributed across messages. */
export interface MediaPlan {
  /** In sending order: photos and videos, then audio files, then each document. */
  readonly groups: readonly PlannedGroup[];
  /** URLs of media that cannot be sent (D-22). */
  readonly links: readonly string[];
  /** True if Telegram refused a message: earlier messages have no caption, so the text follows in its own message. */
  readonly sendsTextSeparately: boolean;
  readonly warnings: readonly Warning[];
}

/** Result of downloading one medium: its kind, or why it becomes a link. */
export type FetchedMedium =
  | { readonly kind: TelegramKind; readonly fitted?: true; readonly video?: VideoFacts; readonly cover?: true }
  | { readonly link: string };

/** Formats that are sent as documents, by the file's MIME type and by the URL's extension (networks.md §1, D-22). */
const DOCUMENT_MIME = /^(?:video\/(?!mp4$)|audio\/(?!mpeg$|mp4$))/;
const DOCUMENT_ENDING = /\.(?:mov|webm|ogg|oga|opus)$/i;

/** Returns the kind of a file. @param mime detected from its bytes */
const kindOfFile = (type: Media['type'], mime: string): TelegramKind =>
  type !== 'photo' && DOCUMENT_MIME.test(mime) ? 'document' : type;

/** Returns the reference that a request uses for a medium's file. */
const attachmentName = (type: Media['type'], index: number): string => `attach://${type}-${index}`;

/** Returns the name of the part with the cover picture of a medium. */
const coverName = (index: number): string => `cover-${index}`;

/** Parses a reference to a medium's file; returns null for anything else. */
export const parseAttachment = (reference: string): { readonly type: Media['type']; readonly index: number } | null => {
  const [, type, index] = /^attach:\/\/(photo|video|audio)-(\d+)$/.exec(reference) ?? [];
  return type === undefined ? null : { type: type as Media['type'], index: Number(index) };
};

/**
 * Distributes media across messages (networks.md §1): photos and videos together, audio files together, each document
 * in a separate message. Until the media are downloaded, the formats are taken from the URL extensions.
 *
 * @param fetched result of the download step, if it is done
 * @param results results of the groups sent so far; `refused` is why Telegram refused a group (D-22)
 */
export const planMedia = (
  media: readonly LocatedMedium[],
  fetched: JsonObject | undefined,
  results: SendContext['results'],
): MediaPlan => {
  const found = (fetched?.['media'] ?? []) as unknown as readonly (FetchedMedium | null)[];
  const links: string[] = [];
  const warnings: Warning[] = [];
  const items: PlannedItem[] = [];
  for (const [index, medium] of media.entries()) {
    const { type, url } = medium;
    const guess: FetchedMedium = found[index] ?? { kind: guessed(type, url) };
    const refused = 'kind' in guess ? results[groupOf(guess.kind, index)]?.['refused'] : undefined;
    const what = typeof refused === 'string' ? { link: refused } : guess;
    if ('link' in what) {
      links.push(url);
      warnings.push(...linkedMediaWarnings('media_as_link', index, medium, what.link));
      continue;
    }
    warnings.push(...fittedWarnings(what.fitted && { fitted: true }, index));
    if (what.kind === 'document') {
      const message = MESSAGES.mediaAsDocument({ network: TITLE, index });
      warnings.push({ code: 'media_as_document', message });
    }
    const thumbnail = what.cover && `attach://${coverName(index)}`;
    items.push({ kind: what.kind, attachment: attachmentName(type, index), video: what.video, thumbnail });
  }
  const those = (...kinds: readonly TelegramKind[]): PlannedItem[] => items.filter(({ kind }) => kinds.includes(kind));
  const groups = [
    { name: groupOf('photo', 0), items: those('photo', 'video') },
    { name: groupOf('audio', 0), items: those('audio') },
    ...those('document').map((item): PlannedGroup => ({
      name: groupOf('document', parseAttachment(item.attachment)?.index ?? 0),
      items: [item],
    })),
  ];
  return {
    groups: groups.filter((group) => group.items.length > 0),
    links,
    sendsTextSeparately: Object.values(results).some((result) => 'refused' in result),
    warnings,
  };
};

/** Returns the name of a medium's group. @param index index of the medium, from 0 */
const groupOf = (kind: TelegramKind, index: number): string => {
  if (kind === 'document') return `document-${index}`;
  return kind === 'audio' ? 'audio' : 'visual';
};

const guessed = (type: Media['type'], url: string): TelegramKind => {
  const path = URL.canParse(url) ? new URL(url).pathname : '';
  return type !== 'photo' && DOCUMENT_ENDING.test(path) ? 'document' : type;
};

/** Name of the step that downloads a post's media. Its result determines the other steps. */
export const FETCH = 'media';

/**
 * Returns the step that downloads all media.
 * @param kept what is known about media that need no download, by index; null for the others
 */
export const fetchStep = (media: readonly LocatedMedium[], kept?: readonly (FetchedMedium | null)[]): Step => ({
  name: FETCH,
  visible: false,
  method: '(download)',
  request: {
    types: media.map(({ type }) => type),
    urls: media.map(sourceOf),
    ...(kept && { kept }),
  },
});

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
