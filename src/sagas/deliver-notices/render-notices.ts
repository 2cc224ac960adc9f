import type { Locale } from '../../domain/owner/owner.events.js';
import { NOTICE_GROUP_EN, NOTICE_GROUP_RU } from './messages.js';

/** Maximum number of notices that a message lists in full. */
export const MAX_LISTED = 8;
/** Maximum length of a listed notice, in UTF-16 units: eight notices fit into one message on any network. */
const MAX_LENGTH = 450;

/**
 * Renders notices of one kind as one message.
 * @param texts the first notices, oldest first
 * @param count total number of notices
 */
export const renderNotices = (texts: readonly string[], count: number, locale: Locale): string => {
  const say = locale === 'ru' ? NOTICE_GROUP_RU : NOTICE_GROUP_EN;
  if (count <= 1) return texts[0] ?? '';
  const listed = texts.slice(0, MAX_LISTED).map((text) => `• ${shorten(text)}`);
  const more = count > listed.length ? [say.more({ count: count - listed.length })] : [];
  return [say.several({ count }), ...listed, ...more].join('\n\n');
};

const shorten = (text: string): string =>
  text.length <= MAX_LENGTH
    ? text
    : `${Buffer.from(text.slice(0, MAX_LENGTH - 1))
        .toString()
        .replace(/\ufffd$/, '')}…`;
