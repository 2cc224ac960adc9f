import { createHash } from 'node:crypto';
import type { Translation } from '../../../domain/project/processing.js';
import { translation as decider, type TranslationState } from '../../../domain/translation/translation.decider.js';
import { nothingYet, type Streams } from '../../../event-store/aggregate-store.js';
import type { Clock } from '../../../kernel/clock.js';
import type { Origin } from '../../../kernel/events.js';
import { newUuid } from '../../../kernel/ids.js';
import { isRejection } from '../../../kernel/result.js';
import type { TextWithEntities } from '../../../payload/entities.js';
import type { PublishError } from '../../../platforms/publisher.js';
import type { Translate, Translated, Translator } from '../../../processing/translation/translation.js';

/**
 * Translations of posts, each asked for once: what comes first is kept in the store, and every channel, attempt and
 * process has the same words from there. So is a failure where the project then publishes the text as it came; where it
 * waits instead, the next attempt asks again. Nothing is kept in memory but what is being asked for.
 */
export class KeptTranslations {
  private readonly asked = new Map<string, Promise<Translated>>();

  constructor(
    private readonly streams: Streams,
    private readonly translator: Translator,
    private readonly clock: Clock,
  ) {}

  /** For the texts of one post. @param signal what is asked for is broken off, and not kept */
  of(postId: string, origin: Origin, signal: AbortSignal): Translate {
    return (content, how) => {
      const id = `${postId}_${fingerprint(content, how)}`;
      const waiting = this.asked.get(id);
      if (waiting) return waiting;
      const asking = this.find(id, content, how, signal, (translated) => this.keep(id, postId, translated, origin));
      this.asked.set(id, asking);
      return asking.finally(() => this.asked.delete(id));
    };
  }

  private async find(
    id: string,
    content: TextWithEntities,
    how: Translation,
    signal: AbortSignal,
    keep: (translated: Translated) => Promise<Translated>,
  ): Promise<Translated> {
    const { state } = await this.streams.load(decider, id);
    if (state) return known(state);
    const translated = await this.translator.translate(content, how, signal);
    const waits = translated.kind === 'failed' && how.on_failure === 'retry';
    return waits || signal.aborted ? translated : keep(translated);
  }

  /** @returns what is kept, which another process may have been first to find */
  private async keep(id: string, postId: string, translated: Translated, origin: Origin): Promise<Translated> {
    const execution = { ...origin, commandId: newUuid(), at: this.clock.now() };
    const command =
      translated.kind === 'translated'
        ? { type: 'KeepTranslation' as const, postId, text: translated.text, places: translated.places }
        : { type: 'GiveTranslationUp' as const, postId, error: translated.error };
    const decided = await this.streams.run(decider, id, command, execution, nothingYet(decider));
    return isRejection(decided) || !decided.after.state ? translated : known(decided.after.state);
  }
}

const known = (state: NonNullable<TranslationState>): Translated =>
  state.kind === 'kept'
    ? { kind: 'translated', text: state.text, places: state.places }
    : { kind: 'failed', error: state.error as PublishError, afterMs: null };

/** The same text asked for in the same way. */
const fingerprint = (content: TextWithEntities, { url, source, target, on_failure }: Translation): string =>
  createHash('sha256')
    .update(JSON.stringify([url, source, target, on_failure, content.text, content.entities]))
    .digest('hex')
    .slice(0, 32);
