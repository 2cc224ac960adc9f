import {
  translation,
  type TranslationCommand,
  type TranslationState,
} from '../domain/translation/translation.decider.js';
import type { TranslationAbandoned, TranslationStored } from '../domain/translation/translation.events.js';
import { type AggregateStore, emptyAggregate } from '../event-store/aggregate-store.js';
import type { CommandContext } from '../event-store/codec.js';
import { StreamDeleted } from '../event-store/port.js';
import { isRejection } from '../kernel/result.js';

/** The result of a call to a translation service. */
export type TranslationResult =
  | ({ readonly kind: 'translated' } & Pick<TranslationStored['data'], 'text' | 'places'>)
  | ({ readonly kind: 'failed' } & Pick<TranslationAbandoned['data'], 'error'>);

/** The result of translating one piece of a post's text. */
export interface TranslatedText {
  readonly translationId: string;
  readonly postId: string;
  readonly result: TranslationResult;
}

/**
 * Stores the translation of one piece of a post's text, or its failure. Every process uses the first stored result
 * (D-28).
 * @returns the first stored result; null if it was deleted because its post has been published
 * @throws Unavailable
 */
export const storeTranslation = async (
  aggregates: AggregateStore,
  context: CommandContext,
  { translationId, postId, result }: TranslatedText,
): Promise<TranslationState> => {
  const command: TranslationCommand =
    result.kind === 'translated'
      ? { type: 'StoreTranslation', postId, text: result.text, places: result.places }
      : { type: 'AbandonTranslation', postId, error: result.error };
  try {
    const empty = emptyAggregate(translation);
    const decided = await aggregates.execute(translation, translationId, command, context, empty);
    return isRejection(decided) ? null : decided.aggregate.state;
  } catch (error) {
    if (error instanceof StreamDeleted) return null;
    throw error;
  }
};
