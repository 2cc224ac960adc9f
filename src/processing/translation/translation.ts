import type { Translation } from '../../domain/project/processing.js';
import type { EntityPlace, TextWithEntities } from '../../payload/entities.js';
import type { PublishError } from '../../platforms/publisher.js';

/** What became of a translation. */
export type Translated =
  | {
      readonly kind: 'translated';
      readonly text: string;
      /** Of the entities that came back with the text. */
      readonly places: readonly EntityPlace[];
    }
  | {
      readonly kind: 'failed';
      readonly error: PublishError;
      /** Milliseconds after which the service wants to be asked again; null where it does not say. */
      readonly afterMs: number | null;
    };

/** Translates a text as a project asks for (D-28). Never throws on a service that fails. */
export type Translate = (content: TextWithEntities, how: Translation) => Promise<Translated>;

/** A service that translates, by its provider's name. */
export interface Translator {
  translate(content: TextWithEntities, how: Translation, signal: AbortSignal): Promise<Translated>;
}
