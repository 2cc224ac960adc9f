import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { channel as channelDecider, type ChannelState } from '../../../domain/channel/channel.decider.js';
import { channelStatus } from '../../../domain/channel/channel.events.js';
import { channelPause, type PauseState } from '../../../domain/pause/pause.decider.js';
import { AggregateCache, AggregateStore } from '../../../event-store/aggregate-store.js';
import { CLOCK, type Clock } from '../../../kernel/clock.js';
import { LOG, type Log } from '../../../kernel/log.js';
import { keyOfShare } from '../../../postgres/call-turns.js';
import { POOL } from '../../../postgres/tokens.js';
import { PublishScheduleQueries } from '../../../projections/publish-schedule/publish-schedule.queries.js';
import { RepeatedFailure } from '../../../runtime/failing-work.js';
import { sleepUnlessAborted } from '../../../runtime/sleep.js';
import { GroupConcurrency, type KeyPlace } from '../../engine/group-concurrency.js';

/** A watch on a waiting publication. */
export interface Watched {
  /** Aborted when the publication no longer needs to wait or the worker stops. */
  readonly signal: AbortSignal;
  readonly end: () => void;
}

const TICK_MS = 2_000;
/** How long the API shows that an owner has used up its share, in ms. */
const SHOWN_MS = 5_000;

/**
 * Publications that are waiting for their media before their attempt starts. A publication that is no longer due stops
 * waiting, so that it does not block its channel. If an owner's publications are waiting on a network at two checks in
 * a row, the API shows that the owner is waiting for its own work there (`waiting_for`: `share`).
 */
@Injectable()
export class WaitingPublications {
  private readonly watched = new Map<string, { readonly place: KeyPlace; readonly stop: AbortController }>();
  private seenBefore: ReadonlySet<string> = new Set();

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly schedule: PublishScheduleQueries,
    private readonly concurrency: GroupConcurrency,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Watches a publication until its wait ends. @param drain also ends the watch */
  watch(publicationId: string, place: KeyPlace, drain: AbortSignal): Watched {
    const entry = { place, stop: new AbortController() };
    const abort = (): void => entry.stop.abort();
    if (drain.aborted) abort();
    drain.addEventListener('abort', abort, { once: true });
    this.watched.set(publicationId, entry);
    return {
      signal: entry.stop.signal,
      end: () => {
        drain.removeEventListener('abort', abort);
        if (this.watched.get(publicationId) === entry) this.watched.delete(publicationId);
      },
    };
  }

  /** Watches the publications until the signal is aborted. */
  async run(drain: AbortSignal): Promise<void> {
    const failure = new RepeatedFailure();
    while (!drain.aborted) {
      await sleepUnlessAborted(TICK_MS, drain);
      try {
        await Promise.all([this.endNeedlessWaits(), this.showShares()]);
        failure.clear();
      } catch (error) {
        failure.warn(this.log, error, 'failed to check waiting posts; retrying');
      }
    }
  }

  private async endNeedlessWaits(): Promise<void> {
    if (this.watched.size === 0) return;
    const asked = [...this.watched];
    const ids = asked.map(([id]) => id);
    const due = new Set(await this.schedule.findDue(ids, this.clock.now()));
    for (const [id, { stop }] of asked) if (!due.has(id)) stop.abort();
  }

  private async showShares(): Promise<void> {
    const places = [...this.concurrency.listFull(), ...[...this.watched.values()].map(({ place }) => place)];
    const seen = new Set(places.map(({ group, owner }) => keyOfShare(group, owner)));
    const lasting = [...seen].filter((key) => this.seenBefore.has(key));
    this.seenBefore = seen;
    if (lasting.length === 0) return;
    await this.pool.query({
      name: 'show shares',
      text: `
        insert into ops_pace (key, slots)
        select key, array[clock_timestamp() + $2 * interval '1 ms'] from unnest($1::text[]) key order by key
        on conflict (key) do update set slots = excluded.slots`,
      values: [lasting, SHOWN_MS],
    });
  }
}

/** Loads channels and their pauses, always up to date with their streams. */
@Injectable()
export class ChannelStates {
  private readonly channels: AggregateCache<ChannelState>;
  private readonly pauses: AggregateCache<PauseState>;

  constructor(
    aggregates: AggregateStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.channels = new AggregateCache(aggregates, channelDecider);
    this.pauses = new AggregateCache(aggregates, channelPause);
  }

  /** Loads a channel. @throws Error if there is no such channel @throws Unavailable */
  async loadChannel(channelId: string): Promise<NonNullable<ChannelState>> {
    const { state } = await this.channels.loadLatest(channelId);
    if (!state) throw new Error(`channel ${channelId} is not in the event store`);
    return state;
  }

  /**
   * True if the channel may publish now: it is neither deleted, disabled nor paused, and no refusal holds its queue (D-26).
   * @param reading the channel, if it is being loaded
   * @throws Unavailable
   */
  async mayPublish(channelId: string, reading = this.loadChannel(channelId)): Promise<boolean> {
    const [channel, { state: pause }] = await Promise.all([reading, this.pauses.loadLatest(channelId)]);
    const now = this.clock.now();
    const { deleted, enabled, attentionUntil } = channel;
    return !deleted && channelStatus(enabled, attentionUntil, now) === 'ok' && pause.until <= now;
  }
}
