import type { Button } from '../../payload/payload.js';
import { type ButtonRules, fitButtons } from '../fit-buttons.js';
import { appendLinks, type LinkedText } from '../media.js';
import { DEGRADATION_MESSAGES as MESSAGES } from '../messages.js';
import { droppedLinksWarnings, nothingToSend, signatureWarnings, trimmedWarnings } from '../plain-text.js';
import type { PlatformChannel, PlatformPost, Rendering, SendContext, Step, Warning } from '../publisher.js';
import { cleanText, originalLength } from './clean-text.js';
import { acceptsButtonUrl, TELEGRAM_LIMITS, TITLE } from './limits.js';
import { type MediaPlan, planMedia } from './media-plan.js';
import { FETCH, fetchStep, mediaStep, messageStep, renderText } from './steps.js';

/** Telegram documents no limit, but no client shows longer text, and the total size of all buttons is limited. */
const RULES: ButtonRules = { network: TITLE, limit: 128, toUrl: (url) => (acceptsButtonUrl(url) ? url : null) };

/** An `InlineKeyboardMarkup` of URL buttons. */
export interface InlineKeyboard {
  readonly inline_keyboard: readonly (readonly { readonly text: string; readonly url: string }[])[];
}

/** Converts a post's buttons to rows below the message. `keyboard` is null if no button is left. */
export const renderKeyboard = (
  rows: readonly (readonly Button[])[],
): { readonly keyboard: InlineKeyboard | null; readonly warnings: readonly Warning[] } => {
  const warnings: Warning[] = [];
  const kept = rows.map((row) => fitButtons(row, RULES, warnings)).filter((row) => row.length > 0);
  return { keyboard: kept.length > 0 ? { inline_keyboard: kept } : null, warnings };
};

const { text: MAX_MESSAGE_TEXT, caption: MAX_CAPTION } = TELEGRAM_LIMITS;

/** Text for a message that has only buttons: Telegram requires visible text (D-22). */
const BUTTONS_ALONE = '🔗';

/**
 * Matches text that is only white space and characters without a glyph; Telegram refuses it (`text must be non-empty`).
 */
const INVISIBLE = /^(?:[\s\u180e\u200b-\u200f\u202a-\u202e\u2800\ufffc\u030a\u0333\u033f]|[\u{e0000}-\u{e007f}])*$/u;

/**
 * Returns the calls that publish a post in a Telegram chat (networks.md §1, §2, §5): a message, a medium or an album
 * with the text as its caption, or media followed by the text as a reply. Pure. If there is nothing to send, no step
 * makes a call and a warning says so.
 */
export const renderTelegram = (
  post: PlatformPost,
  channel: PlatformChannel,
  results: SendContext['results'] = {},
): Rendering => {
  const { keyboard, warnings: keyboardWarnings } = renderKeyboard(post.buttons);
  const plan = planMedia(post.media, results[FETCH], results);
  const cleaned = cleanText({ text: post.text, entities: post.entities });
  const signature = post.signature && cleanText(post.signature);
  const content = appendLinks(
    INVISIBLE.test(cleaned.text) ? NOTHING : cleaned,
    plan.links,
    MAX_MESSAGE_TEXT,
    signature && !INVISIBLE.test(signature.text) ? signature : undefined,
  );
  // Counted in the original text, including characters that Telegram removes (D-44).
  const trimmedChars =
    content.trimmedChars > 0
      ? post.text.length - originalLength(post.text, cleaned.text.length - content.trimmedChars)
      : 0;
  const layout = layOut(content, keyboard, plan, channel.address['chat_id'] ?? '');
  const warnings = [
    ...keyboardWarnings,
    ...plan.warnings,
    ...trimmedWarnings(TITLE, MAX_MESSAGE_TEXT, trimmedChars),
    ...droppedLinksWarnings('media_dropped', content.droppedLinks),
    ...signatureWarnings(content),
    ...layout.warnings,
    ...(layout.steps.length === 0 ? [nothingToSend(TITLE)] : []),
  ];
  const steps = post.media.length > 0 ? [fetchStep(post.media), ...layout.steps] : layout.steps;
  return { steps, warnings, textAfterTrim: layout.shown, trimmedChars };
};

const NOTHING = { text: '', entities: [] };

interface Layout {
  readonly steps: readonly Step[];
  /** The text that readers see. */
  readonly shown: string;
  readonly warnings: readonly Warning[];
}

/** Plans the messages (networks.md §1: How a post becomes messages). */
const layOut = (
  content: LinkedText,
  keyboard: InlineKeyboard | null,
  { groups, sendsTextSeparately }: Pick<MediaPlan, 'groups' | 'sendsTextSeparately'>,
  chatId: string,
): Layout => {
  const [first, ...more] = groups;
  const isOneMessage = first?.items.length === 1;
  // An album cannot have buttons, and they cannot be added later.
  if (
    first &&
    more.length === 0 &&
    !sendsTextSeparately &&
    content.text.length <= MAX_CAPTION &&
    (isOneMessage || keyboard === null)
  ) {
    const caption = content.text ? renderText(content) : null;
    const step = mediaStep(chatId, first, caption, keyboard);
    return { steps: [step], shown: content.text, warnings: caption?.warnings ?? [] };
  }
  const media = groups.map((group) => mediaStep(chatId, group, null, null));
  if (!content.text && !keyboard) return { steps: media, shown: '', warnings: [] };
  const text = renderText(content.text ? content : { text: BUTTONS_ALONE, entities: [] });
  const warnings = [...text.warnings];
  if (!content.text) {
    const message = MESSAGES.textAdded({ network: TITLE, text: BUTTONS_ALONE });
    warnings.push({ code: 'text_added', message });
  }
  return {
    steps: [...media, messageStep(chatId, text, keyboard, first?.name)],
    shown: text.text,
    warnings,
  };
};
