import { createHash } from 'node:crypto';
import type { JsonObject } from '../../kernel/ids.js';
import { fieldOf } from '../../payload/uploads.js';
import type { NetworkConnection } from '../channel-check.js';
import { type Exchange, parseObject, platformSays, uploadFile } from '../exchange.js';
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
import { doneWithoutMessage as done, unusableCredentials } from '../outcomes.js';
import type {
  LookUpResult,
  MediaFile,
  MediaLimits,
  PreviewCall,
  ProbedMedium,
  SendContext,
  SendInDoubt,
  Step,
  StepOutcome,
  WantedMedium,
} from '../publisher.js';
import { callVk, classify, classifyUnreadable, readRefusal } from './call.js';
import { VK_LIMITS } from './limits.js';
import { VK_MESSAGES } from './messages.js';
import { uploadStepName } from './render.js';

/** VK's response to a photo upload. */
export interface UploadedPhoto {
  readonly server: string;
  readonly photo: string;
  readonly hash: string;
}

/** Returns the call that requests an upload URL for a group's photo. */
export const photoServerCall = (group_id: string): MethodCall => ({
  method: 'photos.getWallUploadServer',
  parameters: { group_id },
});

/** Returns the call that saves an uploaded photo. */
export const savePhotoCall = (group_id: string, { server, photo, hash }: UploadedPhoto): MethodCall => ({
  method: 'photos.saveWallPhoto',
  parameters: { group_id, server, photo, hash },
});

/** Returns the call that creates a video and requests its upload URL. */
export const saveVideoCall = (group_id: string, name: string): MethodCall => ({
  method: 'video.save',
  parameters: { group_id, name, wallpost: '0' },
});

/** Returns the calls of a step, with placeholders for values from earlier responses (D-38). */
export const previewCalls = (step: Step): readonly PreviewCall[] => {
  if (step.visible) return [step];
  const group = step.request['group_id'] as string;
  const { field, source } = step.request['upload'] as { readonly field: string; readonly source: string };
  const isVideo = step.method === 'video.save';
  const address = isVideo ? saveVideoCall(group, step.request['name'] as string) : photoServerCall(group);
  const upload = previewUpload(placeholderOf('upload_url', address.method), field, source);
  if (isVideo) return [toPreviewCall(address), upload];
  const of = (what: string): string => placeholderOf(what, 'the upload');
  return [
    toPreviewCall(address),
    upload,
    toPreviewCall(savePhotoCall(group, { server: of('server'), photo: of('photo'), hash: of('hash') })),
  ];
};

const WANTED: Readonly<Record<'photo' | 'video', MediaLimits>> = VK_LIMITS.media;

/** Uploads one medium: requests the upload URL, sends the file and, for a photo, saves it. */
export const uploadMedium = async (
  connection: NetworkConnection,
  step: Step,
  context: SendContext,
): Promise<StepOutcome> => {
  const token = context.credentials['upload_token'];
  if (!token) return noUploadToken;
  const { group_id: groupId, name } = step.request as { readonly group_id: string; readonly name: string };
  const { field } = step.request['upload'] as { readonly field: string };
  const [wanted] = mediaOf(step) as [WantedMedium];
  return uploadOrLink(context, wanted, (file) => {
    const chain = { connection, context, token, file, field, groupId };
    return isVideo(step) ? uploadVideo(chain, name) : uploadPhoto(chain);
  });
};

const isVideo = ({ method }: Step): boolean => method === 'video.save';

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
  readonly token: string;
  readonly file: MediaFile;
  readonly field: string;
  readonly groupId: string;
}

const uploadPhoto = async (chain: UploadContext): Promise<StepOutcome> => {
  const { groupId: group_id } = chain;
  const server = await callMethod(chain, photoServerCall(group_id));
  if (!server.ok) return server.outcome;
  const address = (server.response as { upload_url?: unknown }).upload_url;
  if (typeof address !== 'string') return classifyUnreadable(server.last, false, chain.context.credentials);

  const uploaded = await upload(chain, address);
  if ('kind' in uploaded) return uploaded;
  const { server: id, photo, hash } = uploaded.answer;
  if (photo === undefined) return classifyUnreadable(uploaded.last, false, chain.context.credentials);
  const taken = typeof photo === 'string' ? photo : JSON.stringify(photo ?? '');
  // VK returns an empty list for a photo that it cannot read.
  if (/^(?:\[\]|"")?$/.test(taken)) return fileRefusal('vk', VK_MESSAGES.photoUnreadable);

  const saved = await callMethod(
    chain,
    savePhotoCall(group_id, { server: String(id), photo: taken, hash: String(hash) }),
  );
  if (!saved.ok) return saved.outcome;
  const [first] = Array.isArray(saved.response) ? (saved.response as SavedMedium[]) : [];
  if (typeof first?.id !== 'number' || typeof first.owner_id !== 'number')
    return classifyUnreadable(saved.last, false, chain.context.credentials);
  return done({ attachment: `photo${first.owner_id}_${first.id}${keyOf(first)}` });
};

