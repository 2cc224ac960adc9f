import { withLinks, type LinkedText } from '../media-links.js';
import type { PlatformChannel, PlatformPost, Rendering, SendContext, Step, Warning } from '../publisher.js';
import { signatureWarnings } from '../signature.js';
import { cleanText, uncleaned } from './clean-text.js';
import { renderKeyboard, type InlineKeyboard } from './keyboard.js';
import { planMedia, type MediaPlan } from './media-plan.js';
import { FETCH, fetchStep, mediaStep, messageStep, renderedText } from './steps.js';

/** A message's text, in UTF-16 units: safe whether Telegram counts those or code points (networks.md §2). */
const MAX_MESSAGE_TEXT = 4_096;
const MAX_CAPTION = 1_024;

/** Buttons need text to hang on, and Telegram refuses a text that cannot be seen (D-22). */
const BUTTONS_ALONE = '🔗';

/**
 * What Telegram counts as nothing: white space and characters without a shape, some of which it takes out. A text of
 * these alone is refused (`text must be non-empty`).
 */
const INVISIBLE = /^(?:[\s\u180e\u200b-\u200f\u202a-\u202e\u2800\ufffc\u030a\u0333\u033f]|[\u{e0000}-\u{e007f}])*$/u;

/**
 * The calls that put a post into a Telegram chat (networks.md §1, §2, §5): a message, a medium or an album with the
 * text as its caption, or media and then the text in reply. Pure; a post of which nothing is left has no steps.
 */
export const renderTelegram = (
  post: PlatformPost,
  channel: PlatformChannel,
  results: SendContext['results'] = {},
): Rendering => {
  const { keyboard, warnings: keyboardWarnings } = renderKeyboard(post.buttons);
  const { groups, links, isBroken, warnings: mediaWarnings } = planMedia(post.media, results[FETCH], results);
  const cleaned = cleanText({ text: post.text, entities: post.entities });
  const signature = post.signature && cleanText(post.signature);
  const content = withLinks(
    INVISIBLE.test(cleaned.text) ? NOTHING : cleaned,
    links,
    MAX_MESSAGE_TEXT,
    signature && !INVISIBLE.test(signature.text) ? signature : undefined,
  );
  // Of the text as it came, what Telegram takes out included (D-44).
  const trimmedChars =
    content.trimmedChars > 0 ? post.text.length - uncleaned(post.text, cleaned.text.length - content.trimmedChars) : 0;
  const warnings: Warning[] = [
    ...keyboardWarnings,
    ...mediaWarnings,
    ...trimmingWarnings(trimmedChars, content.droppedLinks),
    ...signatureWarnings(content),
  ];

  const layout = layOut(content, keyboard, { groups, isBroken }, channel.address['chat_id'] ?? '');
  warnings.push(...layout.warnings);
  if (layout.steps.length === 0) {
    warnings.push({ code: 'nothing_to_send', message: 'Nothing of this post is left for Telegram.' });
  }
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

/** Which messages there are (networks.md §1: How a post becomes messages). */
const layOut = (
  content: LinkedText,
  keyboard: InlineKeyboard | null,
  { groups, isBroken }: Pick<MediaPlan, 'groups' | 'isBroken'>,
  chatId: string,
): Layout => {
  const [first, ...more] = groups;
  const isOneMessage = first?.items.length === 1;
  // An album takes no buttons, and no edit can add them later.
  if (
    first &&
    more.length === 0 &&
    !isBroken &&
    content.text.length <= MAX_CAPTION &&
    (isOneMessage || keyboard === null)
  ) {
    const caption = content.text ? renderedText(content) : null;
    const step = mediaStep(chatId, first, caption, keyboard);
    return { steps: [step], shown: content.text, warnings: caption?.warnings ?? [] };
  }
  const media = groups.map((group) => mediaStep(chatId, group, null, null));
  if (!content.text && !keyboard) return { steps: media, shown: '', warnings: [] };
  const text = renderedText(content.text ? content : { text: BUTTONS_ALONE, entities: [] });
  const message = messageStep(chatId, text, keyboard, first?.name);
  return { steps: [...media, message], shown: text.text, warnings: [...text.warnings, ...addedText(content)] };
};

const addedText = ({ text }: LinkedText): readonly Warning[] =>
  text
    ? []
    : [
        {
          code: 'text_added',
          message: `Telegram takes no buttons without a text: ${BUTTONS_ALONE} stands above them.`,
        },
      ];

const trimmingWarnings = (trimmedChars: number, droppedLinks: number): readonly Warning[] => {
  const warnings: Warning[] = [];
  if (trimmedChars > 0) {
    const message = `Telegram takes ${MAX_MESSAGE_TEXT} characters: ${trimmedChars} were cut from the end.`;
    warnings.push({ code: 'text_trimmed', message });
  }
  if (droppedLinks > 0) {
    const message = `${droppedLinks} addresses of media find no room in ${MAX_MESSAGE_TEXT} characters.`;
    warnings.push({ code: 'media_dropped', message });
  }
  return warnings;
};
