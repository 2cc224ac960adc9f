import type { Catalogue } from '../../kernel/catalogue.js';
import type { DomainEvent } from '../../kernel/events.js';
import type { EntityPlace } from '../../payload/entities.js';
import type { PublicationError } from '../publication/publication.events.js';

/**
 * A post's text in another language. Kept so that every channel and every attempt has the same words, and the service is
 * asked once. Entities are told by where those of the text before have come to stand: what else is in them may be large.
 */
export type TranslationKept = DomainEvent<
  'TranslationKept',
  { readonly postId: string; readonly text: string; readonly places: readonly EntityPlace[] }
>;
/** The service failed and the project publishes the text as it came: so do all channels and attempts of the post. */
export type TranslationGivenUp = DomainEvent<
  'TranslationGivenUp',
  { readonly postId: string; readonly error: PublicationError }
>;

/** What a translation’s stream holds. */
export type TranslationEvent = TranslationKept | TranslationGivenUp;

/** Versions of these events. */
export const translationEvents = {
  TranslationKept: { version: 1 },
  TranslationGivenUp: { version: 1 },
} satisfies Catalogue & Record<TranslationEvent['type'], unknown>;
