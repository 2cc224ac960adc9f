import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  translation,
  type TranslationCommand,
  type TranslationState,
} from '../../domain/translation/translation.decider.js';
import type { TranslationAbandoned, TranslationStored } from '../../domain/translation/translation.events.js';
import type { CommandContext } from '../../event-store/codec.js';
import { emptyAggregate, AggregateStore } from '../../event-store/aggregate-store.js';
import { StreamDeleted } from '../../event-store/port.js';
import { isRejection } from '../../kernel/result.js';

/** The result of a call to a translation service. */
export type TranslationResult =
  | ({ readonly kind: 'translated' } & Pick<TranslationStored['data'], 'text' | 'places'>)
  | ({ readonly kind: 'failed' } & Pick<TranslationAbandoned['data'], 'error'>);

/** Stores the translation of one text of a post, or its failure; the first result stored is the one that all use (D-28). */
export class StoreTranslation extends Command<TranslationState> {
  constructor(
    readonly context: CommandContext,
    readonly translation: {
      readonly translationId: string;
      readonly postId: string;
      readonly result: TranslationResult;
    },
  ) {
    super();
  }
}

@CommandHandler(StoreTranslation)
export class StoreTranslationHandler implements ICommandHandler<StoreTranslation> {
  constructor(private readonly aggregates: AggregateStore) {}

  /**
   * @returns the stored translation, which another process may have stored first; null if it was deleted, because its post is out
   * @throws Unavailable
   */
  async execute({ context, translation: { translationId, postId, result } }: StoreTranslation) {
    const command: TranslationCommand =
      result.kind === 'translated'
        ? { type: 'StoreTranslation', postId, text: result.text, places: result.places }
        : { type: 'AbandonTranslation', postId, error: result.error };
    try {
      const empty = emptyAggregate(translation);
      const decided = await this.aggregates.execute(translation, translationId, command, context, empty);
      return isRejection(decided) ? null : decided.aggregate.state;
    } catch (error) {
      if (error instanceof StreamDeleted) return null;
      throw error;
    }
  }
}
