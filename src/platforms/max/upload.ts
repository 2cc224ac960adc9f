import type { JsonObject } from '../../kernel/json.js';
import { exchange } from '../exchange.js';
import { markFitted } from '../fitted-photos.js';
import { becomesLink, classifyMediaError } from '../media-error.js';
import { forecastUploads } from '../media-forecast.js';
import { createMultipart } from '../multipart.js';
import { extractWords } from '../platform-says.js';
import type {
  MediaFile,
  MediaLimits,
  ProbedMedium,
  SendContext,
  Step,
  StepOutcome,
  WantedMedium,
} from '../publisher.js';
import { callMax, type MaxConnection, parseObject, readResponse } from './call.js';
import { classify, maxError, type MaxFailure } from './classify.js';
import { MAX_LIMITS } from './limits.js';
import { MAX_MESSAGES } from './messages.js';
import { type MaxMediaType, uploadStepName } from './render.js';
import { FILE_FIELD, uploadAddressCall } from './upload-calls.js';

/** Limits by MAX's name for the media type. */
const WANTED: Readonly<Record<MaxMediaType, MediaLimits>> = {
  ...MAX_LIMITS.media,
  image: MAX_LIMITS.media.photo,
};

/** Minimum upload speed, in bytes per ms; a slower upload times out. */
const SLOWEST_BYTES_PER_MS = 128;

/**
 * Uploads a medium: requests the upload URL and sends the file there. The result has the attachment's `payload`, or
 * `link`: the reason why MAX refuses the medium, which then becomes a link (D-22). Readers do not see an upload, so any
 * other failure may be retried.
 */
export const uploadMedium = async (
  connection: MaxConnection,
  step: Step,
  token: string,
  context: SendContext,
): Promise<StepOutcome> => {
  const type = step.request['type'] as MaxMediaType;
  const [{ index, limits }] = mediaOf(step) as [WantedMedium];
  const file = await context.media(index, limits);
  if ('code' in file) return becomesLink(file) ? done({ link: file.code }) : classifyMediaError(file);
  try {
    const { waits, signal } = context;
    const circumstances = { visible: false, waits };
    const place = await callMax(connection, { ...uploadAddressCall(type), token, signal });
    if (place.kind !== 'answered') return linkRefusedMedium(classify(place, circumstances));
    const { url, token: early } = place.body as Readonly<Record<string, unknown>>;
    if (!isUploadUrl(url, connection.apiUrl)) {
      return classify({ kind: 'unreadable', status: place.status, retryAfter: undefined }, circumstances);
    }
    const uploaded = await sendFile(connection, url, file, token, signal);
    if (uploaded.kind !== 'uploaded') {
      if (uploaded.kind === 'unreadable' && uploaded.status === 413) return linked('media_too_large', uploaded.says);
      if (uploaded.kind === 'refused' && WRONG_PLACE.has(uploaded.status)) return retryElsewhere(uploaded);
      return linkRefusedMedium(classify(uploaded, circumstances));
    }
    const payload = payloadOf(uploaded.body, early);
    return payload
      ? markFitted(done({ payload }), file)
      : classify({ ...unreadable, status: uploaded.status, says: extractWords(uploaded.body) }, circumstances);
  } finally {
    file.release();
  }
};

/** Returns a list with the medium that a step uploads; an empty list for a step without an upload. */
export const mediaOf = ({ request }: Step): readonly WantedMedium[] =>
  request['medium'] === undefined
    ? []
    : [{ index: Number(request['medium']), limits: WANTED[request['type'] as MaxMediaType] }];

/** Predicts the results of {@link uploadMedium} for media that cannot be sent, and for photos that must be fitted. */
export const forecastMedia = (media: readonly ProbedMedium[]): SendContext['results'] =>
  forecastUploads(media, MAX_LIMITS.media, uploadStepName, ({ code }) => ({ link: code }));

const unreadable = { kind: 'unreadable', retryAfter: undefined } as const;

/** Turns a permanent refusal into a link: the rest of the post is sent, with MAX's own words in a warning (D-35). */
const linkRefusedMedium = (outcome: StepOutcome): StepOutcome => {
  if (outcome.kind !== 'failed') return outcome;
  return linked(outcome.error.code, outcome.error.platform_says);
};

const linked = (code: string, says = ''): StepOutcome =>
  done({ link: says === '' ? code : `${code}: ${says.slice(0, 500)}` });

/**
 * Statuses that mean that MAX refused the upload URL, not the file: the request contains no token or chat id that it
 * could refuse. A retry gets a new URL.
 */
const WRONG_PLACE: ReadonlySet<number> = new Set([401, 403, 404, 410]);

const retryElsewhere = (refusal: Extract<MaxFailure, { kind: 'refused' }>): StepOutcome => {
  const message = MAX_MESSAGES.uploadUrlRefused;
  return {
    kind: 'retry',
    named: false,
    afterMs: null,
    error: maxError('upload_refused', 'platform', message, refusal),
  };
};

const done = (result: JsonObject): StepOutcome => ({ kind: 'done', result, messageIds: [], urls: [] });

/** True for an https URL, or for an http URL if the API's own URL is also http. */
const isUploadUrl = (url: unknown, apiUrl: string): url is string =>
  typeof url === 'string' &&
  URL.canParse(url) &&
  (/^https:/i.test(url) || (/^http:/i.test(url) && /^http:/i.test(apiUrl)));

type Uploaded = { readonly kind: 'uploaded'; readonly status: number; readonly body: Buffer } | MaxFailure;

/**
 * Sends the file, without the token: the URL alone identifies the upload. The response is read like any other response
 * from MAX.
 */
const sendFile = async (
  { connections, timeoutMs }: MaxConnection,
  url: string,
  file: MediaFile,
  token: string,
  signal: AbortSignal,
): Promise<Uploaded> => {
  const request = { method: 'POST', url, ...createMultipart([{ field: FILE_FIELD, file }]) } as const;
  const limits = { timeoutMs: timeoutMs + Math.ceil(file.sizeBytes / SLOWEST_BYTES_PER_MS), signal };
  const answer = await exchange(connections, request, limits);
  request.body.destroy();
  if (answer.kind !== 'answered') return answer;
  const said = readResponse(answer, token);
  // A successful response may be XML.
  const isXml = said.kind === 'unreadable' && said.status >= 200 && said.status < 300;
  return said.kind === 'answered' || isXml ? { kind: 'uploaded', status: answer.status, body: answer.body } : said;
};

/** Returns the attachment's payload from the response to an upload, in any known form; null if there is none. */
const payloadOf = (body: Buffer, early: unknown): JsonObject | null => {
  const given = parseObject(body);
  if (given) {
    const { token, photos } = given;
    if (typeof token === 'string' && token) return { token };
    // An object with neither a token nor photos is an error, or meaningless.
    return isPhotos(photos) ? { photos } : null;
  }
  const isTaken = /<retval>\s*1\s*<\/retval>/i.test(body.toString());
  return isTaken && typeof early === 'string' && early ? { token: early } : null;
};

const isPhotos = (photos: unknown): photos is JsonObject =>
  typeof photos === 'object' &&
  photos !== null &&
  Object.values(photos).length > 0 &&
  Object.values(photos).every((photo: unknown) => typeof (photo as { token?: unknown } | null)?.token === 'string');
