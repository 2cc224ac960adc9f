import type { JsonObject } from '../../kernel/json.js';
import { exchange } from '../exchange.js';
import { rememberFitted } from '../fitted-photos.js';
import { foreseenUploads } from '../media-forecast.js';
import { goesAsLink, outcomeOfMediaError } from '../media-error.js';
import { multipartOf } from '../multipart.js';
import { wordsIn } from '../platform-says.js';
import type { MediaFile, ProbedMedium, SendContext, Step, StepOutcome, WantedMedia } from '../publisher.js';
import { callMax, jsonObject, readAnswer, type MaxConnection } from './call.js';
import { classify, maxError, type MaxFailure } from './classify.js';
import { uploadOf, type MaxMediaType } from './render.js';
import { FILE_FIELD, uploadAddress } from './upload-calls.js';

const MB = 1_048_576;

/** What MAX takes (networks.md §1). */
const WANTED: Readonly<Record<MaxMediaType, WantedMedia>> = {
  image: { maxBytes: 50 * MB, maxSide: 7_680, formats: ['image/jpeg', 'image/png', 'image/gif'] },
  video: { maxBytes: 250 * MB, formats: ['video/mp4', 'video/quicktime', 'video/webm'] },
  audio: { maxBytes: 256 * MB, formats: ['audio/mpeg', 'audio/mp4', 'audio/ogg'] },
};

/** The slowest upload that is still one, in bytes a millisecond. */
const SLOWEST = 128;

/**
 * Uploads a medium: asks where to, sends the file there. The result holds the attachment's `payload`, or `link`, the
 * reason for which the medium goes as a link: MAX will not have it (D-22). Nothing of it can be seen, so whatever else
 * fails may be done again.
 */
export const uploadStep = async (
  connection: MaxConnection,
  step: Step,
  token: string,
  context: SendContext,
): Promise<StepOutcome> => {
  const type = step.request['type'] as MaxMediaType;
  const file = await context.media(Number(step.request['medium']), WANTED[type]);
  if ('code' in file) return goesAsLink(file) ? done({ link: file.code }) : outcomeOfMediaError(file);
  try {
    const { waits, signal } = context;
    const circumstances = { visible: false, waits };
    const place = await callMax(connection, { ...uploadAddress(type), token, signal });
    if (place.kind !== 'answered') return orLink(classify(place, circumstances));
    const { url, token: early } = place.body as Readonly<Record<string, unknown>>;
    if (!isUploadUrl(url, connection.apiUrl)) {
      return classify({ kind: 'unreadable', status: place.status, retryAfter: undefined }, circumstances);
    }
    const uploaded = await sendFile(connection, url, file, token, signal);
    if (uploaded.kind !== 'uploaded') {
      if (uploaded.kind === 'unreadable' && uploaded.status === 413) return linked('media_too_large', uploaded.says);
      if (uploaded.kind === 'refused' && WRONG_PLACE.has(uploaded.status)) return elsewhere(uploaded);
      return orLink(classify(uploaded, circumstances));
    }
    const payload = payloadOf(uploaded.body, early);
    return payload
      ? rememberFitted(done({ payload }), file)
      : classify({ ...unreadable, status: uploaded.status, says: wordsIn(uploaded.body) }, circumstances);
  } finally {
    file.release();
  }
};

/** What {@link uploadStep} will find of media that cannot go, or not as they are. */
export const foreseeUploads = (media: readonly ProbedMedium[]): SendContext['results'] =>
  foreseenUploads(media, { ...WANTED, photo: WANTED.image }, uploadOf, ({ code }) => ({ link: code }));

const unreadable = { kind: 'unreadable', retryAfter: undefined } as const;

/** What MAX refuses for good is the medium: the rest of the post goes, and what it says of the medium is told (D-35). */
const orLink = (outcome: StepOutcome): StepOutcome => {
  if (outcome.kind !== 'failed') return outcome;
  return linked(outcome.error.code, outcome.error.platform_says);
};

const linked = (code: string, says = ''): StepOutcome =>
  done({ link: says === '' ? code : `${code}: ${says.slice(0, 500)}` });

/**
 * Statuses of an upload by which its address is refused, not the file: nothing else says whose the upload is, neither
 * token nor chat. Another try gets another address.
 */
const WRONG_PLACE: ReadonlySet<number> = new Set([401, 403, 404, 410]);

const elsewhere = (refusal: Extract<MaxFailure, { kind: 'refused' }>): StepOutcome => {
  const message = 'MAX takes no file at the address that it gave for it.';
  return {
    kind: 'retry',
    named: false,
    afterMs: null,
    error: maxError('upload_refused', 'platform', message, refusal),
  };
};

const done = (result: JsonObject): StepOutcome => ({ kind: 'done', result, messageIds: [], urls: [] });

/** An address of the open web; without TLS only where the API itself is. */
const isUploadUrl = (url: unknown, apiUrl: string): url is string =>
  typeof url === 'string' &&
  URL.canParse(url) &&
  (/^https:/i.test(url) || (/^http:/i.test(url) && /^http:/i.test(apiUrl)));

type Uploaded = { readonly kind: 'uploaded'; readonly status: number; readonly body: Buffer } | MaxFailure;

/** Sends the file, without the token: the address alone says whose it is. An answer is read like any other of MAX's. */
const sendFile = async (
  { connections, timeoutMs }: MaxConnection,
  url: string,
  file: MediaFile,
  token: string,
  signal: AbortSignal,
): Promise<Uploaded> => {
  const request = { method: 'POST', url, ...multipartOf([{ field: FILE_FIELD, file }]) } as const;
  const limits = { timeoutMs: timeoutMs + Math.ceil(file.sizeBytes / SLOWEST), signal };
  const answer = await exchange(connections, request, limits);
  request.body.destroy();
  if (answer.kind !== 'answered') return answer;
  const said = readAnswer(answer, token);
  // Success need be no JSON.
  const isXml = said.kind === 'unreadable' && said.status >= 200 && said.status < 300;
  return said.kind === 'answered' || isXml ? { kind: 'uploaded', status: answer.status, body: answer.body } : said;
};

/** The attachment that an upload's answer stands for, in every form that is known; null where it says no such thing. */
const payloadOf = (body: Buffer, early: unknown): JsonObject | null => {
  const given = jsonObject(body);
  if (given) {
    const { token, photos } = given;
    if (typeof token === 'string' && token) return { token };
    // An object without either is an error, or says nothing.
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
