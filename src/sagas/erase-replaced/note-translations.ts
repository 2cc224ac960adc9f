import type { TranslationEvent } from '../../domain/translation/translation.events.js';
import type { ErasureNotes } from '../../erasure/erasure-notes.js';
import type { Reaction } from '../engine/event-saga.js';

/** Time in ms after which a stored translation is looked at first: most posts are out by then. */
const FIRST_LOOK_MS = 60_000;

/** Notes the stream of every stored translation, which {@link StreamErasures} deletes once its post is out everywhere (D-56). */
export const noteTranslations = (notes: ErasureNotes): Reaction<TranslationEvent> => ({
  name: 'note-translations',
  types: ['TranslationStored', 'TranslationAbandoned'],
  startsAt: 'beginning',
  react: ({ stream }) => notes.add('translation', stream, { inMs: FIRST_LOOK_MS }),
});
