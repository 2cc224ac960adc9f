import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { storeTranslation } from '../../../commands/translation.js';
import type { Translation } from '../../../domain/project/processing.js';
import { translation as decider, type TranslationState } from '../../../domain/translation/translation.decider.js';
import { AggregateStore } from '../../../event-store/aggregate-store.js';
import { CLOCK, type Clock } from '../../../kernel/clock.js';
import type { Origin } from '../../../kernel/events.js';
import { newUuid } from '../../../kernel/ids.js';
import type { TextWithEntities } from '../../../payload/entities.js';
import type { PublishError } from '../../../platforms/publisher.js';
import { CircuitBreaker } from '../../../processing/translation/libre-translate.js';
import type { Translate, TranslationResult, Translator } from '../../../processing/translation/translation.js';

/** Thrown if a translation is not stored. */
export class NotTranslated extends Error {}

/**
 * Translations of posts. Each is requested once and stored for every channel, attempt and process. A failure is stored
 * only if the project then publishes the original text; otherwise the next attempt requests the translation again.
 */
@Injectable()
export class StoredTranslations {
  private readonly pending = new Map<string, Promise<TranslationResult>>();

  constructor(
    private readonly aggregates: AggregateStore,
    @Inject(CircuitBreaker) private readonly translator: Translator,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Returns a function that translates the content of a post.
   * @param signal aborts requests, whose results are not stored
   */
  forPost(postId: string, origin: Origin, signal: AbortSignal): Translate {
    return (content, how) => {
      const id = `${postId}_${fingerprintOf(content, how)}`;
      const pending = this.pending.get(id);
      if (pending) return pending;
      const loadOrTranslate = async (): Promise<TranslationResult> => {
        const { state } = await this.aggregates.loadAggregate(decider, id);
        if (state) return resultOf(state);
        const result = await this.translator.translate(content, how, signal);
        const isRetried = result.kind === 'failed' && how.on_failure === 'retry';
        return isRetried || signal.aborted ? result : this.store(id, postId, result, origin);
      };
      const translating = loadOrTranslate();
      this.pending.set(id, translating);
      return translating.finally(() => this.pending.delete(id));
    };
  }

  /** Returns a function that only reads stored translations. It throws {@link NotTranslated} if there is none. */
  findForPost(postId: string): Translate {
    return async (content, how) => {
      const { state } = await this.aggregates.loadAggregate(decider, `${postId}_${fingerprintOf(content, how)}`);
      if (!state) throw new NotTranslated();
      return resultOf(state);
    };
  }

  /** @returns the stored result, which another process may have stored first */
  private async store(
    translationId: string,
    postId: string,
    result: TranslationResult,
    origin: Origin,
  ): Promise<TranslationResult> {
    const context = { ...origin, commandId: newUuid(), at: this.clock.now() };
    const stored = await storeTranslation(this.aggregates, context, { translationId, postId, result });
    return stored ? resultOf(stored) : result;
  }
}

const resultOf = (state: NonNullable<TranslationState>): TranslationResult =>
  state.kind === 'stored'
    ? { kind: 'translated', text: state.text, places: state.places }
    : { kind: 'failed', error: state.error as PublishError, afterMs: null };

/** Identifies the combination of text and translation settings. */
const fingerprintOf = (content: TextWithEntities, { url, source, target, on_failure }: Translation): string =>
  createHash('sha256')
    .update(JSON.stringify([url, source, target, on_failure, content.text, content.entities]))
    .digest('hex')
    .slice(0, 32);
