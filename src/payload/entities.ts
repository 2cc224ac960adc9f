import type { Entity, EntityType } from './payload.js';

/** A text and its formatting; the entities' offsets count in the text's UTF-16 units. */
export interface TextWithEntities {
  readonly text: string;
  readonly entities: readonly Entity[];
}

/** Where an entity of one text has come to stand in another that was made of it; `of` is its index there. */
export type EntityPlace = readonly [of: number, offset: number, length: number];

/** The entities of one text in another that was made of it. */
export const entitiesAt = (entities: readonly Entity[], places: readonly EntityPlace[]): Entity[] =>
  places.flatMap(([of, offset, length]) => (entities[of] ? [{ ...entities[of], offset, length }] : []));

/**
 * How an entity behaves when entities meet (networks.md §2, D-43): a `style` may stand in and hold anything but
 * `verbatim`, a `quote` may hold anything but quotes, `verbatim` holds nothing, a `label` holds styles alone.
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

/** The kind that decides what an entity may hold and stand in. */
export const kindOf = (type: EntityType): EntityKind => KINDS[type];

/** Half of an address or of an emoji is no address and no emoji. */
const INDIVISIBLE: ReadonlySet<EntityType> = new Set([
  'mention',
  'url',
  'email',
  'phone_number',
  'hashtag',
  'custom_emoji',
]);

/** Whether an entity says what its text *is*, so that it cannot stand on other words or on a part of them. */
export const isIndivisible = ({ type }: Entity): boolean => INDIVISIBLE.has(type);

/** Where two entities cover the same stretch, the one that may hold the other comes first. */
const OUTERMOST_FIRST: readonly EntityKind[] = ['quote', 'style', 'label', 'verbatim'];

/** The first unit behind an entity. */
export const endOf = (entity: Entity): number => entity.offset + entity.length;

/** Compares two entities for the order in which they nest: by start, then the longer one, then the outer kind. */
export const byNesting = (a: Entity, b: Entity): number =>
  a.offset - b.offset ||
  b.length - a.length ||
  OUTERMOST_FIRST.indexOf(kindOf(a.type)) - OUTERMOST_FIRST.indexOf(kindOf(b.type));

/** The entities in the order in which they nest ({@link byNesting}); what renders markup opens them in this order. */
export const sortEntities = (entities: readonly Entity[]): Entity[] => [...entities].sort(byNesting);

/** The entities moved by `by` UTF-16 units, for text that was put before (or, negative, taken from before) theirs. */
export const shiftEntities = (entities: readonly Entity[], by: number): Entity[] =>
  entities.map((entity) => ({ ...entity, offset: entity.offset + by }));

/**
 * The entities of the text's first `length` UTF-16 units (D-23): what begins behind them goes, what crosses the cut is
 * shortened. Entities that mean their whole text (an address, a custom emoji) are dropped when the cut crosses them.
 */
export const clipEntities = (entities: readonly Entity[], length: number): Entity[] =>
  entities.flatMap((entity) => {
    if (endOf(entity) <= length) return [entity];
    if (entity.offset >= length || isIndivisible(entity)) return [];
    return [{ ...entity, length: length - entity.offset }];
  });
