import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { BEGINNING } from '../../event-store/port.js';
import { CLOCK, type Clock, MINUTE_MS } from '../../kernel/clock.js';
import { LOG, type Log } from '../../kernel/log.js';
import { PlatformCatalogue, Publishers } from '../../platforms/platform-catalogue.js';
import { Leases } from '../../postgres/leases.js';
import { POOL } from '../../postgres/tokens.js';
import { FindResource } from '../../projections/discovery/discovery.queries.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import { Sampler } from '../../statistics/sampler.js';
import { type SampledPublication, StatisticsTable } from '../../statistics/statistics.table.js';
import { DueClaims, type DueSource, DueWork, DueWorkServices } from '../engine/due-work.js';
import { GroupConcurrency } from '../engine/group-concurrency.js';
import { runUnderLease } from '../engine/run-under-lease.js';
import { StatisticsNews } from './statistics-news.js';

const LEASE = 'sample-statistics';
const RETRY = { firstMs: 1_000, longestMs: 60_000 };
const READ_MODELS = ['posts', 'discovery', 'publish-schedule'];
const LOOK_MS = 1_000;
/** Interval between looks for new publications and for news; the first sample is due after five minutes. */
const COPY_MS = 10_000;
/** Pause between copying batches, in ms, so that other statements never wait long. */
const PAUSE_MS = 100;

/** Channels with publications whose numbers are due. */
export const DUE_CHANNELS: DueSource = {
  prefix: 'statistics/',
  table: 'ops_statistics_channel',
  key: 'channel_id',
  group: 'platform',
  owner: 'owner_id',
};

/** Maximum number of channels of one network that a process samples at a time; the owners share them. */
const CHANNELS_PER_NETWORK = 16;
/** Maximum number of publications of a channel to sample in a row. */
const AT_ONCE = 100;
/** The same where a call reads one message. */
const AT_ONCE_ALONE = 10;
/** How long to wait for the turn of a call, in ms; after that, other channels are sampled first. */
const TURN_MS = 5_000;

interface DueChannel {
  readonly channelId: string;
  readonly publications: readonly SampledPublication[];
}

/**
 * Reads the numbers of what is published (D-75). Publications are copied from the read model, so publishing itself
 * writes nothing for them; a channel is sampled at most once a minute, with as few calls as its network allows.
 */
@Injectable()
export class SampleStatistics {
  private readonly work: DueWork<DueChannel>;
  private readonly platforms: readonly string[];

  constructor(
    services: DueWorkServices,
    @Inject(POOL) pool: Pool,
    private readonly leases: Leases,
    private readonly progress: ProjectionProgress,
    private readonly table: StatisticsTable,
    private readonly sampler: Sampler,
    private readonly findResource: FindResource,
    publishers: Publishers,
    catalogue: PlatformCatalogue,
    private readonly news: StatisticsNews,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(MINUTE_MS) private readonly minuteMs: number,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'statisticsDays'>,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.platforms = catalogue.ids.filter((id) => 'readNumbers' in publishers.get(id));
    this.work = new DueWork<DueChannel>(
      {
        claims: new DueClaims(pool, services.leases, DUE_CHANNELS),
        concurrency: new GroupConcurrency(this.platforms, CHANNELS_PER_NETWORK),
        keyName: 'channel',
        activity: 'sampling',
        isRare: true,
        readModels: READ_MODELS,
        schedule: 'posts',
        readQueue: (channelId) => this.readDue(channelId, publishers),
        workOff: async (due, _worker, { drain }) => ((await this.sample(due, drain)) ? BEGINNING : null),
      },
      services,
    );
  }

  /** Runs until the signal is aborted; survives outages. */
  async run(drain: AbortSignal, abort: AbortSignal): Promise<void> {
    const failure = 'failed to look for publications whose numbers to read; retrying';
    const work = (held: AbortSignal): Promise<void> => this.copyPublications(held);
    const copying = runUnderLease(this.leases, this.log, { lease: LEASE, retry: RETRY, failure, work }, drain);
    const isOff = this.settings.statisticsDays === 0;
    await Promise.all([copying, ...(isOff ? [] : [this.work.run({ drain, abort })])]);
  }

  private async copyPublications(held: AbortSignal): Promise<void> {
    while (!held.aborted && !(await this.progress.waitForOwnVersions(READ_MODELS, LOOK_MS)));
    await this.table.rewind();
    while (!held.aborted) {
      const hasMore = await this.table.copy(this.clock.now(), this.minuteMs, this.platforms);
      await this.news.tell(held);
      // MINUTE_MS scales the samples, so it scales the look for what is to be sampled.
      const pause = hasMore ? PAUSE_MS : Math.max(PAUSE_MS, (COPY_MS * this.minuteMs) / 60_000);
      await sleepUnlessAborted(Math.min(pause, COPY_MS), held);
    }
  }

  private async readDue(channelId: string, publishers: Publishers): Promise<DueChannel | null> {
    const channel = await this.findResource.execute('channel', channelId, null);
    const perCall = channel ? (publishers.get(channel.platform).numbersPerCall ?? 1) : AT_ONCE;
    const limit = perCall > 1 ? AT_ONCE : AT_ONCE_ALONE;
    const publications = await this.table.listDue(channelId, this.clock.now(), limit);
    if (publications.length > 0) return { channelId, publications };
    await this.table.schedule(channelId, this.clock.now() + this.minuteMs);
    return null;
  }

  /** @returns false if the channel has to wait */
  private async sample({ channelId, publications }: DueChannel, signal: AbortSignal): Promise<boolean> {
    const channel = await this.findResource.execute('channel', channelId, null);
    const postponeMs = await this.sampler.sample(channel, publications, { waitMs: TURN_MS, signal });
    await this.table.schedule(channelId, this.clock.now() + (postponeMs ?? 0));
    return postponeMs === null;
  }
}
