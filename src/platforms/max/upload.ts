import type { JsonObject } from '../../kernel/ids.js';
import type { NetworkConnection } from '../channel-check.js';
import { type Exchange, extractWords, parseObject, platformSays, uploadFile } from '../exchange.js';
import { becomesLink, classifyMediaError, forecastUploads, markFitted } from '../media.js';
import { doneWithoutMessage as done, retry } from '../outcomes.js';
import { placeholderOf, previewUpload } from '../preview-calls.js';
import type {
  MediaFile,
  MediaLimits,
  PreviewCall,
  ProbedMedium,
  PublishError,
  SendContext,
  Step,
  StepOutcome,
  WantedMedium,
} from '../publisher.js';
import { callMax, classify, type MaxCall, type MaxFailure, readResponse } from './call.js';
import { MAX_LIMITS } from './limits.js';
import { MAX_MESSAGES } from './messages.js';
import { type MaxMediaType, uploadStepName } from './render.js';

/** Returns the call that requests an upload URL. */
export const uploadAddressCall = (type: MaxMediaType): Pick<MaxCall, 'method' | 'path' | 'query'> => ({
  method: 'POST',
  path: '/uploads',
  query: { type },
});

/** Form field that holds the file. */
export const FILE_FIELD = 'data';

/** Returns the calls of a step, with placeholders for values from earlier responses (D-38). */
export const previewCalls = (step: Step): readonly PreviewCall[] => {
  if (step.visible) return [step];
  const { method: verb, path, query } = uploadAddressCall(step.request['type'] as MaxMediaType);
  const method = `${verb} ${path}`;
  return [
    { method, request: query },
    previewUpload(placeholderOf('url', method), FILE_FIELD, step.request['url'] as string),
  ];
};

/** Limits by MAX's name for the media type. */
const WANTED: Readonly<Record<MaxMediaType, MediaLimits>> = {
  ...MAX_LIMITS.media,
  image: MAX_LIMITS.media.photo,
};

/** Minimum upload speed, in bytes per ms; a slower upload times out. */
const SLOWEST_BYTES_PER_MS = 128;

/**
 * Uploads a medium: requests the upload URL and sends the file there. The result has the attachment's `payload`, or
 * `link`: the reason why MAX refuses the medium, which then becomes a link (D-22). Any other failure may be retried.
 */
export const uploadMedium = async (
  connection: NetworkConnection,
  step: Step,
  token: string,
  context: SendContext,
): Promise<StepOutcome> => {
  const type = step.request['type'] as MaxMediaType;
  const [{ index, limits }] = mediaOf(step) as [WantedMedium];
  const file = await context.media(index, limits);
  if ('code' in file) return becomesLink(file) ? done({ link: file.code }) : classifyMediaError(file);
  try {
    const { credentials, waits, signal, holdsLease } = context;
    const call = { visible: false, waits, credentials, countUnknown: connection.countUnknown };
    const place = await callMax(connection, { ...uploadAddressCall(type), token, signal, holdsLease });
    if (place.kind !== 'answered') return linkRefusedMedium(classify(place, call));
    const { url, token: early } = place.body as Readonly<Record<string, unknown>>;
    if (!isUploadUrl(url, connection.apiUrl)) {
      return classify({ kind: 'unreadable', status: place.status, retryAfter: undefined }, call);
    }
    const uploaded = await sendFile(connection, url, file, token, context);
    if (uploaded.kind === 'unreadable' && uploaded.status === 413) return linked('media_too_large', uploaded.says);
    if (uploaded.kind === 'refused' && WRONG_PLACE.has(uploaded.status)) return retry(uploadRefusal(uploaded));
    if (uploaded.kind !== 'answered') return linkRefusedMedium(classify(uploaded, call));
    const payload = payloadOf(uploaded.body, early);
    return payload
      ? markFitted(done({ payload }), file)
      : classify({ ...unreadable, status: uploaded.status, says: extractWords(uploaded.body) }, call);
  } finally {
    file.release();
  }
};

export const mediaOf = ({ request }: Step): readonly WantedMedium[] =>
  request['medium'] === undefined
    ? []
    : [{ index: Number(request['medium']), limits: WANTED[request['type'] as MaxMediaType] }];

/** Predicts the results of {@link uploadMedium}. */
export const forecastMedia = (media: readonly ProbedMedium[]): SendContext['results'] =>
  forecastUploads(media, MAX_LIMITS.media, uploadStepName, ({ code }) => ({ link: code }));

const unreadable = { kind: 'unreadable', retryAfter: undefined } as const;

/** Turns a permanent refusal into a link, with MAX's own message in the warning (D-35). */
const linkRefusedMedium = (outcome: StepOutcome): StepOutcome =>
  outcome.kind === 'failed' ? linked(outcome.error.code, outcome.error.platform_says) : outcome;

const linked = (code: string, says = ''): StepOutcome =>
  done({ link: says === '' ? code : `${code}: ${says.slice(0, 500)}` });

const uploadRefusal = ({ code, message }: Extract<MaxFailure, { kind: 'refused' }>): PublishError => ({
  code: 'upload_refused',
  category: 'platform',
  source: 'max',
  message: MAX_MESSAGES.uploadUrlRefused,
  ...platformSays([code, message].filter(Boolean).join(': '), {}), // the token is masked already
});

/**
 * Statuses that mean MAX refused the upload URL: the request contains no token or chat id, so it can only be the URL. A
 * retry gets a new URL.
 */
const WRONG_PLACE: ReadonlySet<number> = new Set([401, 403, 404, 410]);

/** True for an https URL, or for an http URL if the API's own URL is also http. */
const isUploadUrl = (url: unknown, apiUrl: string): url is string =>
  typeof url === 'string' &&
  URL.canParse(url) &&
  (/^https:/i.test(url) || (/^http:/i.test(url) && /^http:/i.test(apiUrl)));

/** Sends the file, without the token: the URL alone identifies the upload. */
const sendFile = async (
  connection: NetworkConnection,
  url: string,
  file: MediaFile,
  token: string,
  { signal, holdsLease }: SendContext,
): Promise<Extract<Exchange, { kind: 'answered' }> | MaxFailure> => {
  const timeoutMs = connection.timeoutMs + Math.ceil(file.sizeBytes / SLOWEST_BYTES_PER_MS);
  const limits = { timeoutMs, signal, holdsLease };
  const answer = await uploadFile(connection, url, { field: FILE_FIELD, file }, limits);
  if (answer.kind !== 'answered') return answer;
  const said = readResponse(answer, token);
  // A successful response may be XML.
  const isXml = said.kind === 'unreadable' && said.status >= 200 && said.status < 300;
  return said.kind === 'answered' || isXml ? answer : said;
};

/** Returns the attachment's payload from the response to an upload, in any known form. */
const payloadOf = (body: Buffer, early: unknown): JsonObject | null => {
  const given = parseObject(body);
  if (given) {
    const { token, photos } = given;
    if (typeof token === 'string' && token) return { token };
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
