import type { LedgerEntry, LedgerMedium } from '../kit/ledger-entry.js';
import { detectMimeType, type MediaStore, readPhotoDimensions, type UploadedFile } from '../kit/media-store.js';
import type { Chat } from './chats.js';
import { ApiError, badRequest, type Parameters } from './parameters.js';

/** Returns a `Chat` of the Bot API. */
const chatJson = ({ id, type, title, username }: Chat): object => ({
  id,
  type,
  ...(type === 'private' ? { first_name: title } : { title }),
  ...(username === null ? {} : { username }),
});

/** Returns a `ChatFullInfo`, the answer of `getChat`. */
export const fullChatJson = (chat: Chat): object => ({
  ...chatJson(chat),
  accent_color_id: 0,
  max_reaction_count: 11,
  accepted_gift_types: {
    unlimited_gifts: false,
    limited_gifts: false,
    unique_gifts: false,
    premium_subscription: false,
    gifts_from_channels: false,
  },
});

/** Rights of a restricted member besides `can_send_messages`. */
const FURTHER_RIGHTS = [
  ...['audios', 'documents', 'photos', 'videos', 'video_notes', 'voice_notes', 'polls', 'other_messages'].map(
    (kind) => `can_send_${kind}`,
  ),
  'can_add_web_page_previews',
  'can_react_to_messages',
  'can_edit_tag',
  'can_change_info',
  'can_invite_users',
  'can_pin_messages',
  'can_manage_topics',
];

/**
 * Returns the `ChatMember` of a posting bot: an administrator of a channel, a member of a group. If the bot lacks
 * rights, it is an administrator who may not post, or a restricted member.
 */
export const memberJson = ({ type, state }: Chat, user: object): object => {
  const mayPost = state !== 'no_rights';
  if (type !== 'channel')
    return mayPost
      ? { user, status: 'member' }
      : {
          user,
          status: 'restricted',
          is_member: true,
          can_send_messages: false,
          ...Object.fromEntries(FURTHER_RIGHTS.map((right) => [right, false])),
          until_date: 0,
        };
  return {
    user,
    status: 'administrator',
    can_be_edited: false,
    is_anonymous: false,
    can_manage_chat: true,
    can_delete_messages: false,
    can_manage_video_chats: false,
    can_restrict_members: false,
    can_promote_members: false,
    can_change_info: false,
    can_invite_users: false,
    can_post_stories: false,
    can_edit_stories: false,
    can_delete_stories: false,
    can_post_messages: mayPost,
    can_edit_messages: false,
  };
};

/** Returns the Bot API `Message` in the response to an accepted post. */
export const messageJson = (entry: LedgerEntry, chat: Chat, facts: MediumFacts): object => {
  const [medium] = entry.media;
  const date = Math.floor(Date.parse(entry.at) / 1_000);
  const names = medium ? ['caption', 'caption_entities'] : ['text', 'entities'];
  return {
    message_id: Number(entry.message_id),
    ...(chat.type === 'channel' ? { sender_chat: chatJson(chat) } : {}),
    chat: chatJson(chat),
    date,
    ...(entry.reply_to === null
      ? {}
      : { reply_to_message: { message_id: Number(entry.reply_to), chat: chatJson(chat), date } }),
    ...(entry.group_id === null ? {} : { media_group_id: entry.group_id }),
    ...(medium ? mediumJson(medium, facts) : {}),
    ...(entry.text ? { [names[0] ?? '']: entry.text } : {}),
    ...(entry.entities.length > 0 ? { [names[1] ?? '']: entry.entities } : {}),
    ...(entry.buttons.length > 0 ? { reply_markup: { inline_keyboard: entry.buttons } } : {}),
  };
};

const mediumJson = (
  { type, hash, url, mime, bytes, name }: LedgerEntry['media'][number],
  { width, height, duration, thumbnail }: MediumFacts,
): object => {
  const id = hash ?? url ?? '';
  const described = { file_id: id, file_unique_id: id, file_size: bytes };
  if (type === 'photo') return { photo: [{ ...described, width, height }] };
  const named = { ...described, mime_type: mime, file_name: name };
  if (type === 'video') return { video: { ...named, width, height, duration, ...(thumbnail && { thumbnail }) } };
  return { [type]: type === 'audio' ? { ...named, duration } : named };
};

/** Kinds of media. The method for a kind is `send` followed by the capitalised kind. */
export const MEDIUM_KINDS = ['photo', 'video', 'audio', 'document'] as const;
/** One of {@link MEDIUM_KINDS}. */
export type MediumKind = (typeof MEDIUM_KINDS)[number];

// Limits for uploads (networks.md §1).
const MAX_PHOTO_BYTES = 10 * 1_048_576;
const MAX_FILE_BYTES = 50 * 1_048_576;
/** Maximum sum of a photo's width and height, in pixels. */
const MAX_SUM = 10_000;
/** Maximum ratio of a photo's longer side to its shorter side. */
const MAX_RATIO = 20;

// Limits for the thumbnail of a video (networks.md §1).
const MAX_THUMBNAIL_BYTES = 200_000;
const MAX_THUMBNAIL_SIDE = 320;

