import { fileNameOf } from '../../media/download.js';
import { fieldOf } from '../../payload/uploads.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import type { NetworkConnection } from '../channel-check.js';
import { type Exchange, parseJson, uploadFile } from '../exchange.js';
import {
  fileRefusal,
  forecastUploads,
  isServerBusy,
  type MethodCall,
  placeholderOf,
  previewUpload,
  resolveReferences,
  toPreviewCall,
  uploadOrLink,
} from '../media.js';
import { doneWithoutMessage as done } from '../outcomes.js';
import type {
  MediaFile,
  MediaLimits,
  PreviewCall,
  ProbedMedium,
  SendContext,
  Step,
  StepOutcome,
  WantedMedium,
} from '../publisher.js';
import { callOk, classify, classifyUnreadable, readRefusal } from './call.js';
import { OK_LIMITS } from './limits.js';
import { OK_MESSAGES } from './messages.js';
import { uploadStepName } from './render.js';

/** Returns the call that requests an upload URL for a group's photo. */
export const photoAddressCall = (gid: string): MethodCall => ({
  method: 'photosV2.getUploadUrl',
  parameters: { gid, count: '1' },
});

/**
 * Returns the call that requests an upload URL for a video.
 * @param size in bytes
 * @param gid the group to upload it to; null for the account
 */
export const videoAddressCall = (name: string, size: string, gid: string | null): MethodCall => ({
  method: 'video.getUploadUrl',
  // With `post_form`, the feed does not show the upload.
  parameters: { file_name: name, file_size: size, ...(gid !== null && { gid, post_form: 'true' }) },
});

/** Returns the call that makes an uploaded video available. */
export const releaseVideoCall = (vid: string): MethodCall => ({ method: 'video.update', parameters: { vid } });

/** Returns the call that asks whether OK has processed a video. */
export const videoStatusCall = (vids: string): MethodCall => ({
  method: 'video.get',
  parameters: { vids, fields: 'video.status' },
});

/** Returns the calls of a step, with placeholders for values from earlier responses or from the file (D-38). */
export const previewCalls = (step: Step, media: readonly ProbedMedium[]): readonly PreviewCall[] => {
  if (step.visible) return [step];
  const { field, index, source } = step.request['upload'] as { field: string; index: number; source: string };
  const isVideo = step.method === 'video.getUploadUrl';
  const gid = step.request['gid'] as string | undefined;
  const address = isVideo ? addressOf(media[index], source, gid ?? null) : photoAddressCall(gid ?? '');
  const upload = previewUpload(placeholderOf('upload_url', address.method), field, source);
  if (!isVideo) return [toPreviewCall(address), upload];
  const id = placeholderOf('video_id', address.method);
  return [toPreviewCall(address), upload, toPreviewCall(releaseVideoCall(id)), toPreviewCall(videoStatusCall(id))];
};

const addressOf = (medium: ProbedMedium | undefined, source: string, gid: string | null): MethodCall => {
  const { mime = null, sizeBytes = null } = medium ?? {};
  const name = mime === null ? '<name of the file>' : fileNameOf(source, mime);
  return videoAddressCall(name, sizeBytes === null ? '<size of the file>' : String(sizeBytes), gid);
};

const WANTED: Readonly<Record<'photo' | 'video', MediaLimits>> = OK_LIMITS.media;

/** Uploads one medium: requests the upload URL, sends the file and, for a video, makes it available. */
export const uploadMedium = async (
  connection: NetworkConnection,
  step: Step,
  context: SendContext,
): Promise<StepOutcome> => {
  const { field } = step.request['upload'] as { readonly field: string };
  const [wanted] = mediaOf(step) as [WantedMedium];
  return uploadOrLink(context, wanted, (file) => {
    const chain = { connection, context, file, field };
    const gid = step.request['gid'] as string | undefined;
    return isVideo(step) ? uploadVideo(chain, gid ?? null) : uploadPhoto(chain, gid ?? '');
  });
};

const isVideo = ({ method }: Step): boolean => method === 'video.getUploadUrl';

export const mediaOf = (step: Step): readonly WantedMedium[] => {
  const upload = step.request['upload'] as { readonly index: number } | undefined;
  return upload ? [{ index: upload.index, limits: WANTED[isVideo(step) ? 'video' : 'photo'] }] : [];
};

/** Predicts the results of {@link uploadMedium}. */
export const forecastMedia = (media: readonly ProbedMedium[]): SendContext['results'] =>
  forecastUploads(media, WANTED, uploadStepName, ({ predicate: what }, index) => ({
    unsent: `${fieldOf(media[index]!, index)} ${what}`,
  }));

