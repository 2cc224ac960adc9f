import type { Instant } from '../../kernel/clock.js';
import type { Json, JsonObject } from '../../kernel/ids.js';
import type { NetworkConnection } from '../channel-check.js';
import { type Exchange, extractWords, parseObject, platformSays, uploadFile } from '../exchange.js';
import {
  becomesLink,
  classifyMediaError,
  forecastUploads,
  markFitted,
  placeholderOf,
  previewUpload,
  reasonForLink,
  resolveReferences,
} from '../media.js';
import { doneWithoutMessage as done, doneWithoutMessage, retry, unusableCredentials } from '../outcomes.js';
import type {
  LookUpResult,
  MediaFile,
  MediaLimits,
  PreviewCall,
  ProbedMedium,
  PublishError,
  SendContext,
  SendInDoubt,
  Step,
  StepOutcome,
  WantedMedium,
} from '../publisher.js';
import { callMax, classify, isToken, type MaxCall, type MaxFailure, readResponse } from './call.js';
import { MAX_LIMITS } from './limits.js';
import { MAX_MESSAGES } from './messages.js';
import { fromHtml, type MaxMediaType, uploadStepName } from './render.js';

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
const uploadMedium = async (
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

/** Runs one step and returns its outcome; never throws. */
export const sendStep = async (
  connection: NetworkConnection,
  step: Step,
  context: SendContext,
): Promise<StepOutcome> => {
  const token = context.credentials['access_token'] ?? '';
  if (!isToken(token)) return malformedToken;
  return step.visible ? postMessage(connection, step, token, context) : uploadMedium(connection, step, token, context);
};

const postMessage = async (
  connection: NetworkConnection,
  step: Step,
  token: string,
  { channel, credentials, results, waits, signal, holdsLease }: SendContext,
): Promise<StepOutcome> => {
  // Uses the channel's current address, not the address in the rendering.
  const { chat_id: _, ...body } = resolveReferences(step.request, results);
  const query = { chat_id: channel.address['chat_id'] ?? '' };
  const answer = await callMax(connection, {
    method: 'POST',
    path: '/messages',
    query,
    body,
    token,
    signal,
    holdsLease,
  });
  const call = { visible: true, waits, credentials, countUnknown: connection.countUnknown };
  if (answer.kind !== 'answered') return linkRefusedMedia(classify(answer, call), step);
  const { message } = answer.body as { readonly message?: unknown };
  return toDoneOutcome(message) ?? classify({ kind: 'unreadable', status: answer.status, retryAfter: undefined }, call);
};

/** Skips a message whose media MAX refuses: they become links in the text (D-22). */
const linkRefusedMedia = (outcome: StepOutcome, { request }: Step): StepOutcome => {
  const hasMedia = ((request['attachments'] ?? []) as readonly JsonObject[]).some(
    ({ type }) => type !== 'inline_keyboard',
  );
  return outcome.kind === 'failed' && outcome.error.category === 'media' && hasMedia
    ? doneWithoutMessage({ refused: reasonForLink(outcome.error) })
    : outcome;
};

/** Returns the outcome for a message in a response; null for a message without an id, which proves nothing (D-25). */
const toDoneOutcome = (message: unknown): Extract<StepOutcome, { kind: 'done' }> | null => {
  const { body, url } = (message ?? {}) as {
    readonly body?: { readonly mid?: unknown } | null;
    readonly url?: unknown;
  };
  const mid = body?.mid;
  if (typeof mid !== 'string' || mid === '') return null;
  const urls = typeof url === 'string' && /^https?:\/\//i.test(url) ? [url] : [];
  return { kind: 'done', result: { mid }, messageIds: [mid], urls };
};

/** Outcome of every step if the credential cannot be a token. */
export const malformedToken = unusableCredentials('malformed_token', MAX_MESSAGES.malformedToken);

/** Number of newest messages to compare (networks.md §4). */
const COUNT = 10;
/** MAX's maximum, for a send that may be long ago. */
const MOST = 100;

/** Possible difference between MAX's timestamps and its clock, in ms. Events closer together cannot be ordered. */
const SLACK_MS = 2_000;

/**
 * Looks for a message in doubt in its chat by comparing text, attachment types and time with the newest messages
 * (networks.md §4). Returns `not_sent` only if the newest messages reach back to before the attempt.
 */
export const lookUpMessage = async (
  connection: NetworkConnection,
  step: Step,
  { credentials, channel, waits, signal }: SendContext,
  { since, before, toleranceMs = 0, until, others }: SendInDoubt,
): Promise<LookUpResult> => {
  const token = credentials['access_token'] ?? '';
  if (!step.visible || !isToken(token)) return { kind: 'unknown' };
  const count = until === undefined ? COUNT : MOST;
  const query = { chat_id: channel.address['chat_id'] ?? '', count: String(count) };
  const answer = await callMax(connection, { method: 'GET', path: '/messages', query, token, signal });
  if (answer.kind !== 'answered') {
    const mayPass = classify(answer, { visible: false, waits, credentials }).kind === 'retry';
    return { kind: mayPass ? 'unanswered' : 'unknown' };
  }
  const { messages } = answer.body as { readonly messages?: unknown };
  if (!Array.isArray(messages)) return { kind: 'unknown' };

  const found = (messages as readonly unknown[]).map(readMessage);
  const end = found.findIndex((one) => one !== null && before.has(one.mid));
  const newer = end < 0 ? found : found.slice(0, end);
  const ahead = answer.at === null ? 0 : answer.at - Date.now();
  const from = since + ahead;
  const to = until === undefined ? Infinity : until + ahead + SLACK_MS;
  const mayBeSent = ({ at, mid }: FoundMessage): boolean => at <= to && !others?.has(mid);
  const earliest = from - SLACK_MS - toleranceMs;
  const words = comparableTexts(step.request);
  const kinds = attachmentKinds(step.request['attachments']);
  const same = newer.filter((one) => one !== null && mayBeSent(one) && words.includes(one.text) && one.kinds === kinds);
  const match = same.findLast((one) => one !== null && one.at >= from);
  const outcome = match ? toDoneOutcome(match.message) : null;
  if (outcome) return { kind: 'sent', outcome };
  const oldest = found.at(-1);
  const isComplete = !newer.includes(null) && (end >= 0 || found.length < count || (oldest && oldest.at < earliest));
  const mayBeOlder = same.some((one) => one !== null && one.at >= earliest);
  return { kind: isComplete && !mayBeOlder ? 'not_sent' : 'unknown' };
};

interface FoundMessage {
  readonly message: unknown;
  readonly mid: string;
  readonly at: Instant;
  /** Result of {@link comparableText}. */
  readonly text: string;
  readonly kinds: string;
}

/** Returns null for a malformed message. */
const readMessage = (message: unknown): FoundMessage | null => {
  const { body, timestamp } = (message ?? {}) as { readonly body?: JsonObject | null; readonly timestamp?: unknown };
  const mid = body?.['mid'];
  if (typeof mid !== 'string' || typeof timestamp !== 'number') return null;
  const text = body?.['text'];
  const shown = comparableText(typeof text === 'string' ? text : '');
  return { message, mid, at: timestamp, text: shown, kinds: attachmentKinds(body?.['attachments']) };
};

/** Returns the sent text in the forms that MAX may show: without its formatting, or unchanged. */
const comparableTexts = ({ text, format }: JsonObject): readonly string[] => {
  const sent = typeof text === 'string' ? text : '';
  return (format === 'html' ? [fromHtml(sent), sent] : [sent]).map(comparableText);
};

/** Removes characters that MAX may change: white space, control and invisible characters. */
const comparableText = (text: string): string => text.replace(/[\s\p{Cc}\p{Cf}]+/gu, '');

/** Attachment types that the gateway sends. MAX adds others, such as link previews. */
const OURS: ReadonlySet<string> = new Set(['image', 'video', 'audio', 'inline_keyboard']);

const attachmentKinds = (attachments: Json | undefined): string =>
  Array.isArray(attachments)
    ? (attachments as readonly ({ readonly type?: string } | null)[])
        .map((one) => one?.type ?? '')
        .filter((type) => OURS.has(type))
        .sort()
        .join()
    : '';