/** What Telegram says about a medium besides its file: pixels and seconds. */
interface MediumFacts {
  readonly width: number;
  readonly height: number;
  readonly duration: number;
  /** A `PhotoSize`. */
  readonly thumbnail?: object | undefined;
}

/** A medium of a request. */
export interface SentMedium {
  readonly medium: LedgerMedium;
  readonly facts: MediumFacts;
}

/** Telegram itself measures videos up to some 10 MB; this stand-in makes up their size and length. */
const MEASURED = { width: 640, height: 360, duration: 1 };
const MAX_MEASURED_BYTES = 10 * 1_048_576;
/** How Telegram stores a larger video whose size and length are not sent (networks.md §1). */
const UNMEASURED = { width: 320, height: 320, duration: 0 };

/**
 * Returns the medium that a parameter refers to: `attach://name`, an upload with the parameter's name, or a URL; null
 * if the request has no such file.
 * @param sent the request's width, height, duration and thumbnail
 * @throws ApiError if the reference is unknown, or the file is empty, too large, or not a valid photo where one is
 * required
 */
export const readMedium = async (
  kind: MediumKind,
  reference: string,
  fieldName: string,
  parameters: Parameters,
  store: MediaStore,
  sent: Readonly<Record<string, unknown>>,
): Promise<SentMedium | null> => {
  if (/^https?:\/\//i.test(reference)) {
    return {
      medium: { type: kind, file: null, url: reference, mime: '', bytes: 0, name: '', hash: null },
      facts: MEASURED,
    };
  }
  const attached = /^attach:\/\/(.*)$/s.exec(reference)?.[1];
  if (reference !== '' && attached === undefined) {
    throw badRequest("Wrong remote file identifier specified: can't unserialize it");
  }
  const file = parameters.file(attached ?? fieldName);
  if (!file) return null;
  const medium = await store.storeFile(visibleTypeOf(kind, file), file, detectMimeType(file.head));
  const thumbnail = kind === 'video' ? readThumbnail(sent['thumbnail'], parameters) : undefined;
  return { medium, facts: { ...readFacts(kind, file, sent), thumbnail } };
};

/** The real server drops a thumbnail that it cannot use, without a word. A publisher that sends one has a bug. */
const readThumbnail = (reference: unknown, parameters: Parameters): object | undefined => {
  if (reference === undefined) return undefined;
  const name = typeof reference === 'string' ? /^attach:\/\/(.+)$/s.exec(reference)?.[1] : undefined;
  const file = name === undefined ? undefined : parameters.file(name);
  if (!file) throw badRequest('a thumbnail must be attached');
  const sides = detectMimeType(file.head) === 'image/jpeg' ? readPhotoDimensions(file) : null;
  if (!sides || sides.long > MAX_THUMBNAIL_SIDE || file.size >= MAX_THUMBNAIL_BYTES)
    throw badRequest('a thumbnail must be a JPEG below 200 kB of at most 320 pixels a side');
  const { width, height } = sides;
  return { file_id: file.hash, file_unique_id: file.hash, width, height, file_size: file.size };
};

const readFacts = (
  kind: MediumKind,
  file: UploadedFile,
  { width, height, duration }: Readonly<Record<string, unknown>>,
): MediumFacts => {
  if (kind === 'photo') return { ...(readPhotoDimensions(file) ?? MEASURED), duration: 0 };
  const known = file.size > MAX_MEASURED_BYTES ? UNMEASURED : MEASURED;
  return {
    width: readNumber(width, 'width') ?? known.width,
    height: readNumber(height, 'height') ?? known.height,
    duration: readNumber(duration, 'duration') ?? known.duration,
  };
};

const readNumber = (value: unknown, name: string): number | undefined => {
  if (value === undefined) return undefined;
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !/^\d{1,9}$/.test(text)) throw badRequest(`${name} must be a whole number`);
  return Number(text);
};

/** Returns the type that readers see: videos other than MP4, and audio other than MP3 and M4A, arrive as documents. */
const visibleTypeOf = (kind: MediumKind, file: UploadedFile): string => {
  const { size } = file;
  const mime = detectMimeType(file.head);
  if (size === 0) throw badRequest('File must be non-empty');
  if (size > MAX_FILE_BYTES) throw new ApiError(413, 'Request Entity Too Large');
  if (kind === 'photo') {
    if (size > MAX_PHOTO_BYTES) {
      throw badRequest(
        `File of size ${size} bytes is too big for a photo; the maximum size is ${MAX_PHOTO_BYTES} bytes`,
      );
    }
    if (!mime.startsWith('image/')) throw badRequest('IMAGE_PROCESS_FAILED');
    const { long, short } = readPhotoDimensions(file) ?? { long: 1, short: 1 };
    if (long + short > MAX_SUM || long > short * MAX_RATIO) throw badRequest('PHOTO_INVALID_DIMENSIONS');
    return 'photo';
  }
  if (kind === 'video') return mime === 'video/mp4' ? 'video' : 'document';
  if (kind === 'audio') return mime === 'audio/mpeg' || mime === 'audio/mp4' ? 'audio' : 'document';
  return 'document';
};
