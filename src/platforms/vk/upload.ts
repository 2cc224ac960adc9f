import type { JsonObject } from '../../kernel/json.js';
import { exchange } from '../exchange.js';
import { rememberFitted } from '../fitted-photos.js';
import { foreseenUploads } from '../foreseen.js';
import { goesAsLink, outcomeOfMediaError } from '../media-error.js';
import { multipartOf } from '../multipart.js';
import type { MediaFile, ProbedMedium, SendContext, Step, StepOutcome, WantedMedia } from '../publisher.js';
import { callVk, objectOf, unreadable, type VkConnection } from './call.js';
import { uploadOf, type UploadResult } from './render.js';

const MB = 1_048_576;

/** What VK takes (platforms.md §1); a video's size is that of the payload's own limit. */
const WANTED: Readonly<Record<'photo' | 'video', WantedMedia>> = {
  photo: { maxBytes: 50 * MB, maxSum: 14_000, maxRatio: 20, formats: ['image/jpeg', 'image/png', 'image/gif'] },
  video: { maxBytes: 2_048 * MB, formats: ['video/mp4', 'video/quicktime', 'video/webm'] },
};

/**
 * Runs the whole chain of one medium: where to upload, the upload, and its keeping. A chain that fails may always be
 * run again (platforms.md §3). What VK will not have becomes a link in the text (D-22).
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
    if (isVideo) return await uploadVideo(chain, step.request['name'] as string);
    const outcome = await uploadPhoto(chain);
    // It may have been damaged on its way: a failed upload may always be sent again (platforms.md §3).
    const isUnsent = outcome.kind === 'done' && 'unsent' in outcome.result;
    return rememberFitted(isUnsent ? await uploadPhoto(chain) : outcome, file);
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
  const server = await ask(chain, 'photos.getWallUploadServer', { group_id });
  if (!server.ok) return server.outcome;
  const address = (server.response as { upload_url?: unknown }).upload_url;
  if (typeof address !== 'string') return unreadable(server.last, false, chain.context.credentials);

  const uploaded = await upload(chain, address);
  if ('kind' in uploaded) return uploaded;
  const { server: id, photo, hash } = uploaded.answer;
  const taken = typeof photo === 'string' ? photo : JSON.stringify(photo ?? '');
  // A photo that VK cannot read comes back as an empty list.
  if (/^(?:\[\]|"")?$/.test(taken)) return done({ unsent: 'VK cannot read this photo.' });

  const parameters = { group_id, server: String(id), photo: taken, hash: String(hash) };
  const saved = await ask(chain, 'photos.saveWallPhoto', parameters);
  if (!saved.ok) return saved.outcome;
  const [first] = Array.isArray(saved.response) ? (saved.response as { id?: unknown; owner_id?: unknown }[]) : [];
  if (typeof first?.id !== 'number' || typeof first.owner_id !== 'number')
    return unreadable(saved.last, false, chain.context.credentials);
  return done({ attachment: `photo${first.owner_id}_${first.id}` });
};

const uploadVideo = async (chain: Chain, name: string): Promise<StepOutcome> => {
  const saved = await ask(chain, 'video.save', { group_id: chain.groupId, name, wallpost: '0' });
  if (!saved.ok) return saved.outcome;
  const { upload_url, owner_id, video_id } = saved.response as Readonly<Record<string, unknown>>;
  if (typeof upload_url !== 'string' || typeof owner_id !== 'number' || typeof video_id !== 'number') {
    return unreadable(saved.last, false, chain.context.credentials);
  }
  const uploaded = await upload(chain, upload_url);
  return 'kind' in uploaded ? uploaded : done({ attachment: `video${owner_id}_${video_id}` });
};

const ask = ({ connection, context, token }: Chain, method: string, parameters: Readonly<Record<string, string>>) =>
  callVk(connection, { method, parameters, token, visible: false }, context);

/** Sends the file; the answer's fields, or what its failure means. */
const upload = async (
  { connection, context, file, field }: Chain,
  url: string,
): Promise<{ readonly answer: Readonly<Record<string, unknown>> } | StepOutcome> => {
  const request = { method: 'POST', url, ...multipartOf([{ field, file }]) } as const;
  const limits = { timeoutMs: connection.uploadTimeoutMs, signal: context.signal };
  const last = await exchange(connection.connections, request, limits);
  const answer = last.kind === 'answered' ? objectOf(last.body) : null;
  if (!answer) return unreadable(last, false, context.credentials);
  return 'error' in answer || 'error_code' in answer ? done({ unsent: 'VK does not take this file.' }) : { answer };
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
