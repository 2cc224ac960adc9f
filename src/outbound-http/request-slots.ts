import { Semaphore } from '../runtime/semaphore.js';

/** Numbers of requests that may run at a time. */
export interface RequestSlotLimits {
  readonly perHost: number;
  readonly inAll: number;
}

interface Host {
  readonly slots: Semaphore;
  /** Requests that run or wait. */
  users: number;
}

/** Bounds how many requests run at a time: to one host, and in all. The others wait in the order in which they asked. */
export class RequestSlots {
  private readonly hosts = new Map<string, Host>();
  private readonly all: Semaphore;

  constructor(private readonly limits: RequestSlotLimits) {
    this.all = new Semaphore(limits.inAll);
  }

  /**
   * Waits for a slot. A request that waits for its host takes none of the others' slots.
   * @returns the function that releases it; to be called once
   * @throws the signal's reason if it aborts
   */
  async acquire(hostname: string, signal: AbortSignal): Promise<() => void> {
    const host = this.enter(hostname);
    const releases = [() => this.leave(hostname, host)];
    const release = (): void => {
      for (const undo of releases.toReversed()) undo();
    };
    try {
      releases.push(await host.slots.acquire(signal));
      releases.push(await this.all.acquire(signal));
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }

  private enter(hostname: string): Host {
    const host = this.hosts.get(hostname) ?? { slots: new Semaphore(this.limits.perHost), users: 0 };
    this.hosts.set(hostname, host);
    host.users++;
    return host;
  }

  private leave(hostname: string, host: Host): void {
    host.users--;
    if (host.users === 0) this.hosts.delete(hostname);
  }
}
