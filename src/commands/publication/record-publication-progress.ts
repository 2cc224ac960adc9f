import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  publication,
  type PublicationCommand,
  type PublicationState,
} from '../../domain/publication/publication.decider.js';
import type { PublicationEvent } from '../../domain/publication/publication.events.js';
import type { CommandContext } from '../../event-store/codec.js';
import { type DecisionResult, type LoadedAggregate, AggregateStore } from '../../event-store/aggregate-store.js';
import type { Rejection } from '../../kernel/result.js';

/** The commands that the publishing worker gives; the others belong to the owner (D-25). It cancels what a deletion leaves. */
export type ProgressCommand = Exclude<
  PublicationCommand,
  { readonly type: 'ResendPublication' | 'DismissPublication' }
>;

/** The publication after its progress was recorded, or a rejection: another worker has taken over. */
export type RecordedProgress = DecisionResult<PublicationState, PublicationEvent> | Rejection;

/** Records one step of a publication: its claim, a step of an attempt, or an outcome (D-20). */
export class RecordPublicationProgress extends Command<RecordedProgress> {
  constructor(
    readonly context: CommandContext,
    readonly progress: ProgressCommand,
    /** The publication as the worker knows it, which saves the read. */
    readonly known: LoadedAggregate<PublicationState>,
  ) {
    super();
  }
}

@CommandHandler(RecordPublicationProgress)
export class RecordPublicationProgressHandler implements ICommandHandler<RecordPublicationProgress> {
  constructor(private readonly aggregates: AggregateStore) {}

  /** Appends at the known revision. If it is outdated, the append conflicts and the stream is read. @throws Unavailable */
  execute({ context, progress, known }: RecordPublicationProgress): Promise<RecordedProgress> {
    return this.aggregates.execute(publication, progress.publicationId, progress, context, known);
  }
}
