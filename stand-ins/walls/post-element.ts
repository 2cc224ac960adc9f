import type { LedgerButton } from '../kit/ledger-entry.js';
import { EXTERNAL, formatText, safeHref } from './format-text.js';
import type { VisibleMedium, VisibleMessage } from './visible-message.js';
import { element, type WallElement, type WallNode } from './wall-node.js';

/** The parts of a post that differ between the walls and the console's previews. */
interface PostFrame {
  /** Name of the channel. */
  readonly author: string;
  /** Additional attributes of the post's element. */
  readonly attributes?: WallElement['attributes'];
  /** Returns null to leave a medium out. */
  readonly showMedium: (medium: VisibleMedium) => WallNode | null;
  /** The line below the text: views and time. */
  readonly footer: readonly WallNode[];
  readonly words?: PostWords;
}

/** Interface text inside a post, as opposed to the author's text. */
interface PostWords {
  readonly inReplyTo: (messageId: string) => string;
  /** Tooltip for hidden text. */
  readonly hidden: string;
}

const ENGLISH: PostWords = { inReplyTo: (messageId) => `in reply to ${messageId}`, hidden: 'Hidden: click to see' };

/** Returns one message as readers see it: media, formatted text, footer and buttons. */
export const postElement = (message: VisibleMessage, frame: PostFrame): WallElement => {
  const { author, attributes = {}, showMedium, footer, words = ENGLISH } = frame;
  const media = message.media.map(showMedium).filter((node) => node !== null);
  const { text, entities, reply_to: replyTo, buttons } = message;
  return element('article', { class: 'post', ...attributes }, [
    element('div', { class: 'bubble' }, [
      ...(media.length > 0 ? [element('div', { class: 'media' }, media)] : []),
      element('div', { class: 'body' }, [
        element('div', { class: 'author', 'data-initial': [...author][0] ?? '' }, [author]),
        ...(replyTo === null ? [] : [element('div', { class: 'reply' }, [words.inReplyTo(replyTo)])]),
        ...(text === '' ? [] : [element('div', { class: 'text' }, formatText(text, entities, words.hidden))]),
        element('footer', {}, footer),
      ]),
    ]),
    ...(buttons.length > 0 ? [element('div', { class: 'buttons' }, buttons.map(showRow))] : []),
  ]);
};

const showRow = (row: readonly LedgerButton[]): WallElement => element('div', { class: 'row' }, row.map(showButton));

const showButton = ({ text, url }: LedgerButton): WallElement => {
  const href = safeHref(url);
  const label = element('span', {}, [text]);
  return href === null
    ? element('span', { class: 'button' }, [label])
    : element('a', { class: 'button', href, ...EXTERNAL }, [label, element('i', { 'aria-hidden': 'true' }, ['↗'])]);
};
