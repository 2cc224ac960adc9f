import type { JsonObject } from '../../kernel/json.js';
import { exchange, type Exchange } from '../exchange.js';
import { rememberFitted } from '../fitted-photos.js';
import { foreseenUploads } from '../media-forecast.js';
import { goesAsLink, outcomeOfMediaError } from '../media-error.js';
import { multipartOf } from '../multipart.js';
import { platformSays } from '../platform-says.js';
import type { MediaFile, ProbedMedium, SendContext, Step, StepOutcome, WantedMedia } from '../publisher.js';
import type { MethodCall } from '../shown-calls.js';
import { fileRefused, isBusy, uploadOrLink } from '../upload-or-link.js';
import { callOk, errorCodeOf, jsonOf, unreadable, type OkConnection } from './call.js';
import { classify, refusesPhoto } from './classify.js';
import { uploadOf, type UploadResult } from './render.js';
import { photoAddress, videoAddress, videoRelease } from './upload-calls.js';

const MB = 1_048_576;

/** A video's limit is documented (networks.md §1); a photo's is that of the payload. */
const WANTED: Readonly<Record<'photo' | 'video', WantedMedia>> = {
  photo: { maxBytes: 20 * MB, formats: ['image/jpeg', 'image/png', 'image/gif'] },
  video: { maxBytes: 2_048 * MB, formats: ['video/mp4', 'video/quicktime', 'video/webm'] },
};

/**
 * Runs the whole chain of one medium: where to upload, the upload, and for a video its release. A chain that fails may
 * always be run again (networks.md §3). What OK will not have becomes a link in the text (D-22).
 */
export const uploadMedium = async (
  connection: OkConnection,
  step: Step,
  context: SendContext,
): Promise<StepOutcome> => {
  const isVideo = step.method === 'video.getUploadUrl';
  const { index, field } = step.request['upload'] as { readonly index: number; readonly field: string };
  const file = await context.media(index, WANTED[isVideo ? 'video' : 'photo']);
  if ('code' in file) return goesAsLink(file) ? done({ unsent: file.message }) : outcomeOfMediaError(file);
  try {
    const chain = { connection, context, file, field };
    const gid = step.request['gid'] as string;
    return rememberFitted(await uploadOrLink(() => (isVideo ? uploadVideo(chain) : uploadPhoto(chain, gid))), file);
  } finally {
    file.release();
  }
};

/** What {@link uploadMedium} will find of media that cannot go, or not as they are. */
export const foreseeUploads = (media: readonly ProbedMedium[]): SendContext['results'] =>
  foreseenUploads(media, WANTED, uploadOf, ({ what }, index) => ({ unsent: `media[${index}].url ${what}` }));

interface Chain {
  readonly connection: OkConnection;
  readonly context: SendContext;
  readonly file: MediaFile;
  readonly field: string;
}

const uploadPhoto = async (chain: Chain, gid: string): Promise<StepOutcome> => {
  const place = await ask(chain, photoAddress(gid));
  if (!place.ok) return place.outcome;
  const { upload_url, photo_ids } = place.value as { upload_url?: unknown; photo_ids?: unknown };
  const photoId: unknown = Array.isArray(photo_ids) ? photo_ids[0] : undefined;
  const isPhotoId = typeof photoId === 'string' || typeof photoId === 'number';
  if (typeof upload_url !== 'string' || !isPhotoId) return unreadable(place.last, false, chain.context.credentials);

  const uploaded = await upload(chain, upload_url);
  if ('kind' in uploaded) return uploaded;
  // Without photos that is something between us and OK, and says nothing about this one.
  const { photos } = (uploaded.value ?? {}) as {
    photos?: Readonly<Record<string, { token?: unknown } | undefined>> | null;
  };
  if (typeof photos !== 'object' || photos === null) return unreadable(uploaded.last, false, chain.context.credentials);
  const token = photos[photoId]?.token;
  return typeof token === 'string' && token !== ''
    ? done({ id: token })
    : fileRefused('ok', 'OK cannot read this photo.');
};

const uploadVideo = async (chain: Chain): Promise<StepOutcome> => {
  const { filename, sizeBytes } = chain.file;
  const place = await ask(chain, videoAddress(filename, String(sizeBytes)));
  if (!place.ok) return place.outcome;
  const { upload_url, video_id } = place.value as { upload_url?: unknown; video_id?: unknown };
  const isId = typeof video_id === 'string' || typeof video_id === 'number';
  if (typeof upload_url !== 'string' || !isId) return unreadable(place.last, false, chain.context.credentials);

  const uploaded = await upload(chain, upload_url);
  if ('kind' in uploaded) return uploaded;
  // What OK says is not documented; a web page is not it. Whether the video is there, its release will tell.
  if (uploaded.last.kind === 'answered' && WEB_PAGE.test(uploaded.last.body.toString())) {
    return unreadable(uploaded.last, false, chain.context.credentials);
  }
  const released = await ask(chain, videoRelease(String(video_id)));
  return released.ok ? done({ id: String(video_id) }) : released.outcome;
};

const ask = ({ connection, context }: Chain, call: MethodCall) =>
  callOk(connection, { ...call, visible: false }, context);

/** How a page of something between us and the network begins. */
const WEB_PAGE = /^\s*<(?:!doctype|html)/i;

/** Sends the file; what was answered (undefined where it is no JSON), or what its failure means. */
const upload = async (
  { connection, context, file, field }: Chain,
  url: string,
): Promise<{ readonly value: unknown; readonly last: Exchange } | StepOutcome> => {
  const request = { method: 'POST', url, ...multipartOf([{ field, file }]) } as const;
  const limits = { timeoutMs: connection.uploadTimeoutMs, signal: context.signal };
  const last = await exchange(connection.connections, request, limits);
  request.body.destroy();
  const { waits, credentials } = context;
  if (last.kind !== 'answered' || isBusy(last.status)) return unreadable(last, false, credentials);
  const value = jsonOf(last.body);
  const errorCode = errorCodeOf(value);
  if (errorCode === null) return last.status === 200 ? { value, last } : unreadable(last, false, credentials);
  const { error_msg: words } = value as { readonly error_msg?: unknown };
  const errorMsg = typeof words === 'string' ? words : '';
  return refusesPhoto(errorCode)
    ? fileRefused('ok', 'OK does not take this file.', platformSays(errorMsg, credentials))
    : classify({ errorCode, errorMsg }, { visible: false, waits, credentials });
};

const done = (result: UploadResult): StepOutcome => ({
  kind: 'done',
  result: { ...result } satisfies JsonObject,
  messageIds: [],
  urls: [],
});
