import { KeyedSemaphore } from '../runtime/keyed-semaphore.js';
import { Semaphore } from '../runtime/semaphore.js';

/** Maximum number of requests that run at a time. */
export interface RequestSlotLimits {
  readonly perHost: number;
  readonly inAll: number;
}

/** Limits how many requests run at a time: per host and in total. Further requests wait in order of arrival. */
export class RequestSlots {
  private readonly hosts: KeyedSemaphore;
  private readonly all: Semaphore;

  constructor({ perHost, inAll }: RequestSlotLimits) {
    this.hosts = new KeyedSemaphore(perHost);
    this.all = new Semaphore(inAll);
  }

  /**
   * Waits for a slot. While a request waits for its host, it takes no slot from other hosts.
   * @returns a function that releases the slot; call it once
   * @throws the signal's reason if it aborts
   */
  async acquire(hostname: string, signal: AbortSignal): Promise<() => void> {
    const releaseHost = await this.hosts.acquire(hostname, signal);
    try {
      const releaseAll = await this.all.acquire(signal);
      return () => {
        releaseAll();
        releaseHost();
      };
    } catch (error) {
      releaseHost();
      throw error;
    }
  }
}
