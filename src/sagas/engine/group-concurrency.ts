import { FairSlots } from '../../runtime/semaphore.js';
import { settlesSoon } from '../../runtime/sleep.js';

/** Remaining capacity of one group. */
export interface GroupCapacity {
  readonly group: string;
  /** Number of free slots, 0 or more. */
  readonly size: number;
  /** Number of slots held, by owner. */
  readonly held: ReadonlyMap<string, number>;
  /** Owners that currently may not get any more keys. */
  readonly full: readonly string[];
}

/** The group and the owner of a key; the owner is empty if owners do not share the slots. */
export interface KeyPlace {
  readonly group: string;
  readonly owner: string;
}

interface Group {
  readonly slots: FairSlots;
  /** Keys by owner, including waiting keys. */
  readonly keys: Map<string, number>;
}

/**
 * Limits the number of keys (channels, webhook outputs) that one process works on at a time in each group, so that a
 * slow network takes no capacity from others. Owners share a group's slots fairly (D-68, {@link FairSlots}). Keys that
 * are waiting (for a rate limit, a download, a network) hold no slot, but an owner never has more keys than the group
 * has slots.
 */
export class GroupConcurrency {
  private readonly byName: ReadonlyMap<string, Group>;
  /** Called whenever a slot is released, or an owner may have more keys. */
  onFree: () => void = () => undefined;

  /** @param size number of slots in each group, at least 1 */
  constructor(
    groups: readonly string[],
    private readonly size: number,
  ) {
    this.byName = new Map(groups.map((group) => [group, { slots: new FairSlots(size), keys: new Map() }]));
  }

  free(): readonly GroupCapacity[] {
    return [...this.byName].map(([group, { slots, keys }]) => ({
      group,
      size: slots.free,
      held: slots.holders,
      full: [...keys.keys()].filter((owner) => this.isFull({ group, owner })),
    }));
  }

  /** Lists the owners that may not have more keys now, each with its group. */
  listFull(): readonly KeyPlace[] {
    return this.free().flatMap(({ group, full }) => full.map((owner) => ({ group, owner })));
  }

  /** True if an owner may not have another key of the group now. */
  isFull({ group, owner }: KeyPlace): boolean {
    if (owner === '') return false;
    const { slots, keys } = this.byName.get(group)!;
    return slots.isAtShare(owner) || (keys.get(owner) ?? 0) >= this.size;
  }

  /** Takes a slot for a key. */
  acquire({ group, owner }: KeyPlace): void {
    const { slots, keys } = this.byName.get(group)!;
    slots.take(owner);
    keys.set(owner, (keys.get(owner) ?? 0) + 1);
  }

  release({ group, owner }: KeyPlace): void {
    const { slots, keys } = this.byName.get(group)!;
    const left = keys.get(owner)! - 1;
    if (left > 0) keys.set(owner, left);
    else keys.delete(owner);
    slots.release(owner);
    this.onFree();
  }

  /**
   * Releases a key's slot while a promise is pending, then waits for a slot from its owner's share.
   * @param signal ends the wait for a slot; the key then continues, even beyond the limit
   */
  async releaseWhile<T>({ group, owner }: KeyPlace, wait: Promise<T>, signal?: AbortSignal): Promise<T> {
    const { slots } = this.byName.get(group)!;
    slots.release(owner);
    this.onFree();
    try {
      return await wait;
    } finally {
      await slots.acquire(owner, signal).catch(() => slots.take(owner));
    }
  }

  /** Like {@link releaseWhile}, but keeps the slot if the promise settles within a turn of the event loop. */
  async releaseUnlessSoon<T>(place: KeyPlace, wait: Promise<T>, signal?: AbortSignal): Promise<T> {
    return (await settlesSoon(wait)) ? wait : this.releaseWhile(place, wait, signal);
  }
}
