import { spec } from '../../../test/support/given-when-then.js';
import { translation } from './translation.decider.js';
import type { TranslationEvent } from './translation.events.js';

const postId = 'post_1';
const kept: TranslationEvent = { type: 'TranslationKept', data: { postId, text: 'Hello', places: [[0, 0, 5]] } };
const error = { code: 'translation_failed', category: 'network', source: 'gateway', message: 'No answer.' };
const givenUp: TranslationEvent = { type: 'TranslationGivenUp', data: { postId, error } };

describe('a translation (D-28)', () => {
  it('is kept, or given up', () => {
    spec(translation)
      .given([])
      .when({ type: 'KeepTranslation', ...kept.data })
      .then([kept]);
    spec(translation)
      .given([])
      .when({ type: 'GiveTranslationUp', ...givenUp.data })
      .then([givenUp]);
  });

  it.each([[kept], [givenUp]])('is decided once, for all channels and attempts: by $type', (event) => {
    spec(translation).given([event]).when({ type: 'KeepTranslation', postId, text: 'Other', places: [] }).then([]);
    spec(translation)
      .given([event])
      .when({ type: 'GiveTranslationUp', ...givenUp.data })
      .then([]);
  });
});
