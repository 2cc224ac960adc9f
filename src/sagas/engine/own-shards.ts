import { type Leases, rank, shardOf } from '../../postgres/leases.js';

/** All shards. A key's shard is the last two digits of its id, which are random hex digits. */
const SHARDS = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'));

/** Number of keys that justify another worker; keys on the same worker share appends and reads. */
const KEYS_PER_WORKER = 32;

/**
 * The shards that this worker handles first. Each shard belongs to one live worker, by rendezvous hashing. This is only
 * a hint: workers may disagree, and each worker regularly sweeps all keys (ADR-102).
 */
export class OwnShards {
  private shards: ReadonlySet<string> | null = null;
  private channels = 0;

  /** @param schedule read model with the queues; the holder of its lease sees outcomes first and gets shards first */
  constructor(
    private readonly leases: Pick<Leases, 'liveWorkers' | 'workerId' | 'findHolder'>,
    private readonly schedule: string,
  ) {}

  /** Number of keys beyond which additional keys make no difference. */
  get mostKeys(): number {
    return this.leases.liveWorkers.length * KEYS_PER_WORKER;
  }

  /** Recomputes the shards after a change in the workers or the number of keys. */
  update(channels = this.channels): void {
    this.channels = channels;
    const { liveWorkers, workerId } = this.leases;
    const isAlone = workerId === null || liveWorkers.length < 2;
    const holder = this.leases.findHolder(`projection/${this.schedule}/`);
    const order = [...new Set([...liveWorkers.filter((id) => id === holder), ...rank('publish', liveWorkers)])];
    const publishing = order.slice(0, Math.max(1, Math.ceil(channels / KEYS_PER_WORKER)));
    this.shards = isAlone ? null : new Set(SHARDS.filter((shard) => rank(shard, publishing)[0] === workerId));
  }

  /** The shards, for a query; null for all. */
  get list(): readonly string[] | null {
    return this.shards && [...this.shards];
  }

  /** True if a key is in one of these shards. */
  has(channelId: string): boolean {
    return this.shards === null || this.shards.has(shardOf(channelId));
  }

  /** True if any of the given shards belongs to this worker. @param shards null for any */
  hasAny(shards: ReadonlySet<string> | null): boolean {
    return shards === null || this.shards === null || [...shards].some((shard) => this.shards!.has(shard));
  }
}
