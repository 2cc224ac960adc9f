import { READERS_VIEWS } from '../../../stand-ins/readers-views.js';
import type { VisibleMessage } from '../../../stand-ins/walls/readers-view.js';
import { EMPTY_MESSAGE, type PreviewedCall } from '../../../stand-ins/walls/readers-view.js';
import type { Api } from '../api/management.js';
import { defineMessages } from '../i18n/messages.js';

/** The part of the sandbox response for one network. */
export interface NetworkPreview {
  readonly text_after_trim: string;
  readonly trimmed_chars: number;
  readonly requests: readonly (PreviewedCall & { readonly target_id: string })[];
  readonly warnings: readonly { readonly code: string; readonly message: string; readonly target_id?: string }[];
}

/** The messages that readers of one channel see. */
export interface Wall {
  readonly platform: string;
  /** Oldest first; an album is one message. */
  readonly messages: readonly VisibleMessage[];
  /** Length of the text in UTF-16 units. */
  readonly length: number;
  /** Maximum length of the text in UTF-16 units; null if unknown. */
  readonly limit: number | null;
}

/** Returns an empty wall for a network. */
export const emptyWall = (platform: string): Wall => ({ platform, messages: [], length: 0, limit: null });

/** Maximum text length on Odnoklassniki in UTF-16 units, unless the channel's settings set a different limit. */
const DEFAULT_LIMIT = 5_000;

/**
 * Derives what readers would see from the API calls that publishing would make. If the preview leaves out the calls, or
 * they cannot be parsed, shows the text without formatting.
 * @param channelId defaults to the first channel that the post goes to
 * @param ownLimit the text limit in the channel's settings
 */
export const readWall = (
  platform: string,
  { requests, text_after_trim: text, warnings }: NetworkPreview,
  channelId = requests[0]?.target_id,
  ownLimit: number | null = null,
): Wall => {
  const view = READERS_VIEWS[platform];
  const calls = requests.filter(({ target_id: targetId }) => targetId === channelId);
  // Large previews omit the calls for some channels.
  const isLeftOut = calls.length === 0 && warnings.some(({ code }) => code === 'requests_left_out');
  const read = isLeftOut ? null : readMessages(platform, calls);
  const messages = read ?? (text === '' ? [] : [{ ...EMPTY_MESSAGE, text }]);
  const withText = messages.find((message) => message.text !== '') ?? messages[0];
  const isFirst = channelId === requests[0]?.target_id;
  const limit = view && withText ? (view.textLimit(withText) ?? ownLimit ?? DEFAULT_LIMIT) : null;
  return { platform, messages, length: isFirst ? text.length : (withText?.text.length ?? 0), limit };
};

/** Returns the messages; null if the calls cannot be parsed. */
const readMessages = (platform: string, calls: NetworkPreview['requests']): readonly VisibleMessage[] | null => {
  try {
    return READERS_VIEWS[platform]?.readCalls(calls) ?? null;
  } catch {
    return null; // The network would reject this call, so the plain text is shown instead.
  }
};

/** Returns the text limit in a channel's settings, which only Odnoklassniki channels have; null if there is none. */
export const ownLimit = (channel: Pick<Api<'Channel'>, 'settings'>): number | null => {
  const { text_limit: limit } = channel.settings as { readonly text_limit?: unknown };
  return typeof limit === 'number' ? limit : null;
};

const MEDIA_EN: Readonly<Record<string, string>> = { photo: 'photo', video: 'video', audio: 'audio', document: 'file' };
const MEDIA_RU: Readonly<Record<string, string>> = { photo: 'фото', video: 'видео', audio: 'аудио', document: 'файл' };

/** UI text shown around the walls. */
export const wallMessages = defineMessages({
  en: {
    readersSee: (network: string) => `What readers of ${network} see`,
    nothing: 'Nothing would be published here.',
    asWritten: 'Just as you wrote it',
    inReplyToMedia: 'in reply to the media above',
    hidden: 'Hidden: click to see',
    mediaType: (type: string) => MEDIA_EN[type] ?? type,
    length: (length: string, limit: string) => `${length} of ${limit} characters`,
  },
  ru: {
    readersSee: (network: string) => `Что увидят читатели в ${network}`,
    nothing: 'Здесь ничего не выйдет.',
    asWritten: 'Без изменений',
    inReplyToMedia: 'в ответ на вложения выше',
    hidden: 'Скрыто: нажмите, чтобы прочитать',
    mediaType: (type: string) => MEDIA_RU[type] ?? type,
    length: (length: string, limit: string) => `${length} из ${limit} знаков`,
  },
});
