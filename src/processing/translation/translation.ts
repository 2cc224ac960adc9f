import type { Translation } from '../../domain/project/processing.js';
import type { EntityPlace, TextWithEntities } from '../../payload/entities.js';
import type { PublishError } from '../../platforms/publisher.js';

/** A translated text. */
export interface TranslatedText {
  readonly text: string;
  /** Ranges of the entities that survived. */
  readonly places: readonly EntityPlace[];
}

/** Result of a translation. */
export type TranslationResult =
  | ({ readonly kind: 'translated' } & TranslatedText)
  | {
      readonly kind: 'failed';
      readonly error: PublishError;
      /** Delay before the next request that the service asks for, in ms; null if it asks for none. */
      readonly afterMs: number | null;
    };

/** Translates a text with a project's settings (D-28). Does not throw if the service fails. */
export type Translate = (content: TextWithEntities, how: Translation) => Promise<TranslationResult>;

/** A client of a translation service. */
export interface Translator {
  translate(content: TextWithEntities, how: Translation, signal: AbortSignal): Promise<TranslationResult>;
}
