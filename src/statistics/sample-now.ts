import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock, MINUTE_MS } from '../kernel/clock.js';
import { FindResource } from '../projections/discovery/discovery.queries.js';
import type { PublicationRow } from '../projections/posts/posts.tables.js';
import { Sampler } from './sampler.js';
import { StatisticsTable } from './statistics.table.js';

/** How long to wait for the turn of a call, and for all calls together, in ms: someone waits for the answer. */
const TURN_MS = 3_000;
const LIMIT_MS = 8_000;

/** Reads the numbers of a post's publications at once, because someone asks. */
@Injectable()
export class SampleNow {
  constructor(
    private readonly table: StatisticsTable,
    private readonly sampler: Sampler,
    private readonly findResource: FindResource,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(MINUTE_MS) private readonly minuteMs: number,
  ) {}

  /**
   * Stores the numbers of publications whose networks answer in time; others keep those that they have.
   * @returns the seconds after which to ask again, if someone asked for this post in the last minute; otherwise null
   */
  async execute(postId: string, publications: readonly PublicationRow[]): Promise<number | null> {
    const secondsLeft = await this.table.claimRequest(postId);
    if (secondsLeft > 0) return secondsLeft;
    const ids = publications.filter(({ published_at }) => published_at !== null).map((row) => row.publication_id);
    const rows = await this.table.listForSample(ids, this.clock.now(), this.minuteMs);
    const patience = { waitMs: TURN_MS, signal: AbortSignal.timeout(LIMIT_MS) };
    const channelIds = [...new Set(rows.map(({ channel_id }) => channel_id))];
    await Promise.all(
      channelIds.map(async (id) => {
        const channel = await this.findResource.execute('channel', id, null);
        const own = rows.filter(({ channel_id }) => channel_id === id);
        await this.sampler.sample(channel, own, patience);
      }),
    );
    return null;
  }
}
