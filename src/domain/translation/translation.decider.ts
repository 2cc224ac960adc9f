import { assertNever, type Decider } from '../../kernel/events.js';
import type { TranslationAbandoned, TranslationEvent, TranslationStored } from './translation.events.js';

export type TranslationCommand =
  | ({ readonly type: 'StoreTranslation' } & TranslationStored['data'])
  | ({ readonly type: 'AbandonTranslation' } & TranslationAbandoned['data']);

/** State of a translation; null if there is no result yet. */
export type TranslationState =
  | null
  | ({ readonly kind: 'stored' } & Pick<TranslationStored['data'], 'text' | 'places'>)
  | ({ readonly kind: 'abandoned' } & Pick<TranslationAbandoned['data'], 'error'>);

/** The translation of one piece of a post's text into one language. All channels use the first result (D-28). */
export const translation: Decider<TranslationCommand, TranslationState, TranslationEvent> = {
  category: 'translation',
  initial: null,

  decide(command, state) {
    if (state) return [];
    const { type, ...data } = command;
    return [
      type === 'StoreTranslation'
        ? { type: 'TranslationStored', data: data as TranslationStored['data'] }
        : { type: 'TranslationAbandoned', data: data as TranslationAbandoned['data'] },
    ];
  },

  evolve(_, event) {
    switch (event.type) {
      case 'TranslationStored':
        return { kind: 'stored', text: event.data.text, places: event.data.places };
      case 'TranslationAbandoned':
        return { kind: 'abandoned', error: event.data.error };
      default:
        return assertNever(event);
    }
  },
};
