import type { Position } from '../../event-store/port.js';
import type {
  ChannelQueue,
  PublishScheduleQueries,
} from '../../projections/publish-schedule/publish-schedule.queries.js';
import { SCHEDULE } from '../../projections/publish-schedule/publish-schedule.tables.js';
import type { DueSource } from '../engine/due-claims.js';
import { DueWork, type DueWorkDependencies } from '../engine/due-work.js';
import type { ShutdownSignals } from '../engine/shutdown-signals.js';
import type { PublicationRunner } from './attempt/publication-runner.js';

/** Dependencies of {@link PublishDuePostsSaga}. */
export interface PublishDuePostsSagaDependencies extends DueWorkDependencies {
  readonly schedule: PublishScheduleQueries;
  readonly runner: PublicationRunner;
}

/** The channels that are due: one worker at a time may publish on a channel. */
export const DUE_CHANNELS: DueSource = {
  prefix: 'channel/',
  table: `${SCHEDULE}.channel`,
  key: 'channel_id',
  group: 'platform',
  owner: 'owner_id',
};

/** Time in ms for which a read of a channel's queue is valid: later arrivals must not be skipped. */
const QUEUE_TTL_MS = 1_000;

/**
 * Publishes due posts: claims channels whose first publication is due, and publishes each channel's queue in strict order
 * under its lease (see {@link DueWork}).
 */
export class PublishDuePostsSaga {
  private readonly work: DueWork<ChannelQueue>;

  constructor(private readonly deps: PublishDuePostsSagaDependencies) {
    const { schedule, clock } = deps;
    this.work = new DueWork<ChannelQueue>(
      {
        keyName: 'channel',
        activity: 'publishing',
        notification: 'due',
        views: ['publish-schedule', 'posts', 'discovery'],
        schedule: 'publish-schedule',
        readQueue: async (channelId, now) => {
          const queue = await schedule.readQueue(channelId, now);
          return queue && queue.due <= clock.now() ? queue : null;
        },
        workOff: (queue, worker, signals) => this.publishInOrder(queue, worker, signals),
      },
      deps,
    );
  }

  /** Runs until the drain signal, then waits for attempts under way. */
  run(signals: ShutdownSignals): Promise<void> {
    return this.work.run(signals);
  }

  /** Publishes the first publication of a queue, and its followers while the read of the queue is valid. */
  private async publishInOrder(
    { head, followers }: ChannelQueue,
    worker: string,
    signals: ShutdownSignals,
  ): Promise<Position | null> {
    const validUntil = performance.now() + QUEUE_TTL_MS;
    let result = await this.deps.runner.run(head, worker, signals);
    for (const row of followers) {
      if (!result?.isOver || performance.now() > validUntil || signals.drain.aborted) break;
      result = await this.deps.runner.run(row, worker, signals);
    }
    return result?.position ?? null;
  }
}
