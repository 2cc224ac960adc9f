import { publication as decider } from '../../../domain/publication/publication.decider.js';
import type { AggregateStore } from '../../../event-store/aggregate-store.js';
import { UndecodableEvent } from '../../../event-store/codec.js';
import type { Clock } from '../../../kernel/clock.js';
import type { Log } from '../../../kernel/log.js';
import { detailOf, reasonOf } from '../../../kernel/reason.js';
import type { Leases } from '../../../postgres/leases.js';
import { isOutage } from '../../engine/outage.js';
import { unexpectedError } from './attempt-errors.js';
import type { LoadedPublication } from './attempt-state.js';
import type { OutcomeRecorder } from './outcome-recorder.js';
import type { RecordedAttempt } from './publication-attempt.js';
import { endUnreadable } from './unreadable-history.js';
import type { PublishingQuota } from './quota.js';

/** Dependencies of {@link FailureRecorder}. */
export interface FailureRecorderDependencies {
  readonly aggregates: AggregateStore;
  readonly leases: Leases;
  readonly quota: PublishingQuota;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Ends an attempt in which something threw, so that no error holds a channel back for ever (D-20): nothing visible was
 * under way: the attempt has failed and is repeated within the bounds; otherwise the send is in doubt (D-25) and is not
 * repeated by itself, whatever the channel's `on_doubt` says, as the same error would follow. An outage ends no attempt.
 */
export class FailureRecorder {
  constructor(
    private readonly deps: FailureRecorderDependencies,
    private readonly outcomes: OutcomeRecorder,
  ) {}

  /**
   * Records a failure by what the stream says, as the attempt may have appended more than it knows.
   * @returns the publication; null: another worker has taken it over
   * @throws the error itself if it is an outage, or if this process is being stopped
   */
  async recordFailure(attempt: RecordedAttempt, thrown: unknown): Promise<LoadedPublication | null> {
    const { row, worker, signals } = attempt;
    if (isOutage(thrown) || signals.abort.aborted) throw thrown;
    const { publication_id: publication, channel_id: channel } = row;
    this.deps.log.error({ publication, channel, error: detailOf(thrown) }, 'an attempt to publish failed unexpectedly');
    if (!this.deps.leases.stillHoldsLeasesOf(worker)) return null;
    const recorded = await this.endReadable(attempt, thrown);
    if (recorded?.state.status !== 'published') await this.releaseReservation(publication, worker);
    return recorded;
  }

  /** Ends the attempt by what the stream says, or the publication if the stream cannot be read. */
  private async endReadable(attempt: RecordedAttempt, thrown: unknown): Promise<LoadedPublication | null> {
    const { aggregates, clock } = this.deps;
    let loaded: LoadedPublication;
    try {
      loaded = await aggregates.loadAggregate(decider, attempt.row.publication_id);
    } catch (error) {
      // What a newer program has written is left to it: nothing is wrong with the publication.
      if (isOutage(error) || (error instanceof UndecodableEvent && error.isNewer)) throw error;
      return endUnreadable(aggregates, clock, attempt);
    }
    return this.endAttempt(attempt, loaded, thrown);
  }

  private async endAttempt(
    attempt: RecordedAttempt,
    loaded: LoadedPublication,
    thrown: unknown,
  ): Promise<LoadedPublication | null> {
    const { status, sending } = loaded.state;
    const error = unexpectedError(thrown, sending);
    switch (status) {
      case 'queued': {
        const started = await this.outcomes.recordStart(attempt, loaded, { sending: null, projectRevision: null });
        return started && this.outcomes.recordRetry(attempt, started, error);
      }
      case 'publishing':
        return sending === null
          ? this.outcomes.recordRetry(attempt, loaded, error)
          : this.outcomes.recordDoubt(attempt, loaded, error);
      default:
        return loaded;
    }
  }

  /** A reservation that stays would count until this worker's registration ends. */
  private async releaseReservation(publication: string, worker: string): Promise<void> {
    await this.deps.quota.release(publication, worker).catch((error: unknown) => {
      this.deps.log.warn({ publication, error: reasonOf(error) }, 'failed to release a reserved post of the month');
    });
  }
}
