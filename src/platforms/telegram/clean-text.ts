import { countOf } from '../../kernel/message.js';
import { sortEntities, type TextWithEntities } from '../../payload/entities.js';
import type { Entity } from '../../payload/payload.js';
import { DEGRADATION_MESSAGES as MESSAGES } from '../messages.js';
import type { Warning } from '../publisher.js';
import { acceptsUrl, TITLE } from './limits.js';

/** Matches characters that Telegram replaces with a space, and `\r`, which it removes. Telegram keeps `\n`. */
const CONTROLS = /[\0-\t\v-\x1f]/;
const CARRIAGE_RETURN = 13;

/**
 * Returns the text the way Telegram stores it, so that the limit applies to what the channel shows (networks.md §2):
 * control characters become spaces, `\r` is removed, entities still cover the same words. Removes entities that become
 * empty.
 */
export const cleanText = (content: TextWithEntities): TextWithEntities => {
  const { text, entities } = content;
  if (!CONTROLS.test(text)) return content;

  // removed[i]: number of units removed before unit i.
  const removed = new Uint32Array(text.length + 1);
  for (let at = 0; at < text.length; at++) {
    removed[at + 1] = (removed[at] ?? 0) + (text.charCodeAt(at) === CARRIAGE_RETURN ? 1 : 0);
  }
  const moved = (offset: number): number => offset - (removed[offset] ?? 0);
  return {
    text: text.replaceAll('\r', '').replace(new RegExp(CONTROLS, 'g'), ' '),
    entities: entities.flatMap((entity) => {
      const offset = moved(entity.offset);
      const length = moved(entity.offset + entity.length) - offset;
      return length > 0 ? [{ ...entity, offset, length }] : [];
    }),
  };
};

/** Returns how many UTF-16 units of the original text make up the first `kept` units of {@link cleanText}'s result. */
export const originalLength = (text: string, kept: number): number => {
  let at = 0;
  for (let left = kept; left > 0; at++) if (text.charCodeAt(at) !== CARRIAGE_RETURN) left--;
  return at;
};

/** Telegram shows about this many entities in a message and ignores the rest (networks.md §2). */
const MAX_ENTITIES = 100;

/** Types that Telegram detects itself and ignores in a request. */
const DETECTED: ReadonlySet<string> = new Set(['mention', 'url', 'email', 'phone_number', 'hashtag']);

/** A `MessageEntity` of the Bot API. */
export type TelegramEntity = Readonly<Record<string, string | number>>;

/**
 * Converts a post's entities for Telegram, in order. Omits entities that Telegram detects itself and, with a warning,
 * entities that it would refuse or ignore.
 */
export const renderEntities = (
  entities: readonly Entity[],
): { readonly entities: readonly TelegramEntity[]; readonly warnings: readonly Warning[] } => {
  const warnings: Warning[] = [];
  const taken = sortEntities(entities).filter((entity) => {
    if (DETECTED.has(entity.type)) return false;
    if (entity.type === 'text_link' && !acceptsUrl(entity.url ?? '')) {
      const message = MESSAGES.linkNotAccepted({ network: TITLE, url: shorten(entity.url ?? '') });
      warnings.push({ code: 'link_dropped', message });
      return false;
    }
    if (entity.type === 'custom_emoji' && !/^\d{1,19}$/.test(entity.custom_emoji_id ?? '')) {
      const message = MESSAGES.unknownEmoji({ network: TITLE, id: shorten(entity.custom_emoji_id ?? '') });
      warnings.push({ code: 'custom_emoji_dropped', message });
      return false;
    }
    return true;
  });
  if (taken.length > MAX_ENTITIES) {
    const parts = countOf(taken.length - MAX_ENTITIES, 'part');
    const message = MESSAGES.tooManyEntities({ network: TITLE, limit: MAX_ENTITIES, parts });
    warnings.push({ code: 'entities_dropped', message });
  }
  return { entities: taken.slice(0, MAX_ENTITIES).map(telegramEntity), warnings };
};

const telegramEntity = ({ type, offset, length, url, language, custom_emoji_id }: Entity): TelegramEntity => ({
  type,
  offset,
  length,
  ...(type === 'text_link' && url !== undefined ? { url } : {}),
  ...(type === 'pre' && language ? { language } : {}),
  ...(type === 'custom_emoji' && custom_emoji_id !== undefined ? { custom_emoji_id } : {}),
});

const shorten = (value: string): string => (value.length > 80 ? `${value.slice(0, 79)}…` : value);