const uploadVideo = async (chain: UploadContext, name: string): Promise<StepOutcome> => {
  const saved = await callMethod(chain, saveVideoCall(chain.groupId, name));
  if (!saved.ok) return saved.outcome;
  const { upload_url, owner_id, video_id, access_key } = saved.response as Readonly<Record<string, unknown>>;
  if (typeof upload_url !== 'string' || typeof owner_id !== 'number' || typeof video_id !== 'number') {
    return classifyUnreadable(saved.last, false, chain.context.credentials);
  }
  const uploaded = await upload(chain, upload_url);
  if ('kind' in uploaded) return uploaded;
  return ACCEPTED_VIDEO_FIELDS.some((field) => field in uploaded.answer)
    ? done({ attachment: `video${owner_id}_${video_id}${keyOf({ access_key })}` })
    : classifyUnreadable(uploaded.last, false, chain.context.credentials);
};

/** A saved photo or video; a malformed response may lack any member. `owner_id` is the uploader's. */
interface SavedMedium {
  readonly id?: unknown;
  readonly owner_id?: unknown;
  readonly access_key?: unknown;
}

/** Returns the key that others need to see a medium, as the end of an attachment; empty if VK gave none. */
const keyOf = ({ access_key }: SavedMedium): string =>
  typeof access_key === 'string' && access_key !== '' ? `_${access_key}` : '';

/** Fields of VK's response to an accepted video; some may be missing (dev.vk.com: video upload). */
const ACCEPTED_VIDEO_FIELDS = ['video_id', 'size', 'video_hash'];

const callMethod = ({ connection, context, token }: UploadContext, call: MethodCall) =>
  callVk(connection, { ...call, token, visible: false }, context);

/** Sends the file. Returns the fields of the response, or the outcome if the upload fails. */
const upload = async (
  { connection, context, file, field }: UploadContext,
  url: string,
): Promise<{ readonly answer: Readonly<Record<string, unknown>>; readonly last: Exchange } | StepOutcome> => {
  const { credentials, waits, signal, holdsLease } = context;
  const limits = { timeoutMs: connection.uploadTimeoutMs, signal, holdsLease };
  const last = await uploadFile(connection, url, { field, file }, limits);
  if (last.kind !== 'answered' || isServerBusy(last.status)) return classifyUnreadable(last, false, credentials);
  const answer = parseObject(last.body);
  const refusal = readRefusal(answer);
  if (refusal) return classify(refusal, { visible: false, waits, credentials, countUnknown: connection.countUnknown });
  const { error, error_code: ownCode, error_msg: words = error } = answer ?? {};
  if (error !== undefined || ownCode !== undefined) {
    const says = platformSays(typeof words === 'string' ? words : undefined, credentials);
    return fileRefusal('vk', VK_MESSAGES.fileRefused, says);
  }
  return answer && last.status < 300 ? { answer, last } : classifyUnreadable(last, false, credentials);
};

const noUploadToken = unusableCredentials('upload_token_missing', VK_MESSAGES.uploadTokenMissing);

/** Converts a publication's key to VK's `guid` (networks.md §4): a positive 63-bit number in decimal. */
const toGuid = (key: string): string => {
  const bits = createHash('sha256').update(key).digest().readBigUInt64BE();
  return String(BigInt.asUintN(63, bits));
};

export const postToWall = async (
  connection: NetworkConnection,
  step: Step,
  context: SendContext,
): Promise<StepOutcome> => {
  const token = context.credentials['access_token'];
  if (!token) return noToken;
  const parameters = buildParameters(step, context);
  const answer = await callVk(connection, { method: step.method, parameters, token, visible: true }, context);
  if (!answer.ok) return answer.outcome;
  const postId = (answer.response as { post_id?: unknown }).post_id;
  if (!Number.isSafeInteger(postId)) return classifyUnreadable(answer.last, true, context.credentials);
  return toDoneOutcome(parameters['owner_id'] ?? '', String(postId));
};

/** Returns the parameters of a step's call, with references and `guid` resolved. */
export const buildParameters = ({ request }: Step, { results, key }: SendContext): Readonly<Record<string, string>> => {
  const resolved = resolveReferences(request, { ...results, publication: { guid: toGuid(key) } });
  return Object.fromEntries(
    Object.entries(resolved).map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : (value as string)]),
  );
};

