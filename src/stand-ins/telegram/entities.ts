import type { LedgerEntity } from '../kit/ledger.js';
import { linkProblem } from './links.js';
import { badRequest } from './refusal.js';

/** The server forgets what is beyond (networks.md §2). */
const MAX_ENTITIES = 100;

/** Taken and ignored: the server detects them by itself. */
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

/** Parses `entities` or `caption_entities`; anything but an array counts as none, as with the real server. */
export const parseEntities = (value: unknown): LedgerEntity[] => {
  if (!Array.isArray(value)) return [];
  const parsed = value.map(parseEntity).filter((entity) => entity !== null && entity.length > 0);
  return (parsed as LedgerEntity[]).sort(byNesting);
};

const parseEntity = (value: unknown): LedgerEntity | null => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unparsable('expected an Object');
  const given = value as Record<string, unknown>;
  const offset = whole(given, 'offset');
  const length = whole(given, 'length');
  const type = required(given, 'type');
  if (type === '') throw unparsable('Type is not specified');
  if (offset < 0 || offset > 1_000_000) throw badRequest(`Receive an entity with incorrect offset ${offset}`);
  if (length < 0 || length > 1_000_000) throw badRequest(`Receive an entity with incorrect length ${length}`);
  if (STYLES.has(type) || QUOTES.has(type) || type === 'code') return { type, offset, length };
  if (type === 'pre') {
    const { language } = given;
    return typeof language === 'string' && language ? { type, offset, length, language } : { type, offset, length };
  }
  if (type === 'text_link') {
    const url = required(given, 'url');
    const problem = linkProblem(url);
    if (problem) throw badRequest(`Entity ${problem}`);
    return { type, offset, length, url };
  }
  if (type === 'custom_emoji') {
    const sent = given['custom_emoji_id'];
    if (sent === undefined) throw unparsable('Can\'t find field "custom_emoji_id"');
    const id = typeof sent === 'number' ? String(sent) : sent;
    if (typeof id !== 'string' || !/^\d{1,19}$/.test(id)) {
      throw unparsable('Field "custom_emoji_id" must be a valid Number');
    }
    return { type, offset, length, custom_emoji_id: id };
  }
  if (DETECTED.has(type)) return null;
  throw unparsable('Unsupported type specified');
};

const unparsable = (what: string): Error => badRequest(`Can't parse MessageEntity: ${what}`);

const whole = (given: Record<string, unknown>, name: string): number => {
  const value = given[name];
  if (value === undefined) throw unparsable(`Can't find field "${name}"`);
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number)) throw unparsable(`Field "${name}" must be a Number`);
  return number;
};

const required = (given: Record<string, unknown>, name: string): string => {
  const value = given[name];
  if (value === undefined) throw unparsable(`Can't find field "${name}"`);
  if (typeof value !== 'string') throw unparsable(`Field "${name}" must be of type String`);
  return value;
};

/** Which of two entities over the same stretch is the outer one. */
const rank = (type: string): number => (QUOTES.has(type) ? 0 : STYLES.has(type) ? 1 : LABELS.has(type) ? 2 : 3);
const byNesting = (a: LedgerEntity, b: LedgerEntity): number =>
  a.offset - b.offset || b.length - a.length || rank(a.type) - rank(b.type);

/**
 * Refuses entities that do not nest (networks.md §2): the real server repairs them without a word, so that readers
 * see something else than was sent; here that is an error, in words of our own. Takes them in order of nesting.
 */
export const checkNesting = (entities: readonly LedgerEntity[]): void => {
  const open: LedgerEntity[] = [];
  for (const entity of entities) {
    while (open.length > 0 && entity.offset >= endOf(open.at(-1))) open.pop();
    for (const outer of open) {
      if (entity.offset + entity.length > endOf(outer) || !mayHold(outer.type, entity.type)) {
        throw badRequest(
          `Can't parse entities: ${entity.type} at UTF-16 offset ${entity.offset} can't stand in ` +
            `${outer.type} at UTF-16 offset ${outer.offset}`,
        );
      }
    }
    open.push(entity);
  }
};

const endOf = (entity: LedgerEntity | undefined): number => (entity ? entity.offset + entity.length : 0);

const mayHold = (outer: string, inner: string): boolean => {
  if (VERBATIM.has(outer)) return false;
  if (QUOTES.has(outer)) return !QUOTES.has(inner);
  if (STYLES.has(outer)) return !VERBATIM.has(inner);
  return STYLES.has(inner);
};

/** What is left of the entities when the server is done with them. */
export const keptEntities = (entities: readonly LedgerEntity[]): readonly LedgerEntity[] =>
  entities.slice(0, MAX_ENTITIES);
