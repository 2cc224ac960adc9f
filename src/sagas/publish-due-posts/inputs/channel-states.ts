import { Inject, Injectable } from '@nestjs/common';
import { channel as channelDecider, type ChannelState } from '../../../domain/channel/channel.decider.js';
import { channelPause } from '../../../domain/channel-pause/channel-pause.decider.js';
import type { PauseState } from '../../../domain/pause/pause.js';
import { AggregateCache, AggregateStore } from '../../../event-store/aggregate-store.js';
import { CLOCK, type Clock } from '../../../kernel/clock.js';

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

  /** True if the channel is paused now. @throws Unavailable */
  async isPaused(channelId: string): Promise<boolean> {
    const { state } = await this.pauses.loadLatest(channelId);
    return state.until > this.clock.now();
  }
}
