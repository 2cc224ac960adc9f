import { BoundedCache } from '../../../runtime/bounded-cache.js';
import { FairSlots } from '../../../runtime/semaphore.js';
import { sleepUnlessAborted } from '../../../runtime/sleep.js';

/** How long an owner counts as active after the start of a publication, in ms. */
const ACTIVE_MS = 2_000;

/** While several owners publish, an owner's publications start in groups of this size, one group per interval. */
const GROUP_SIZE = 8;
const GROUP_INTERVAL_MS = 80;
/** Maximum number of owners whose latest group is remembered. */
const MAX_OWNERS = 10_000;

interface Group {
  /** Monotonic time in ms. */
  readonly startsAt: number;
  size: number;
}

/**
 * Limits how many publications of a process prepare at the same time while several owners publish (D-68, ADR-222).
 * Otherwise hundreds of one owner's due posts would fill every queue on the way to the network. Each owner's
 * publications also start in small groups, at most a hundred a second. An owner that publishes alone is not limited,
 * because larger batches cost less.
 */
export class StartTurns {
  private readonly slots: FairSlots;
  /** The latest group of each owner. */
  private readonly groups = new BoundedCache<Group>(MAX_OWNERS);
  private latest: { readonly owner: string; at: number } | null = null;
  /** The owner that was active before `latest`. */
  private previous: { readonly owner: string; readonly at: number } | null = null;

  /**
   * @param size number of publications that may prepare at a time; one owner uses at most half of it
   * @param now monotonic time in ms
   */
  constructor(
    size: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.slots = new FairSlots(size);
  }

  /**
   * Waits until a publication may prepare.
   * @returns a function that lets the next publication start, once; null if the signal aborted first
   */
  async acquire(owner: string, signal: AbortSignal): Promise<(() => void) | null> {
    if (this.isAlone(owner)) return () => undefined;
    const untilStart = this.joinGroup(owner) - this.now();
    if (untilStart > 0) await sleepUnlessAborted(untilStart, signal);
    let release: (() => void) | null = await this.slots.acquire(owner, signal).catch(() => null);
    if (release === null) return null;
    return () => {
      release?.();
      release = null;
    };
  }

  /** Adds a publication to the owner's latest group, or else to a new group. @returns the group's start */
  private joinGroup(owner: string): number {
    const now = this.now();
    const latest = this.groups.get(owner);
    const startsAt = Math.max(now, latest ? latest.startsAt + GROUP_INTERVAL_MS : now);
    const hasRoom = latest && latest.size < GROUP_SIZE && startsAt > now;
    const group = hasRoom ? latest : { startsAt, size: 0 };
    group.size++;
    this.groups.set(owner, group);
    return group.startsAt;
  }

  /** Records that an owner is active. @returns true if no other owner is active */
  private isAlone(owner: string): boolean {
    const at = this.now();
    if (this.latest?.owner === owner) this.latest.at = at;
    else {
      this.previous = this.latest;
      this.latest = { owner, at };
    }
    return this.previous === null || at > this.previous.at + ACTIVE_MS;
  }
}
