import type { TranslationEvent } from '../../domain/translation/translation.events.js';
import { ErasureNotes } from '../../erasure/erasure-notes.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import { FollowsLog } from '../engine/follows-log.js';

/** Delay, in ms, before the first check of a stored translation: most posts have been published by then. */
const FIRST_LOOK_MS = 60_000;

/** Notes the streams of translations, which {@link DueErasures} deletes once their posts are published (D-56). */
@FollowsLog<TranslationEvent>({
  name: 'note-translations',
  types: ['TranslationStored', 'TranslationAbandoned'],
  startsAt: 'beginning',
  lanes: 'stream',
})
export class NoteTranslations {
  constructor(private readonly notes: ErasureNotes) {}

  react({ stream }: RecordedEventOf<TranslationEvent>): Promise<void> {
    return this.notes.add('translation', stream, { inMs: FIRST_LOOK_MS });
  }
}
