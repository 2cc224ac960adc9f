import { trimText, type TrimmedText } from '../../payload/trim.js';
import type { PlatformChannel, PlatformPost, Rendering, Step, Warning } from '../publisher.js';
import { cleanText } from './clean-text.js';
import { renderEntities } from './entities.js';
import { renderKeyboard, type InlineKeyboard } from './keyboard.js';

/** A message's text, in UTF-16 units: safe whether Telegram counts those or code points (platforms.md §2). */
export const MAX_MESSAGE_TEXT = 4_096;

/** Buttons need text to hang on, and Telegram refuses a text that cannot be seen (D-22). */
const BUTTONS_ALONE = '🔗';

/**
 * What Telegram counts as nothing: white space and characters without a shape, some of which it takes out. A text of
 * these alone is refused (`text must be non-empty`).
 */
const INVISIBLE = /^(?:[\s\u180e\u200b-\u200f\u202a-\u202e\u2800\ufffc\u030a\u0333\u033f]|[\u{e0000}-\u{e007f}])*$/u;

/**
 * The calls that put a post into a Telegram chat (platforms.md §1, §2, §5): text with entities and buttons as one
 * message. Pure; a post of which nothing is left for Telegram has no steps.
 */
export const renderTelegram = (post: PlatformPost, channel: PlatformChannel): Rendering => {
  const warnings: Warning[] = [];
  const { keyboard, warnings: keyboardWarnings } = renderKeyboard(post.buttons);
  warnings.push(...keyboardWarnings);

  const content = trimText(cleanText({ text: post.text, entities: post.entities }), MAX_MESSAGE_TEXT);
  if (content.trimmedChars > 0) {
    warnings.push({
      code: 'text_trimmed',
      message: `Telegram takes ${MAX_MESSAGE_TEXT} characters: ${content.trimmedChars} were cut from the end.`,
    });
  }
  if (post.media.length > 0) {
    warnings.push({ code: 'media_dropped', message: `${post.media.length} media are not sent to Telegram yet.` });
  }

  const hasText = !INVISIBLE.test(content.text);
  if (!hasText && !keyboard) {
    warnings.push({ code: 'nothing_to_send', message: 'Nothing of this post is left for Telegram.' });
    return { steps: [], warnings, textAfterTrim: '', trimmedChars: content.trimmedChars };
  }
  if (!hasText) {
    warnings.push({
      code: 'text_added',
      message: `Telegram takes no buttons without a text: ${BUTTONS_ALONE} stands above them.`,
    });
  }
  const shown = hasText ? content : { text: BUTTONS_ALONE, entities: [], trimmedChars: content.trimmedChars };
  const step = messageStep(shown, keyboard, channel);
  warnings.push(...step.warnings);
  return { steps: [step.step], warnings, textAfterTrim: shown.text, trimmedChars: shown.trimmedChars };
};

const messageStep = (
  content: TrimmedText,
  keyboard: InlineKeyboard | null,
  channel: PlatformChannel,
): { readonly step: Step; readonly warnings: readonly Warning[] } => {
  const { entities, warnings } = renderEntities(content.entities);
  return {
    step: {
      name: 'message',
      visible: true,
      method: 'sendMessage',
      request: {
        chat_id: channel.address['chat_id'] ?? '',
        text: content.text,
        ...(entities.length > 0 ? { entities } : {}),
        ...(keyboard ? { reply_markup: { inline_keyboard: keyboard.inline_keyboard } } : {}),
      },
    },
    warnings,
  };
};
