import type { LedgerEntity } from '../kit/ledger-entry.js';
import { badRequest } from './api-error.js';
import { findLinkProblem } from './links.js';

/** The server drops entities beyond this number (networks.md §2). */
const MAX_ENTITIES = 100;

/** Types that the server detects itself and ignores in requests. */
const DETECTED = new Set([
  'mention',
  'hashtag',
  'cashtag',
  'bot_command',
  'url',
  'email',
  'phone_number',
  'bank_card_number',
]);

const STYLES = new Set(['bold', 'italic', 'underline', 'strikethrough', 'spoiler']);
const QUOTES = new Set(['blockquote', 'expandable_blockquote']);
const VERBATIM = new Set(['code', 'pre']);
const LABELS = new Set(['text_link', 'text_mention', 'custom_emoji']);

/** Parses `entities` or `caption_entities`. Like the real server, treats anything but an array as empty. */
export const parseEntities = (value: unknown): LedgerEntity[] => {
  if (!Array.isArray(value)) return [];
  const parsed = value.map(parseEntity).filter((entity) => entity !== null && entity.length > 0);
  return (parsed as LedgerEntity[]).sort(byNesting);
};

const parseEntity = (value: unknown): LedgerEntity | null => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidEntity('expected an Object');
  const fields = value as Record<string, unknown>;
  const offset = readWholeNumber(fields, 'offset');
  const length = readWholeNumber(fields, 'length');
  const type = readString(fields, 'type');
  if (type === '') throw invalidEntity('Type is not specified');
  if (offset < 0 || offset > 1_000_000) throw badRequest(`Receive an entity with incorrect offset ${offset}`);
  if (length < 0 || length > 1_000_000) throw badRequest(`Receive an entity with incorrect length ${length}`);
  if (STYLES.has(type) || QUOTES.has(type) || type === 'code') return { type, offset, length };
  if (type === 'pre') {
    const { language } = fields;
    return typeof language === 'string' && language ? { type, offset, length, language } : { type, offset, length };
  }
  if (type === 'text_link') {
    const url = readString(fields, 'url');
    const problem = findLinkProblem(url);
    if (problem) throw badRequest(`Entity ${problem}`);
    return { type, offset, length, url };
  }
  if (type === 'custom_emoji') {
    const sent = fields['custom_emoji_id'];
    if (sent === undefined) throw invalidEntity('Can\'t find field "custom_emoji_id"');
    const id = typeof sent === 'number' ? String(sent) : sent;
    if (typeof id !== 'string' || !/^\d{1,19}$/.test(id)) {
      throw invalidEntity('Field "custom_emoji_id" must be a valid Number');
    }
    return { type, offset, length, custom_emoji_id: id };
  }
  if (DETECTED.has(type)) return null;
  throw invalidEntity('Unsupported type specified');
};

const invalidEntity = (problem: string): Error => badRequest(`Can't parse MessageEntity: ${problem}`);

const readWholeNumber = (fields: Record<string, unknown>, name: string): number => {
  const value = fields[name];
  if (value === undefined) throw invalidEntity(`Can't find field "${name}"`);
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number)) throw invalidEntity(`Field "${name}" must be a Number`);
  return number;
};

const readString = (fields: Record<string, unknown>, name: string): string => {
  const value = fields[name];
  if (value === undefined) throw invalidEntity(`Can't find field "${name}"`);
  if (typeof value !== 'string') throw invalidEntity(`Field "${name}" must be of type String`);
  return value;
};

/** If two entities cover the same range, the one with the lower rank is outside. */
const rank = (type: string): number => (QUOTES.has(type) ? 0 : STYLES.has(type) ? 1 : LABELS.has(type) ? 2 : 3);
const byNesting = (a: LedgerEntity, b: LedgerEntity): number =>
  a.offset - b.offset || b.length - a.length || rank(a.type) - rank(b.type);

/**
 * Rejects entities that do not nest (networks.md §2). The real server repairs them silently, and readers then see
 * formatting that the client did not send. Expects entities in nesting order.
 */
export const checkNesting = (entities: readonly LedgerEntity[]): void => {
  const open: LedgerEntity[] = [];
  for (const entity of entities) {
    while (open.length > 0 && entity.offset >= endOf(open.at(-1))) open.pop();
    for (const outer of open) {
      if (entity.offset + entity.length > endOf(outer) || !canContain(outer.type, entity.type)) {
        throw badRequest(
          `Can't parse entities: ${entity.type} at UTF-16 offset ${entity.offset} can't be inside ` +
            `${outer.type} at UTF-16 offset ${outer.offset}`,
        );
      }
    }
    open.push(entity);
  }
};

const endOf = (entity: LedgerEntity | undefined): number => (entity ? entity.offset + entity.length : 0);

const canContain = (outer: string, inner: string): boolean => {
  if (VERBATIM.has(outer)) return false;
  if (QUOTES.has(outer)) return !QUOTES.has(inner);
  if (STYLES.has(outer)) return !VERBATIM.has(inner);
  return STYLES.has(inner);
};

/** Keeps the first hundred entities, like the server. */
export const limitEntities = (entities: readonly LedgerEntity[]): readonly LedgerEntity[] =>
  entities.slice(0, MAX_ENTITIES);
