import type { JsonObject } from '../../kernel/json.js';
import type { Media } from '../../payload/payload.js';
import { foreseenFitting, foreseenObstacle } from '../foreseen.js';
import { goesAsLink, outcomeOfMediaError } from '../media-error.js';
import type { FilePart } from '../multipart.js';
import type {
  MediaFile,
  ProbedMedium,
  PublishError,
  SendContext,
  Step,
  StepOutcome,
  WantedMedia,
} from '../publisher.js';
import { kindOfFile, mediumOf, type FetchedMedium } from './media-plan.js';
import { FETCH } from './steps.js';

const MB = 1_048_576;

/** What Telegram takes of an upload (platforms.md §1). */
const WANTED: Readonly<Record<Media['type'], WantedMedia>> = {
  photo: { maxBytes: 10 * MB, maxSum: 10_000, maxRatio: 20, formats: ['image/jpeg', 'image/png'] },
  video: { maxBytes: 50 * MB, formats: ['video/mp4', 'video/quicktime', 'video/webm'] },
  audio: { maxBytes: 50 * MB, formats: ['audio/mpeg', 'audio/mp4', 'audio/ogg'] },
};

/**
 * Fetches a post's media before anything is sent, so that what cannot go is known while the messages can still be laid
 * out without it. The result says what each arrives as; the files stay in the cache for the steps that send them.
 */
export const fetchMedia = async (step: Step, { media }: SendContext): Promise<StepOutcome> => {
  const types = step.request['types'] as readonly Media['type'][];
  const fetched = await Promise.all(
    types.map(async (type, index): Promise<FetchedMedium | PublishError> => {
      const file = await media(index, WANTED[type]);
      if ('code' in file) return goesAsLink(file) ? { link: file.code } : file;
      file.release();
      return { kind: kindOfFile(type, file.mime), ...(file.isFitted && { fitted: true }) };
    }),
  );
  const errors = fetched.filter((one): one is PublishError => 'code' in one);
  // What is wrong for good outweighs what may pass.
  const [worst] = errors.sort((a, b) => Number(b.category === 'media') - Number(a.category === 'media'));
  if (worst) return outcomeOfMediaError(worst);
  return {
    kind: 'done',
    result: { media: fetched as Exclude<(typeof fetched)[number], PublishError>[] },
    messageIds: [],
    urls: [],
  };
};

/** What {@link fetchMedia} will find, as far as it can be told; null for a medium of which nothing is certain. */
export const foreseeFiles = (media: readonly ProbedMedium[]): SendContext['results'] => {
  if (media.length === 0) return {};
  const found = media.map((medium): FetchedMedium | null => {
    const obstacle = foreseenObstacle(medium, WANTED[medium.type]);
    if (obstacle) return { link: obstacle.code };
    const isFitted = foreseenFitting(medium, WANTED[medium.type]);
    return medium.mime === null
      ? null
      : { kind: kindOfFile(medium.type, medium.mime), ...(isFitted && { fitted: true }) };
  });
  return { [FETCH]: { media: found } };
};

/** The files that a request refers to, which whoever asked releases. */
export interface AttachedFiles {
  readonly parts: readonly FilePart[];
  /** Bytes of the files in all. */
  readonly sizeBytes: number;
  release(): void;
}

/** The files that a request refers to; the first error where one cannot be had. Nothing was sent then. */
export const attachFiles = async (
  request: JsonObject,
  media: SendContext['media'],
): Promise<AttachedFiles | PublishError> => {
  const lent: MediaFile[] = [];
  const parts: FilePart[] = [];
  const release = (): void => {
    for (const file of lent) file.release();
  };
  for (const reference of referencesIn(request)) {
    const medium = mediumOf(reference);
    if (!medium) continue;
    const file = await media(medium.index, WANTED[medium.type]);
    if ('code' in file) {
      release();
      return file;
    }
    lent.push(file);
    parts.push({ field: reference.slice('attach://'.length), file });
  }
  return { parts, sizeBytes: lent.reduce((sum, file) => sum + file.sizeBytes, 0), release };
};

/** Where a request names files: a medium's own parameter, and each item of an album. */
const referencesIn = (request: JsonObject): string[] => {
  const album = (request['media'] ?? []) as readonly JsonObject[];
  const named = [request, ...album].flatMap((part) => FILE_FIELDS.map((name) => part[name]));
  return named.filter((value) => typeof value === 'string');
};
const FILE_FIELDS = ['photo', 'video', 'audio', 'document', 'media'];
