import { type Decider, never } from '../../kernel/decider.js';
import type { TranslationEvent, TranslationGivenUp, TranslationKept } from './translation.events.js';

/** What can be asked of a translation. */
export type TranslationCommand =
  | ({ readonly type: 'KeepTranslation' } & TranslationKept['data'])
  | ({ readonly type: 'GiveTranslationUp' } & TranslationGivenUp['data']);

/** What a text became; null where nobody knows yet. */
export type TranslationState =
  | null
  | ({ readonly kind: 'kept' } & Pick<TranslationKept['data'], 'text' | 'places'>)
  | ({ readonly kind: 'given_up' } & Pick<TranslationGivenUp['data'], 'error'>);

/** One text of a post in one language: whoever has it first decides for all its channels (D-28). */
export const translation: Decider<TranslationCommand, TranslationState, TranslationEvent> = {
  category: 'translation',
  initial: null,

  decide(command, state) {
    if (state) return [];
    const { type, ...data } = command;
    return [
      type === 'KeepTranslation'
        ? { type: 'TranslationKept', data: data as TranslationKept['data'] }
        : { type: 'TranslationGivenUp', data: data as TranslationGivenUp['data'] },
    ];
  },

  evolve(_, event) {
    switch (event.type) {
      case 'TranslationKept':
        return { kind: 'kept', text: event.data.text, places: event.data.places };
      case 'TranslationGivenUp':
        return { kind: 'given_up', error: event.data.error };
      default:
        return never(event);
    }
  },
};
