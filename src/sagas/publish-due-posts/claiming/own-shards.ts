import { rank, shardOf } from '../../../postgres/lease-shares.js';
import type { Leases } from '../../../postgres/leases.js';

/** All shards of channels: their ids end with random hex digits. */
const SHARDS = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'));

/**
 * Number of channels for which one more worker publishes. Channels of one worker share appends and reads: with fewer channels
 * for each the work of each post only grows.
 */
const CHANNELS_PER_WORKER = 32;
/** Beginning of the name of the schedule's lease. Its holder publishes first: it sees outcomes without a read of the log. */
const SCHEDULE_LEASE = 'projection/publish-schedule/';

/**
 * The shards of channels that this worker looks after first. Each is one worker's, by rendezvous hashing over the workers that
 * are alive. It is a hint: workers may disagree, and each of them sweeps all channels now and then (ADR-102).
 */
export class OwnShards {
  private shards: ReadonlySet<string> | null = null;
  private channels = 0;

  constructor(private readonly leases: Pick<Leases, 'liveWorkers' | 'workerId' | 'findHolder'>) {}

  /** Largest number of channels that makes a difference. */
  get mostChannels(): number {
    return this.leases.liveWorkers.length * CHANNELS_PER_WORKER;
  }

  /** Computes the shards again, after a change of the workers or of the number of channels. */
  update(channels = this.channels): void {
    this.channels = channels;
    const { liveWorkers, workerId } = this.leases;
    const isAlone = workerId === null || liveWorkers.length < 2;
    const holder = this.leases.findHolder(SCHEDULE_LEASE);
    const order = [...new Set([...liveWorkers.filter((id) => id === holder), ...rank('publish', liveWorkers)])];
    const publishing = order.slice(0, Math.max(1, Math.ceil(channels / CHANNELS_PER_WORKER)));
    this.shards = isAlone ? null : new Set(SHARDS.filter((shard) => rank(shard, publishing)[0] === workerId));
  }

  /** The shards, for a query; null: all. */
  get list(): readonly string[] | null {
    return this.shards && [...this.shards];
  }

  /** True if a channel is in one of these shards. */
  has(channelId: string): boolean {
    return this.shards === null || this.shards.has(shardOf(channelId));
  }

  /** True if one of these shards is this worker's. @param shards null: any */
  hasAny(shards: ReadonlySet<string> | null): boolean {
    return shards === null || this.shards === null || [...shards].some((shard) => this.shards!.has(shard));
  }
}
