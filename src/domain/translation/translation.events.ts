import { type Catalogue, type DomainEvent, withContent } from '../../kernel/events.js';
import type { EntityPlace } from '../../payload/entities.js';
import type { PublicationError } from '../publication/publication.events.js';

/**
 * A post's text was translated. It is stored so all channels and attempts use the same text and the service is called
 * once. Only the entities' new positions are stored, because their other fields may be large.
 */
export type TranslationStored = DomainEvent<
  'TranslationStored',
  {
    readonly postId: string;
    /** Null once it is erased (D-100), like the places. */
    readonly text: string | null;
    readonly places: readonly EntityPlace[] | null;
  }
>;
/** The service failed, so all channels and attempts of the post publish the original text, as the project requires. */
export type TranslationAbandoned = DomainEvent<
  'TranslationAbandoned',
  { readonly postId: string; readonly error: PublicationError }
>;

/** Events in a translation's stream. */
export type TranslationEvent = TranslationStored | TranslationAbandoned;

export const translationEvents = {
  TranslationStored: withContent(['text', 'places']),
  TranslationAbandoned: withContent(['error.platform_says']),
} satisfies Catalogue & Record<TranslationEvent['type'], unknown>;
