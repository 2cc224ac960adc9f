import { Inject, Injectable } from '@nestjs/common';
import { publication as decider } from '../../../domain/publication/publication.decider.js';
import { AggregateStore } from '../../../event-store/aggregate-store.js';
import { UndecodableEvent } from '../../../event-store/codec.js';
import { CLOCK, type Clock } from '../../../kernel/clock.js';
import { LOG, type Log } from '../../../kernel/log.js';
import { reasonOf } from '../../../kernel/result.js';
import { Leases } from '../../../postgres/leases.js';
import { isOutage } from '../../engine/run-under-lease.js';
import { type LoadedPublication, unexpectedError } from './attempt-state.js';
import { OutcomeRecorder } from './outcome-recorder.js';
import { type ClaimedPublication, endUnreadable } from './publication-attempt.js';
import { PublishingQuota } from './start-limits.js';

/**
 * Ends an attempt after an exception, so that no error blocks a channel forever (D-20). If no visible step was in
 * progress, the attempt has failed and is retried within the limits. Otherwise the send is in doubt (D-25). It is not
 * repeated even if the channel's `on_doubt` asks for it, because the same error would occur again. An outage never ends
 * an attempt.
 */
@Injectable()
export class FailureRecorder {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly leases: Leases,
    private readonly quota: PublishingQuota,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
    private readonly outcomes: OutcomeRecorder,
  ) {}

  /**
   * Records a failure based on the stream, because the attempt may not know about every event it has appended.
   * @returns null if another worker has taken over
   * @throws the error itself if it is an outage, or if this process is shutting down
   */
  async recordFailure(attempt: ClaimedPublication, thrown: unknown): Promise<LoadedPublication | null> {
    const { row, worker, signals } = attempt;
    const { publication_id: publication, channel_id: channel } = row;
    if (isOutage(thrown) || signals.abort.aborted) throw thrown;
    this.log.error({ publication, channel, err: thrown }, 'an attempt to publish failed unexpectedly');
    if (!this.leases.stillHoldsLeasesOf(worker)) return null;
    const recorded = await this.endAttempt(attempt, thrown);
    // A leftover reservation would count until this worker's registration expires.
    if (recorded?.state.status !== 'published')
      await this.quota.release(publication, worker).catch((error: unknown) => {
        this.log.warn({ publication, reason: reasonOf(error) }, 'failed to release a reserved post of the month');
      });
    return recorded;
  }

  /** Ends the attempt based on its stream, or the whole publication if the stream cannot be read. */
  private async endAttempt(attempt: ClaimedPublication, thrown: unknown): Promise<LoadedPublication | null> {
    const { aggregates, clock } = this;
    let loaded: LoadedPublication;
    try {
      loaded = await aggregates.loadAggregate(decider, attempt.row.publication_id);
    } catch (error) {
      // Events written by a newer version of the program are left to that version: the publication itself is fine.
      if (isOutage(error) || (error instanceof UndecodableEvent && error.isNewer)) throw error;
      return endUnreadable(aggregates, clock, attempt);
    }
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
}
