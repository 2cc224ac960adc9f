import type { Entity, EntityType } from './payload.js';

/** Text and its formatting; entity offsets count UTF-16 units. */
export interface TextWithEntities {
  readonly text: string;
  readonly entities: readonly Entity[];
}

/** Range of an entity in derived text; `index` is its index among the original entities. */
export type EntityPlace = readonly [index: number, offset: number, length: number];

/** Returns the original entities with their ranges in derived text. */
export const placeEntities = (entities: readonly Entity[], places: readonly EntityPlace[]): Entity[] =>
  places.flatMap(([index, offset, length]) => (entities[index] ? [{ ...entities[index], offset, length }] : []));

/**
 * Nesting behaviour of an entity (networks.md §2, D-43): a `style` may contain and be inside anything but `verbatim`, a
 * `quote` may contain anything but quotes, `verbatim` contains nothing, a `label` contains styles only.
 */
export type EntityKind = 'style' | 'quote' | 'verbatim' | 'label';

const KINDS: Readonly<Record<EntityType, EntityKind>> = {
  bold: 'style',
  italic: 'style',
  underline: 'style',
  strikethrough: 'style',
  spoiler: 'style',
  code: 'verbatim',
  pre: 'verbatim',
  blockquote: 'quote',
  expandable_blockquote: 'quote',
  text_link: 'label',
  mention: 'label',
  url: 'label',
  email: 'label',
  phone_number: 'label',
  hashtag: 'label',
  custom_emoji: 'label',
};

/** Returns how an entity may nest. */
export const entityKindOf = (type: EntityType): EntityKind => KINDS[type];

/** Types that cannot be cut, because half an address or emoji is useless. */
const INDIVISIBLE: ReadonlySet<EntityType> = new Set([
  'mention',
  'url',
  'email',
  'phone_number',
  'hashtag',
  'custom_emoji',
]);

/** True if an entity marks its text as a unit, such as a URL or an emoji. */
export const isIndivisible = ({ type }: Entity): boolean => INDIVISIBLE.has(type);

/** Order of entities that cover the same range: the outer kind first. */
const OUTERMOST_FIRST: readonly EntityKind[] = ['quote', 'style', 'label', 'verbatim'];

/** Returns the offset after an entity's last unit. */
export const endOf = (entity: Entity): number => entity.offset + entity.length;

/** Compares two entities by nesting: by start, then longest first, then outermost kind first. */
export const compareByNesting = (a: Entity, b: Entity): number =>
  a.offset - b.offset ||
  b.length - a.length ||
  OUTERMOST_FIRST.indexOf(entityKindOf(a.type)) - OUTERMOST_FIRST.indexOf(entityKindOf(b.type));

/** Returns the entities in nesting order ({@link compareByNesting}), the order in which markup opens them. */
export const sortEntities = (entities: readonly Entity[]): Entity[] => [...entities].sort(compareByNesting);

/** Returns the entities after `by` UTF-16 units were inserted (or, if negative, removed) before them. */
export const shiftEntities = (entities: readonly Entity[], by: number): Entity[] =>
  entities.map((entity) => ({ ...entity, offset: entity.offset + by }));

/**
 * Returns the entities within the first `length` UTF-16 units of the text (D-23). Shortens entities that cross the cut,
 * or drops them if they are indivisible.
 */
export const clipEntities = (entities: readonly Entity[], length: number): Entity[] =>
  entities.flatMap((entity) => {
    if (endOf(entity) <= length) return [entity];
    if (entity.offset >= length || isIndivisible(entity)) return [];
    return [{ ...entity, length: length - entity.offset }];
  });
