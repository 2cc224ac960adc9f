import type { JsonObject } from '../../kernel/json.js';
import { type Exchange, exchange } from '../exchange.js';
import { markFitted } from '../fitted-photos.js';
import { becomesLink, classifyMediaError } from '../media-error.js';
import { forecastUploads } from '../media-forecast.js';
import { createMultipart } from '../multipart.js';
import { platformSays } from '../platform-says.js';
import type { MethodCall } from '../preview-calls.js';
import type {
  MediaFile,
  MediaLimits,
  ProbedMedium,
  SendContext,
  Step,
  StepOutcome,
  WantedMedium,
} from '../publisher.js';
import { fileRefusal, isServerBusy, uploadOrLink } from '../upload-or-link.js';
import { callOk, classifyUnreadable, type OkConnection, parseJson, readErrorCode } from './call.js';
import { classify, isPhotoRefusal } from './classify.js';
import { OK_LIMITS } from './limits.js';
import { OK_MESSAGES } from './messages.js';
import { type UploadResult, uploadStepName } from './render.js';
import { photoAddressCall, releaseVideoCall, videoAddressCall } from './upload-calls.js';

const WANTED: Readonly<Record<'photo' | 'video', MediaLimits>> = OK_LIMITS.media;

/**
 * Uploads one medium: requests the upload URL, sends the file and, for a video, makes it available. A failed upload may
 * always be repeated (networks.md §3). A medium that OK refuses becomes a link in the text (D-22).
 */
export const uploadMedium = async (
  connection: OkConnection,
  step: Step,
  context: SendContext,
): Promise<StepOutcome> => {
  const isVideo = step.method === 'video.getUploadUrl';
  const { field } = step.request['upload'] as { readonly field: string };
  const [{ index, limits }] = mediaOf(step) as [WantedMedium];
  const file = await context.media(index, limits);
  if ('code' in file) return becomesLink(file) ? done({ unsent: file.message }) : classifyMediaError(file);
  try {
    const chain = { connection, context, file, field };
    const gid = step.request['gid'] as string;
    return markFitted(await uploadOrLink(() => (isVideo ? uploadVideo(chain) : uploadPhoto(chain, gid))), file);
  } finally {
    file.release();
  }
};

/** Returns a list with the medium that a step uploads; an empty list for a step without an upload. */
export const mediaOf = (step: Step): readonly WantedMedium[] => {
  const upload = step.request['upload'] as { readonly index: number } | undefined;
  return upload
    ? [{ index: upload.index, limits: WANTED[step.method === 'video.getUploadUrl' ? 'video' : 'photo'] }]
    : [];
};

/** Predicts the results of {@link uploadMedium} for media that cannot be sent, and for photos that must be fitted. */
export const forecastMedia = (media: readonly ProbedMedium[]): SendContext['results'] =>
  forecastUploads(media, WANTED, uploadStepName, ({ predicate: what }, index) => ({
    unsent: `media[${index}].url ${what}`,
  }));

interface UploadContext {
  readonly connection: OkConnection;
  readonly context: SendContext;
  readonly file: MediaFile;
  readonly field: string;
}

const uploadPhoto = async (chain: UploadContext, gid: string): Promise<StepOutcome> => {
  const place = await callMethod(chain, photoAddressCall(gid));
  if (!place.ok) return place.outcome;
  const { upload_url, photo_ids } = place.value as { upload_url?: unknown; photo_ids?: unknown };
  const photoId: unknown = Array.isArray(photo_ids) ? photo_ids[0] : undefined;
  const isPhotoId = typeof photoId === 'string' || typeof photoId === 'number';
  if (typeof upload_url !== 'string' || !isPhotoId)
    return classifyUnreadable(place.last, false, chain.context.credentials);

  const uploaded = await upload(chain, upload_url);
  if ('kind' in uploaded) return uploaded;
  // A response without `photos` comes from an intermediary and says nothing about this photo.
  const { photos } = (uploaded.value ?? {}) as {
    photos?: Readonly<Record<string, { token?: unknown } | undefined>> | null;
  };
  if (typeof photos !== 'object' || photos === null)
    return classifyUnreadable(uploaded.last, false, chain.context.credentials);
  const token = photos[photoId]?.token;
  return typeof token === 'string' && token !== ''
    ? done({ id: token })
    : fileRefusal('ok', OK_MESSAGES.photoUnreadable);
};

const uploadVideo = async (chain: UploadContext): Promise<StepOutcome> => {
  const { filename, sizeBytes } = chain.file;
  const place = await callMethod(chain, videoAddressCall(filename, String(sizeBytes)));
  if (!place.ok) return place.outcome;
  const { upload_url, video_id } = place.value as { upload_url?: unknown; video_id?: unknown };
  const isId = typeof video_id === 'string' || typeof video_id === 'number';
  if (typeof upload_url !== 'string' || !isId) return classifyUnreadable(place.last, false, chain.context.credentials);

  const uploaded = await upload(chain, upload_url);
  if ('kind' in uploaded) return uploaded;
  // OK does not document this response, but it is never a web page. If the video is missing, `video.update` fails.
  if (uploaded.last.kind === 'answered' && WEB_PAGE.test(uploaded.last.body.toString())) {
    return classifyUnreadable(uploaded.last, false, chain.context.credentials);
  }
  const released = await callMethod(chain, releaseVideoCall(String(video_id)));
  return released.ok ? done({ id: String(video_id) }) : released.outcome;
};

const callMethod = ({ connection, context }: UploadContext, call: MethodCall) =>
  callOk(connection, { ...call, visible: false }, context);

/** Beginning of an intermediary's web page. */
const WEB_PAGE = /^\s*<(?:!doctype|html)/i;

/**
 * Sends the file. Returns the response (`value` is undefined if it is not JSON), or the outcome if the upload fails.
 */
const upload = async (
  { connection, context, file, field }: UploadContext,
  url: string,
): Promise<{ readonly value: unknown; readonly last: Exchange } | StepOutcome> => {
  const request = { method: 'POST', url, ...createMultipart([{ field, file }]) } as const;
  const limits = { timeoutMs: connection.uploadTimeoutMs, signal: context.signal };
  const last = await exchange(connection.connections, request, limits);
  request.body.destroy();
  const { waits, credentials } = context;
  if (last.kind !== 'answered' || isServerBusy(last.status)) return classifyUnreadable(last, false, credentials);
  const value = parseJson(last.body);
  const errorCode = readErrorCode(value);
  if (errorCode === null) return last.status === 200 ? { value, last } : classifyUnreadable(last, false, credentials);
  const { error_msg: words } = value as { readonly error_msg?: unknown };
  const errorMsg = typeof words === 'string' ? words : '';
  return isPhotoRefusal(errorCode)
    ? fileRefusal('ok', OK_MESSAGES.fileRefused, platformSays(errorMsg, credentials))
    : classify({ errorCode, errorMsg }, { visible: false, waits, credentials });
};

const done = (result: UploadResult): StepOutcome => ({
  kind: 'done',
  result: { ...result } satisfies JsonObject,
  messageIds: [],
  urls: [],
});
