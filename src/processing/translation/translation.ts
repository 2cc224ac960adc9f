import type { Translation } from '../../domain/project/processing.js';
import type { EntityPlace, TextWithEntities } from '../../payload/entities.js';
import type { PublishError } from '../../platforms/publisher.js';

export interface TranslatedText {
  readonly text: string;
  /** Ranges of the entities that survived. */
  readonly places: readonly EntityPlace[];
}

export type TranslationResult =
  | ({ readonly kind: 'translated' } & TranslatedText)
  | {
      readonly kind: 'failed';
      readonly error: PublishError;
      /** Delay that the service requested before the next request, in ms; null if it requested none. */
      readonly afterMs: number | null;
    };

/** Translates text with a project's settings (D-28). Does not throw if the service fails. */
export type Translate = (content: TextWithEntities, how: Translation) => Promise<TranslationResult>;

/** A client of a translation service. */
export interface Translator {
  translate(content: TextWithEntities, how: Translation, signal: AbortSignal): Promise<TranslationResult>;
}
