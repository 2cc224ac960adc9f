import {
  publication,
  type PublicationCommand,
  type PublicationState,
} from '../../domain/publication/publication.decider.js';
import type { PublicationEvent } from '../../domain/publication/publication.events.js';
import type { AggregateStore, DecisionResult, LoadedAggregate } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import type { Rejection } from '../../kernel/result.js';

/** The commands of the publishing worker, which also cancels publications that a deletion leaves behind (D-25). */
export type ProgressCommand = Exclude<
  PublicationCommand,
  { readonly type: 'ResendPublication' | 'DismissPublication' | 'DismissDuplicate' }
>;

/** The publication after its progress was recorded, or a rejection if another worker has taken over. */
export type RecordedProgress = DecisionResult<PublicationState, PublicationEvent> | Rejection;

/**
 * Records one step of a publication: its claim, a step of an attempt, or an outcome (D-20). Appends at the known
 * revision; if it is outdated, the append conflicts and the stream is read.
 * @param known the publication as the worker knows it, which saves the read
 * @throws Unavailable
 */
export const recordPublicationProgress = (
  aggregates: AggregateStore,
  context: CommandContext,
  progress: ProgressCommand,
  known: LoadedAggregate<PublicationState>,
): Promise<RecordedProgress> => aggregates.execute(publication, progress.publicationId, progress, context, known);
