import { countOf } from '../../kernel/message.js';
import { sortEntities } from '../../payload/entities.js';
import type { Entity } from '../../payload/payload.js';
import { DEGRADATION_MESSAGES as MESSAGES } from '../messages.js';
import type { Warning } from '../publisher.js';
import { acceptsUrl } from './links.js';
import { TITLE } from './title.js';

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
