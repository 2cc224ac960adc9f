import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Position } from '../../event-store/port.js';
import { POOL } from '../../postgres/tokens.js';
import {
  type ChannelQueue,
  PublishScheduleQueries,
} from '../../projections/publish-schedule/publish-schedule.queries.js';
import { SCHEDULE } from '../../projections/publish-schedule/publish-schedule.tables.js';
import { DueClaims, type DueSource, DueWork, DueWorkServices } from '../engine/due-work.js';
import { GroupConcurrency } from '../engine/group-concurrency.js';
import type { ShutdownSignals } from '../engine/run-under-lease.js';
import { PublicationRunner } from './attempt/publication-runner.js';

/** The due channels. Only one worker at a time may publish on a channel. */
export const DUE_CHANNELS: DueSource = {
  prefix: 'channel/',
  table: `${SCHEDULE}.channel`,
  key: 'channel_id',
  group: 'platform',
  owner: 'owner_id',
  unless: 'select is_open from ops_recovery', // what was waiting is not marked yet (D-80)
};

/** How long a read of a channel's queue stays valid, in ms: publications may move to the front of the queue. */
const QUEUE_TTL_MS = 1_000;

/** Claims due channels, and publishes the queue of each in strict order under its lease (see {@link DueWork}). */
@Injectable()
export class PublishDuePosts {
  private readonly work: DueWork<ChannelQueue>;

  constructor(
    @Inject(POOL) pool: Pool,
    services: DueWorkServices,
    concurrency: GroupConcurrency,
    schedule: PublishScheduleQueries,
    private readonly runner: PublicationRunner,
  ) {
    this.work = new DueWork<ChannelQueue>(
      {
        claims: new DueClaims(pool, services.leases, DUE_CHANNELS),
        concurrency,
        keyName: 'channel',
        activity: 'publishing',
        notification: 'due',
        readModels: ['publish-schedule', 'posts', 'discovery'],
        schedule: 'publish-schedule',
        readQueue: async (channelId, now) => {
          const queue = await schedule.readQueue(channelId, now);
          return queue && queue.due <= services.clock.now() ? queue : null;
        },
        workOff: (queue, worker, signals) => this.publishInOrder(queue, worker, signals),
      },
      services,
    );
  }

  /** Runs until the drain signal, then waits for attempts in progress. */
  run(drain: AbortSignal, abort: AbortSignal): Promise<void> {
    return this.work.run({ drain, abort });
  }

  /** Publishes the first publication in a queue, then the ones after it while this read of the queue is valid. */
  private async publishInOrder(
    { head, followers }: ChannelQueue,
    worker: string,
    signals: ShutdownSignals,
  ): Promise<Position | null> {
    const validUntil = performance.now() + QUEUE_TTL_MS;
    let result = await this.runner.run(head, worker, signals);
    for (const row of followers) {
      if (!result?.isOver || performance.now() > validUntil || signals.drain.aborted) break;
      result = await this.runner.run(row, worker, signals);
    }
    return result?.position ?? null;
  }
}