interface UploadContext {
  readonly connection: NetworkConnection;
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
  // The key is the photo's id or another name, such as `pic0`.
  const token = (photos[photoId] ?? Object.values(photos)[0])?.token;
  return typeof token === 'string' && token !== ''
    ? done({ id: token })
    : fileRefusal('ok', OK_MESSAGES.photoUnreadable);
};

const uploadVideo = async (chain: UploadContext, gid: string | null): Promise<StepOutcome> => {
  const { filename, sizeBytes } = chain.file;
  const place = await callMethod(chain, videoAddressCall(filename, String(sizeBytes), gid));
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
  const released = await callMethod(chain, releaseVideoCall(String(video_id)), true);
  if (released.ok) await waitUntilProcessed(chain, String(video_id));
  // OK may refuse the call because the video is ready.
  else if (released.outcome.kind !== 'failed' || (await readStatus(chain, String(video_id))) !== 'OK')
    return released.outcome;
  return done({ id: String(video_id) });
};

const UNPROCESSED: ReadonlySet<string> = new Set(['PROCESSING', 'UPLOADING']);

/**
 * Waits while OK processes a video, no longer than the channel's settings say: a topic with it may be published earlier.
 */
const waitUntilProcessed = async (chain: UploadContext, id: string): Promise<void> => {
  const { channel, signal } = chain.context;
  const seconds = (name: string, byDefault: number): number => Number(channel.settings[name] ?? byDefault);
  const end = performance.now() + seconds('video_wait_seconds', 60) * 1_000;
  while (UNPROCESSED.has((await readStatus(chain, id)) ?? '') && performance.now() < end && !signal.aborted)
    await sleepUnlessAborted(seconds('video_check_seconds', 5) * 1_000, signal);
};

/** Asks for a video's status; null if OK does not say any. */
const readStatus = async (chain: UploadContext, id: string): Promise<string | null> => {
  const answer = await callMethod(chain, videoStatusCall(id));
  const { videos } = (answer.ok ? (answer.value ?? {}) : {}) as { readonly videos?: unknown };
  const [video] = Array.isArray(videos) ? (videos as readonly ({ readonly status?: unknown } | null)[]) : [];
  return typeof video?.status === 'string' ? video.status : null;
};

const callMethod = ({ connection, context }: UploadContext, call: MethodCall, mayBeEmpty = false) =>
  callOk(connection, { ...call, visible: false, mayBeEmpty }, context);

/** Matches the beginning of an intermediary's web page. */
const WEB_PAGE = /^\s*<(?:!doctype|html)/i;

/** Sends the file. Returns the response (`value` is undefined unless it is JSON), or the outcome of a failure. */
const upload = async (
  { connection, context, file, field }: UploadContext,
  url: string,
): Promise<{ readonly value: unknown; readonly last: Exchange } | StepOutcome> => {
  const { waits, credentials, signal, holdsLease } = context;
  const limits = { timeoutMs: connection.uploadTimeoutMs, signal, holdsLease };
  const last = await uploadFile(connection, url, { field, file }, limits);
  if (last.kind !== 'answered' || isServerBusy(last.status)) return classifyUnreadable(last, false, credentials);
  const value = parseJson(last.body);
  const refusal = readRefusal(value);
  if (refusal) return classify(refusal, { visible: false, waits, credentials, countUnknown: connection.countUnknown });
  return last.status === 200 ? { value, last } : classifyUnreadable(last, false, credentials);
};

/** Posts to the group's feed. OK offers neither an idempotency key nor a look-up (D-25). */
export const postTopic = async (
  connection: NetworkConnection,
  step: Step,
  context: SendContext,
): Promise<StepOutcome> => {
  const { attachment, ...rest } = resolveReferences(step.request, context.results);
  const parameters = { ...(rest as Record<string, string>), attachment: JSON.stringify(attachment) };
  const answer = await callOk(connection, { method: step.method, parameters, visible: true }, context);
  if (!answer.ok) return answer.outcome;
  const id = topicIdOf(answer.last.kind === 'answered' ? answer.last.body.toString() : '');
  if (id === null) return classifyUnreadable(answer.last, true, context.credentials);
  return {
    kind: 'done',
    result: { topic_id: id },
    messageIds: [id],
    urls: [`https://ok.ru/group/${(rest['gid'] as string | undefined) ?? ''}/topic/${id}`],
  };
};

/** Extracts a topic's bare id from the response text: parsed as a number, it could lose digits. */
const topicIdOf = (body: string): string | null => /^\s*"?([1-9]\d{0,24})"?\s*$/.exec(body)?.[1] ?? null;
