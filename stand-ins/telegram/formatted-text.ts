import type { FormattedText, LedgerEntity } from '../kit/ledger-entry.js';
import { findLinkProblem } from './keyboard.js';
import { badRequest } from './parameters.js';

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
const checkNesting = (entities: readonly LedgerEntity[]): void => {
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

/** Characters that the server replaces with a space, and characters that it removes. */
const TO_SPACE = /[\0-\t\v\f\x0e-\x1f]/g;
const REMOVED = /[\r\u2028-\u202e\u030a\u0333\u033f]/;

/** Invisible characters: if text contains nothing else, the server treats it as empty. */
const EMPTY =
  /^(?:[ \n\u00a0\u1680\u180e\u2000-\u200f\u202e\u202f\u205f\u2800\u3000\ufeff\ufffc]|[\u{e0000}-\u{e007f}])*$/u;

/**
 * Prepares text the way the server does before sending: rejects invalid offsets, replaces or removes characters, trims
 * white space at both ends, and moves the entities. Expects entities in nesting order.
 * @param allowEmpty a caption may be empty, a message may not
 */
export const prepareText = (text: string, entities: readonly LedgerEntity[], allowEmpty: boolean): FormattedText => {
  if (Buffer.byteLength(text) > 32_768) throw badRequest('Text is too long');
  if (/\p{Surrogate}/u.test(text)) throw badRequest('Strings must be encoded in UTF-8');
  for (const entity of entities) checkRange(text, entity);
  checkNesting(entities);

  const cleaned = cleanCharacters(text, entities);
  const trimmed = trim(cleaned);
  if (EMPTY.test(trimmed.text)) {
    if (!allowEmpty) throw badRequest('Text must be non-empty');
    return { text: '', entities: [] };
  }
  return { text: trimmed.text, entities: limitEntities(trimmed.entities) };
};

/** Counts code points, like the server. */
export const countCodePoints = (text: string): number => [...text].length;

const checkRange = (text: string, { offset, length }: LedgerEntity): void => {
  const end = offset + length;
  if (offset > text.length) throw badRequest(`Entity begins after the end of the text at UTF-16 offset ${offset}`);
  if (isLowSurrogate(text, offset)) {
    throw badRequest(`Entity begins in a middle of a UTF-16 symbol at byte offset ${bytesBefore(text, offset + 1)}`);
  }
  const subject = `Entity beginning at UTF-16 offset ${offset} ends`;
  if (end > text.length) throw badRequest(`${subject} after the end of the text at UTF-16 offset ${end}`);
  if (isLowSurrogate(text, end)) {
    throw badRequest(`${subject} in a middle of a UTF-16 symbol at byte offset ${bytesBefore(text, end + 1)}`);
  }
};

const isLowSurrogate = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
};
const bytesBefore = (text: string, offset: number): number => Buffer.byteLength(text.slice(0, offset));

const cleanCharacters = (text: string, entities: readonly LedgerEntity[]): FormattedText => {
  const spaced = text.replace(TO_SPACE, ' ');
  if (!REMOVED.test(spaced)) return { text: spaced, entities };
  let kept = '';
  const movedTo: number[] = [];
  for (const unit of spaced.split('')) {
    movedTo.push(kept.length);
    if (!REMOVED.test(unit)) kept += unit;
  }
  movedTo.push(kept.length);
  return { text: kept, entities: moveEntities(entities, (offset) => movedTo[offset] ?? kept.length) };
};

/** Trims white space at the end, and at the beginning where no entity covers it. */
const trim = ({ text, entities }: FormattedText): FormattedText => {
  const end = text.length - (/[ \n]+$/.exec(text)?.[0].length ?? 0);
  const ended = moveEntities(entities, (offset) => Math.min(offset, end));
  const firstEntity = ended[0]?.offset ?? end;
  const start = Math.min(/^[ \n]*/.exec(text)?.[0].length ?? 0, firstEntity);
  return { text: text.slice(start, end), entities: moveEntities(ended, (offset) => offset - start) };
};

const moveEntities = (entities: readonly LedgerEntity[], moved: (offset: number) => number): LedgerEntity[] =>
  entities.flatMap((entity) => {
    const offset = moved(entity.offset);
    const length = moved(entity.offset + entity.length) - offset;
    return length > 0 ? [{ ...entity, offset, length }] : [];
  });
