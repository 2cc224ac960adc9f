import { FairSlots } from '../../runtime/fair-slots.js';
import { settlesSoon } from '../../runtime/settles-soon.js';

/** The capacity of one group for further keys. */
export interface GroupCapacity {
  readonly group: string;
  /** Free slots, from 0. */
  readonly size: number;
  /** Slots that owners hold. */
  readonly held: ReadonlyMap<string, number>;
  /** Owners that may have no further key now. */
  readonly full: readonly string[];
}

/** The group and the owner of a key; an empty owner: owners do not share the slots of such keys. */
export interface KeyPlace {
  readonly group: string;
  readonly owner: string;
}

interface Group {
  readonly slots: FairSlots;
  /** Keys by owner, those that only wait included. */
  readonly keys: Map<string, number>;
}

/**
 * Limits the number of keys (channels, webhook outputs) that one process works on at a time, for each group on its own: a
 * network that is slow or down takes no capacity from the others. Owners share a group's slots fairly (D-68, {@link FairSlots}).
 * Keys that only wait (for a rate limit, a download, a network) hold no slot; an owner has no more of them than a group has slots.
 */
export class GroupConcurrency {
  private readonly byName: ReadonlyMap<string, Group>;
  /** Called whenever a slot is released, or an owner may have further keys. */
  onFree: () => void = () => undefined;

  /** @param size maximum number of keys of one group, from 1 */
  constructor(
    readonly groups: readonly string[],
    private readonly size: number,
  ) {
    this.byName = new Map(groups.map((group) => [group, { slots: new FairSlots(size), keys: new Map() }]));
  }

  /** Returns the free capacity of each group. */
  free(): readonly GroupCapacity[] {
    return [...this.byName].map(([group, { slots, keys }]) => ({
      ...{ group, size: slots.free, held: slots.holders },
      full: [...keys.keys()].filter((owner) => this.isFull({ group, owner })),
    }));
  }

  /** Returns the owners that may have no further key now, in each group. */
  listFull(): readonly KeyPlace[] {
    return this.free().flatMap(({ group, full }) => full.map((owner) => ({ group, owner })));
  }

  /** True if an owner may have no further key of the group now. */
  isFull({ group, owner }: KeyPlace): boolean {
    if (owner === '') return false;
    const { slots, keys } = this.byName.get(group)!;
    return slots.isAtShare(owner) || (keys.get(owner) ?? 0) >= this.size;
  }

  /** Begins the work on a key, in a slot. */
  acquire({ group, owner }: KeyPlace): void {
    const { slots, keys } = this.byName.get(group)!;
    slots.take(owner);
    keys.set(owner, (keys.get(owner) ?? 0) + 1);
  }

  /** Ends the work on a key. */
  release({ group, owner }: KeyPlace): void {
    const { slots, keys } = this.byName.get(group)!;
    const left = keys.get(owner)! - 1;
    if (left > 0) keys.set(owner, left);
    else keys.delete(owner);
    slots.release(owner);
    this.onFree();
  }

  /**
   * Gives a key's slot back while a promise is pending. Afterwards the key waits for a slot of its owner's share.
   * @param signal ends that wait: the limit is exceeded then
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

  /** As {@link releaseWhile}, but keeps the slot if the promise settles within a turn of the event loop. */
  async releaseUnlessSoon<T>(place: KeyPlace, wait: Promise<T>, signal?: AbortSignal): Promise<T> {
    return (await settlesSoon(wait)) ? wait : this.releaseWhile(place, wait, signal);
  }
}
