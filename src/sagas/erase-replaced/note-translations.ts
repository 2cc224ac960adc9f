import type { TranslationEvent } from '../../domain/translation/translation.events.js';
import { ErasureNotes } from '../../erasure/erasure-notes.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import { FollowsLog } from '../engine/follows-log.js';

/** Delay, in ms, before a stored translation is first checked: most posts have been published by then. */
const FIRST_LOOK_MS = 60_000;

/**
 * Notes the stream of every stored translation, which {@link DueErasures} deletes once its post has been published
 * everywhere (D-56).
 */
@FollowsLog<TranslationEvent>({
  name: 'note-translations',
  types: ['TranslationStored', 'TranslationAbandoned'],
  startsAt: 'beginning',
})
export class NoteTranslations {
  constructor(private readonly notes: ErasureNotes) {}

  react({ stream }: RecordedEventOf<TranslationEvent>): Promise<void> {
    return this.notes.add('translation', stream, { inMs: FIRST_LOOK_MS });
  }
}
