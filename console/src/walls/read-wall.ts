import { READERS_VIEWS } from '../../../src/stand-ins/readers-views.js';
import { EMPTY_MESSAGE, type PreviewedCall } from '../../../src/stand-ins/walls/readers-view.js';
import type { VisibleMessage } from '../../../src/stand-ins/walls/visible-message.js';

/** One network's part of the sandbox response. */
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
  /** UTF-16 units of the text. */
  readonly length: number;
  /** Maximum number of UTF-16 units of the text; null if unknown. */
  readonly limit: number | null;
}

/** Returns a wall without messages for a network. */
export const emptyWall = (platform: string): Wall => ({ platform, messages: [], length: 0, limit: null });

/** Maximum number of UTF-16 units of a text on Odnoklassniki, unless the channel's settings set another limit. */
const DEFAULT_LIMIT = 5_000;

/**
 * Derives what readers see from the calls that publishing would make. If the calls were left out of the preview or
 * cannot be read, the text is shown without formatting.
 * @param channelId the channel; by default, the first channel that the post goes to
 * @param ownLimit the limit in the channel's settings
 */
export const readWall = (
  platform: string,
  { requests, text_after_trim: text, warnings }: NetworkPreview,
  channelId = requests[0]?.target_id,
  ownLimit: number | null = null,
): Wall => {
  const view = READERS_VIEWS[platform];
  const calls = requests.filter(({ target_id: targetId }) => targetId === channelId);
  // Large previews leave out the calls for further channels.
  const isLeftOut = calls.length === 0 && warnings.some(({ code }) => code === 'requests_left_out');
  const read = isLeftOut ? null : readMessages(platform, calls);
  const messages = read ?? (text === '' ? [] : [{ ...EMPTY_MESSAGE, text }]);
  const withText = messages.find((message) => message.text !== '') ?? messages[0];
  const isFirst = channelId === requests[0]?.target_id;
  const limit = view && withText ? (view.textLimit(withText) ?? ownLimit ?? DEFAULT_LIMIT) : null;
  return { platform, messages, length: isFirst ? text.length : (withText?.text.length ?? 0), limit };
};

/** Returns the messages; null if the calls cannot be read. */
const readMessages = (platform: string, calls: NetworkPreview['requests']): readonly VisibleMessage[] | null => {
  try {
    return READERS_VIEWS[platform]?.readCalls(calls) ?? null;
  } catch {
    return null; // The network would refuse such a call. The text is shown instead.
  }
};
