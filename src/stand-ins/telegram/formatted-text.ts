import type { LedgerEntity } from '../kit/ledger.js';
import { checkNesting, keptEntities } from './entities.js';
import { badRequest } from './refusal.js';

/** A text as it will stand in the chat. */
export interface FormattedText {
  readonly text: string;
  readonly entities: readonly LedgerEntity[];
}

/** Characters that the server makes a space of, and those that it takes out. */
const TO_SPACE = /[\0-\t\v\f\x0e-\x1f]/g;
const TAKEN_OUT = /[\r\u2028-\u202e\u030a\u0333\u033f]/;

/** Without a shape: a text of these alone is empty to the server. */
const EMPTY =
  /^(?:[ \n\u00a0\u1680\u180e\u2000-\u200f\u202e\u202f\u205f\u2800\u3000\ufeff\ufffc]|[\u{e0000}-\u{e007f}])*$/u;

/**
 * Does to a text what the server does before it sends: refuses offsets that are off, cleans characters, trims white
 * space at both ends, and moves the entities along. Entities come in order of nesting.
 *
 * @param allowEmpty a caption may be empty, a message may not
 */
export const fixText = (text: string, entities: readonly LedgerEntity[], allowEmpty: boolean): FormattedText => {
  if (Buffer.byteLength(text) > 32_768) throw badRequest('Text is too long');
  if (/\p{Surrogate}/u.test(text)) throw badRequest('Strings must be encoded in UTF-8');
  for (const entity of entities) checkRange(text, entity);
  checkNesting(entities);

  const cleaned = clean(text, entities);
  const trimmed = trim(cleaned);
  if (EMPTY.test(trimmed.text)) {
    if (!allowEmpty) throw badRequest('Text must be non-empty');
    return { text: '', entities: [] };
  }
  return { text: trimmed.text, entities: keptEntities(trimmed.entities) };
};

/** Code points, which is how the server counts lengths. */
export const lengthOf = (text: string): number => {
  let count = text.length;
  for (let at = 0; at < text.length; at++) if (isLowSurrogate(text, at)) count--;
  return count;
};

const checkRange = (text: string, { offset, length }: LedgerEntity): void => {
  const end = offset + length;
  if (offset > text.length) throw badRequest(`Entity begins after the end of the text at UTF-16 offset ${offset}`);
  if (isLowSurrogate(text, offset)) {
    throw badRequest(`Entity begins in a middle of a UTF-16 symbol at byte offset ${bytesBefore(text, offset + 1)}`);
  }
  const which = `Entity beginning at UTF-16 offset ${offset} ends`;
  if (end > text.length) throw badRequest(`${which} after the end of the text at UTF-16 offset ${end}`);
  if (isLowSurrogate(text, end)) {
    throw badRequest(`${which} in a middle of a UTF-16 symbol at byte offset ${bytesBefore(text, end + 1)}`);
  }
};

const isLowSurrogate = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
};
const bytesBefore = (text: string, offset: number): number => Buffer.byteLength(text.slice(0, offset));

const clean = (text: string, entities: readonly LedgerEntity[]): FormattedText => {
  const spaced = text.replace(TO_SPACE, ' ');
  if (!TAKEN_OUT.test(spaced)) return { text: spaced, entities };
  let kept = '';
  const movedTo: number[] = [];
  for (const unit of spaced.split('')) {
    movedTo.push(kept.length);
    if (!TAKEN_OUT.test(unit)) kept += unit;
  }
  movedTo.push(kept.length);
  return { text: kept, entities: remap(entities, (offset) => movedTo[offset] ?? kept.length) };
};

/** White space goes from the end, and from the beginning as far as no entity covers it. */
const trim = ({ text, entities }: FormattedText): FormattedText => {
  const end = text.length - (/[ \n]+$/.exec(text)?.[0].length ?? 0);
  const ended = remap(entities, (offset) => Math.min(offset, end));
  const firstEntity = ended[0]?.offset ?? end;
  const start = Math.min(/^[ \n]*/.exec(text)?.[0].length ?? 0, firstEntity);
  return { text: text.slice(start, end), entities: remap(ended, (offset) => offset - start) };
};

const remap = (entities: readonly LedgerEntity[], moved: (offset: number) => number): LedgerEntity[] =>
  entities.flatMap((entity) => {
    const offset = moved(entity.offset);
    const length = moved(entity.offset + entity.length) - offset;
    return length > 0 ? [{ ...entity, offset, length }] : [];
  });
