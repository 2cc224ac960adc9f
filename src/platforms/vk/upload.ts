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
import { callVk, objectOf, refusalIn, unreadable, type VkConnection } from './call.js';
import { classify } from './classify.js';
import { uploadOf, type UploadResult } from './render.js';
import { photoAddress, photoKept, videoAddress } from './upload-calls.js';

const MB = 1_048_576;

/** What VK takes (networks.md §1); a video's size is that of the payload's own limit. */
const WANTED: Readonly<Record<'photo' | 'video', WantedMedia>> = {
  photo: { maxBytes: 50 * MB, maxSum: 14_000, maxRatio: 20, formats: ['image/jpeg', 'image/png', 'image/gif'] },
  video: { maxBytes: 2_048 * MB, formats: ['video/mp4', 'video/quicktime', 'video/webm'] },
};

/**
 * Runs the whole chain of one medium: where to upload, the upload, and its keeping. A chain that fails may always be
 * run again (networks.md §3). What VK will not have becomes a link in the text (D-22).
 */
export const uploadMedium = async (
  connection: VkConnection,
  step: Step,
  context: SendContext,
): Promise<StepOutcome> => {
  const token = context.credentials['upload_token'];
  if (!token) return noToken;
  const isVideo = step.method === 'video.save';
  const { index, field } = step.request['upload'] as { readonly index: number; readonly field: string };
  const file = await context.media(index, WANTED[isVideo ? 'video' : 'photo']);
  if ('code' in file) return goesAsLink(file) ? done({ unsent: file.message }) : outcomeOfMediaError(file);
  try {
    const chain = { connection, context, token, file, field, groupId: step.request['group_id'] as string };
    const name = step.request['name'] as string;
    return rememberFitted(await uploadOrLink(() => (isVideo ? uploadVideo(chain, name) : uploadPhoto(chain))), file);
  } finally {
    file.release();
  }
};

/** What {@link uploadMedium} will find of media that cannot go, or not as they are. */
export const foreseeUploads = (media: readonly ProbedMedium[]): SendContext['results'] =>
  foreseenUploads(media, WANTED, uploadOf, ({ what }, index) => ({ unsent: `media[${index}].url ${what}` }));

interface Chain {
  readonly connection: VkConnection;
  readonly context: SendContext;
  readonly token: string;
  readonly file: MediaFile;
  readonly field: string;
  readonly groupId: string;
}

const uploadPhoto = async (chain: Chain): Promise<StepOutcome> => {
  const { groupId: group_id } = chain;
  const server = await ask(chain, photoAddress(group_id));
  if (!server.ok) return server.outcome;
  const address = (server.response as { upload_url?: unknown }).upload_url;
  if (typeof address !== 'string') return unreadable(server.last, false, chain.context.credentials);

  const uploaded = await upload(chain, address);
  if ('kind' in uploaded) return uploaded;
  const { server: id, photo, hash } = uploaded.answer;
  if (photo === undefined) return unreadable(uploaded.last, false, chain.context.credentials);
  const taken = typeof photo === 'string' ? photo : JSON.stringify(photo ?? '');
  // A photo that VK cannot read comes back as an empty list.
  if (/^(?:\[\]|"")?$/.test(taken)) return fileRefused('vk', 'VK cannot read this photo.');

  const saved = await ask(chain, photoKept(group_id, { server: String(id), photo: taken, hash: String(hash) }));
  if (!saved.ok) return saved.outcome;
  const [first] = Array.isArray(saved.response) ? (saved.response as { id?: unknown; owner_id?: unknown }[]) : [];
  if (typeof first?.id !== 'number' || typeof first.owner_id !== 'number')
    return unreadable(saved.last, false, chain.context.credentials);
  return done({ attachment: `photo${first.owner_id}_${first.id}` });
};

const uploadVideo = async (chain: Chain, name: string): Promise<StepOutcome> => {
  const saved = await ask(chain, videoAddress(chain.groupId, name));
  if (!saved.ok) return saved.outcome;
  const { upload_url, owner_id, video_id } = saved.response as Readonly<Record<string, unknown>>;
  if (typeof upload_url !== 'string' || typeof owner_id !== 'number' || typeof video_id !== 'number') {
    return unreadable(saved.last, false, chain.context.credentials);
  }
  const uploaded = await upload(chain, upload_url);
  if ('kind' in uploaded) return uploaded;
  const isTaken = TAKEN_VIDEO.some((field) => field in uploaded.answer);
  return isTaken
    ? done({ attachment: `video${owner_id}_${video_id}` })
    : unreadable(uploaded.last, false, chain.context.credentials);
};

/** What VK tells of a video that it has taken; some of it, at times (dev.vk.com: video upload). */
const TAKEN_VIDEO = ['video_id', 'size', 'video_hash'];

const ask = ({ connection, context, token }: Chain, call: MethodCall) =>
  callVk(connection, { ...call, token, visible: false }, context);

/** Sends the file; the answer's fields, or what its failure means. */
const upload = async (
  { connection, context, file, field }: Chain,
  url: string,
): Promise<{ readonly answer: Readonly<Record<string, unknown>>; readonly last: Exchange } | StepOutcome> => {
  const { credentials, waits } = context;
  const request = { method: 'POST', url, ...multipartOf([{ field, file }]) } as const;
  const limits = { timeoutMs: connection.uploadTimeoutMs, signal: context.signal };
  const last = await exchange(connection.connections, request, limits);
  request.body.destroy();
  if (last.kind !== 'answered' || isBusy(last.status)) return unreadable(last, false, credentials);
  const answer = objectOf(last.body);
  const refusal = refusalIn(answer);
  if (refusal) return classify(refusal, { visible: false, waits, credentials });
  const { error, error_code: ownCode, error_msg: words = error } = answer ?? {};
  if (error !== undefined || ownCode !== undefined) {
    const says = platformSays(typeof words === 'string' ? words : undefined, credentials);
    return fileRefused('vk', 'VK does not take this file.', says);
  }
  return answer && last.status < 300 ? { answer, last } : unreadable(last, false, credentials);
};

const done = (result: UploadResult): StepOutcome => ({
  kind: 'done',
  result: { ...result } satisfies JsonObject,
  messageIds: [],
  urls: [],
});

const noToken: StepOutcome = {
  kind: 'credentials',
  error: {
    code: 'upload_token_missing',
    category: 'credentials',
    source: 'gateway',
    message: 'The upload token of this channel is gone: set the credentials anew.',
  },
};
