import { spec } from '../../../test/support/given-when-then.js';
import { fold } from '../../kernel/events.js';
import { translation } from './translation.decider.js';
import type { TranslationEvent } from './translation.events.js';

const postId = 'post_1';
const stored: TranslationEvent = { type: 'TranslationStored', data: { postId, text: 'Hello', places: [[0, 0, 5]] } };
const error = { code: 'translation_failed', category: 'network', source: 'gateway', message: 'No answer.' };
const abandoned: TranslationEvent = { type: 'TranslationAbandoned', data: { postId, error } };

describe('a translation (D-28)', () => {
  it('is stored or abandoned', () => {
    spec(translation)
      .given([])
      .when({ type: 'StoreTranslation', ...stored.data })
      .then([stored]);
    spec(translation)
      .given([])
      .when({ type: 'AbandonTranslation', ...abandoned.data })
      .then([abandoned]);
  });

  it.each([[stored], [abandoned]])('has one result for all channels and attempts: $type', (event) => {
    spec(translation).given([event]).when({ type: 'StoreTranslation', postId, text: 'Other', places: [] }).then([]);
    spec(translation)
      .given([event])
      .when({ type: 'AbandonTranslation', ...abandoned.data })
      .then([]);
  });

  it('gives its readers the text with its places, or the error', () => {
    expect(fold(translation, [stored])).toEqual({ kind: 'stored', text: 'Hello', places: [[0, 0, 5]] });
    expect(fold(translation, [abandoned])).toEqual({ kind: 'abandoned', error });
  });
});
