import { isObject, type Sent } from '../validation/check-fields.js';
import { joinPath } from '../validation/wording.js';
import { UNKNOWN_FIELD_MESSAGES } from './messages.js';
import { ButtonDto, EntityDto, MediaDto, OverrideDto, PublishPayloadDto, TargetDto } from './payload.dto.js';

/** A field of a payload that publishing ignores (D-49). */
interface UnknownField {
  /** Path of the field, such as `medai` or `media[0].ulr`. */
  readonly path: string;
  /** The known field with the most similar name; null if none is similar. */
  readonly nearest: string | null;
  /** All fields of the object. */
  readonly known: readonly string[];
}

const fieldsOf = (Dto: new (sent: Sent) => object): readonly string[] => Object.keys(new Dto({}));

const PAYLOAD = fieldsOf(PublishPayloadDto);
const OVERRIDE = fieldsOf(OverrideDto);
/** Fields of the objects in each list of a payload. `metadata` is free-form. */
const ITEMS = {
  entities: fieldsOf(EntityDto),
  media: fieldsOf(MediaDto),
  buttons: fieldsOf(ButtonDto),
  targets: fieldsOf(TargetDto),
} as const;

/** Maximum length of a name to compare, in UTF-16 units; the longest known name has 23. */
const MAX_COMPARED = 40;

/**
 * Finds the fields that publishing ignores in a payload, its overrides and their lists, in order.
 * @param sent the parsed body, which may be invalid
 * @param limit maximum number of fields to find
 */
export const findUnknownFields = (sent: unknown, limit: number): readonly UnknownField[] => {
  const found: UnknownField[] = [];
  // Names are compared lazily, so that thousands of unknown fields cost no more than the first `limit`.
  for (const field of listAllUnknown(sent)) if (found.push(field) >= limit) break;
  return found;
};

function* listAllUnknown(sent: unknown): Generator<UnknownField> {
  if (!isObject(sent)) return;
  yield* listUnknown(sent, '', PAYLOAD);
  yield* listUnknownOfItems(sent, '');
  if (!isObject(sent.overrides)) return;
  for (const [key, override] of Object.entries(sent.overrides)) {
    if (!isObject(override)) continue;
    const prefix = `${joinPath('overrides.', key)}.`;
    yield* listUnknown(override, prefix, OVERRIDE);
    yield* listUnknownOfItems(override, prefix);
  }
}

function* listUnknownOfItems(sent: Sent, prefix: string): Generator<UnknownField> {
  for (const [name, known] of Object.entries(ITEMS))
    for (const [path, item] of listItems(sent[name], `${prefix}${name}`)) yield* listUnknown(item, `${path}.`, known);
}

export const describeUnknownField = ({ path: field, nearest, known }: UnknownField): string =>
  nearest === null
    ? UNKNOWN_FIELD_MESSAGES.unknown({ field, known: known.join(', ') })
    : UNKNOWN_FIELD_MESSAGES.misspelt({ field, nearest });

/** Yields the objects in a list with their paths; buttons are nested in rows. */
function* listItems(list: unknown, path: string): Generator<readonly [path: string, item: Sent]> {
  if (!Array.isArray(list)) return;
  for (const [index, value] of (list as unknown[]).entries()) {
    const place = `${path}[${index}]`;
    if (isObject(value)) yield [place, value];
    else yield* listItems(value, place);
  }
}

function* listUnknown(sent: Sent, prefix: string, known: readonly string[]): Generator<UnknownField> {
  for (const name of Object.keys(sent))
    if (!known.includes(name)) yield { path: joinPath(prefix, name), nearest: findNearest(name, known), known };
}

/** Returns the most similar name; null if none is similar. */
const findNearest = (name: string, known: readonly string[]): string | null => {
  const given = normalize(name);
  if (given === '' || given.length > MAX_COMPARED) return null;
  const byDistance = known
    .map((field) => ({ field, distance: countEdits(given, normalize(field)) }))
    .sort((a, b) => a.distance - b.distance);
  const { field, distance } = byDistance[0]!;
  if (distance <= Math.max(1, Math.floor(Math.max(given.length, field.length) / 3))) return field;
  const isBeginning = (one: string, other: string): boolean => one.length >= 3 && other.startsWith(one);
  return known.find((f) => isBeginning(given, normalize(f)) || isBeginning(normalize(f), given)) ?? null;
};

/** Makes `externalId` equal `external_id`. */
const normalize = (name: string): string => name.toLowerCase().replace(/[_\-\s]/g, '');

/** Counts insertions, deletions, replacements and swaps of adjacent letters. */
const countEdits = (from: string, to: string): number => {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, j) => j);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = last[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row[j] = Math.min(replaced, last[j]! + 1, row[j - 1]! + 1, isSwap ? beforeLast[j - 2]! + 1 : Infinity);
    }
    [beforeLast, last] = [last, row];
  }
  return last[to.length]!;
};
