import type { FormattedText, LedgerEntity } from '../kit/ledger-entry.js';
import { badRequest } from './api-error.js';
import { checkNesting, limitEntities } from './entities.js';

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
