import { FairSlots } from '../../runtime/fair-slots.js';

/** Limits how many outputs of each host are delivered to at a time. Owners share a host's slots ({@link FairSlots}). */
export class HostSlots {
  private readonly byHost = new Map<string, FairSlots>();

  /** @param size number of slots for each host */
  constructor(private readonly size: number) {}

  /** Takes a slot without waiting. Returns a function that releases it; null if the owner has used up its share. */
  tryAcquire(host: string, owner: string): (() => void) | null {
    const slots = this.byHost.get(host) ?? new FairSlots(this.size);
    if (slots.isAtShare(owner)) return null;
    this.byHost.set(host, slots);
    slots.take(owner);
    return () => {
      slots.release(owner);
      if (slots.holders.size === 0) this.byHost.delete(host);
    };
  }
}
