import type { JsonObject } from '../../kernel/json.js';
import type { Media } from '../../payload/payload.js';
import { foreseenFitting, foreseenObstacle } from '../media-forecast.js';
import { goesAsLink, outcomeOfMediaError } from '../media-error.js';
import type { FilePart } from '../multipart.js';
import type {
  MediaFile,
  ProbedMedium,
  PublishError,
  SendContext,
  ShownCall,
  Step,
  StepOutcome,
  WantedMedia,
} from '../publisher.js';
import { fileOf } from '../shown-calls.js';
import { kindOfFile, mediumOf, type FetchedMedium } from './media-plan.js';
import { FETCH } from './steps.js';

const MB = 1_048_576;

/** What Telegram takes of an upload (networks.md §1). */
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
  for (const { field, type, index } of filesIn(request)) {
    const file = await media(index, WANTED[type]);
    if ('code' in file) {
      release();
      return file;
    }
    lent.push(file);
    parts.push({ field, file });
  }
  return { parts, sizeBytes: lent.reduce((sum, file) => sum + file.sizeBytes, 0), release };
};

/** The call of a step, files and all (D-38); fetching them is none. */
export const shownCalls = ({ name, method, request }: Step, media: readonly Media[]): readonly ShownCall[] => {
  if (name === FETCH) return [];
  const files: Record<string, string> = {};
  for (const { field, index } of filesIn(request)) files[field] = fileOf(media[index]?.url ?? '');
  return [{ method, request: { ...request, ...files } }];
};

/** A field of a form that carries a medium's file. */
interface FileField {
  readonly field: string;
  readonly type: Media['type'];
  readonly index: number;
}

/** The files that a request names: as a medium's own parameter, and in each item of an album. */
const filesIn = (request: JsonObject): FileField[] => {
  const album = (request['media'] ?? []) as readonly JsonObject[];
  const named = [request, ...album].flatMap((part) => FILE_FIELDS.map((name) => part[name]));
  return named.flatMap((reference) => {
    const medium = typeof reference === 'string' ? mediumOf(reference) : null;
    return medium ? [{ field: (reference as string).slice('attach://'.length), ...medium }] : [];
  });
};
const FILE_FIELDS = ['photo', 'video', 'audio', 'document', 'media'];