/** Returns the outcome of the step that created a wall post. */
export const toDoneOutcome = (ownerId: string, postId: string): Extract<StepOutcome, { kind: 'done' }> => ({
  kind: 'done',
  result: { post_id: postId },
  messageIds: [postId],
  urls: [`https://vk.com/wall${ownerId}_${postId}`],
});

/** Outcome of every step if the channel has no token. */
export const noToken = unusableCredentials('access_token_missing', VK_MESSAGES.accessTokenMissing);

/** How many of the newest wall posts to compare. */
const COMPARED_POSTS = 50;
/** VK's maximum, for a send that may be long ago. */
const MOST_POSTS = 100;

/** Possible difference between VK's dates and VK's clock, in seconds. Events closer together cannot be ordered. */
const SLACK_S = 2;

/**
 * Searches the wall for a post with the same text and number of attachments, no older than the attempt (D-41). Returns
 * `unknown` without a user token, because no other token can read a wall.
 */
export const lookUpOnWall = async (
  connection: NetworkConnection,
  step: Step,
  context: SendContext,
  { since, before, toleranceMs = 0, until, others }: SendInDoubt,
): Promise<LookUpResult> => {
  const token = context.credentials['upload_token'] ?? context.credentials['access_token'];
  if (!step.visible || !token) return { kind: 'unknown' };
  // Only what needs no results of uploads, which may be lost.
  const { owner_id = '', message = '', attachments = [] } = step.request as WallRequest;
  const compared = until === undefined ? COMPARED_POSTS : MOST_POSTS;
  const parameters = { owner_id, count: String(compared), filter: 'owner' };
  const answer = await callVk(connection, { method: 'wall.get', parameters, token, visible: false }, context);
  if (!answer.ok) return { kind: answer.outcome.kind === 'retry' ? 'unanswered' : 'unknown' };
  const { items } = answer.response as { items?: unknown };
  if (!Array.isArray(items)) return { kind: 'unknown' };

  // A pinned post comes first, whatever its age.
  const found = (items as readonly (WallPost | null)[]).filter((item) => item?.is_pinned !== 1);
  const end = found.findIndex((item) => before.has(String(item?.id)));
  // VK's dates are in whole seconds, by its own clock.
  const ahead = aheadMs(answer.last);
  const from = Math.floor((since + ahead) / 1_000);
  const to = until === undefined ? Infinity : Math.floor((until + ahead) / 1_000) + SLACK_S;
  const oldest = from - SLACK_S - Math.ceil(toleranceMs / 1_000);
  const recent = (end < 0 ? found : found.slice(0, end)).filter((item) => (item?.date ?? 0) >= oldest);
  const text = comparableText(message);
  const count = attachments.length;
  const mayBeSent = (item: WallPost | null) => (item?.date ?? 0) <= to && !others?.has(String(item?.id));
  const same = recent.filter(
    (item) => mayBeSent(item) && comparableText(item?.text ?? '') === text && countUploads(item) === count,
  );
  const match = same.findLast((item) => (item?.date ?? 0) >= from);
  if (match?.id !== undefined) return { kind: 'sent', outcome: toDoneOutcome(owner_id, String(match.id)) };
  // If every post on the page is newer than the attempt, the post may be on the next page.
  const isComplete = end >= 0 || recent.length < found.length || items.length < compared;
  return { kind: isComplete && same.length === 0 ? 'not_sent' : 'unknown' };
};

/** The compared parts of a rendered post. */
interface WallRequest extends JsonObject {
  readonly owner_id?: string;
  readonly message?: string;
  readonly attachments?: readonly JsonObject[];
}

/** Returns how far VK's clock is ahead of this machine's, in ms. */
const aheadMs = (last: Exchange): number => {
  const at = last.kind === 'answered' ? Date.parse(last.headers.date ?? '') : NaN;
  return Number.isNaN(at) ? 0 : at - Date.now();
};

/** The relevant parts of a post from `wall.get`. */
interface WallPost {
  readonly id?: number;
  /** Unix time, in seconds. */
  readonly date?: number;
  readonly text?: string;
  readonly is_pinned?: number;
  readonly attachments?: readonly { readonly type?: string }[];
}

/** Ignores links, which VK itself attaches. */
const countUploads = (item: WallPost | null): number =>
  item?.attachments?.filter(({ type }) => type === 'photo' || type === 'video').length ?? 0;

/** Removes characters that VK may change: white space and invisible characters. */
const comparableText = (text: string): string => text.replace(/[\s\u200b]+/g, '');
