import type { OnApplicationShutdown } from '@nestjs/common';
import type { Log } from '../kernel/log.js';

type Close = () => Promise<unknown> | void;

/**
 * Everything that a process has opened and must close: servers, connections, child processes. A resource is opened
 * after the resources that it uses, so closing in reverse order is always safe, even after a start that failed halfway.
 */
export class Resources implements OnApplicationShutdown {
  private readonly opened: Close[] = [];
  private readonly opening = new Set<Promise<unknown>>();
  private readonly stopping = new AbortController();
  private closing: Promise<void> | null = null;

  constructor(private readonly log: Log) {}

  /** Returns a signal for waits: it is aborted when the process stops or the given signal is aborted. */
  untilStopped(signal?: AbortSignal): AbortSignal {
    return signal ? AbortSignal.any([signal, this.stopping.signal]) : this.stopping.signal;
  }

  /** Opens a resource and registers how to close it. A stopping process waits for it to open, then closes it. */
  async open<Resource>(
    open: () => Promise<Resource>,
    close: (resource: Resource) => ReturnType<Close>,
  ): Promise<Resource> {
    const opening = open();
    this.opening.add(opening);
    try {
      const resource = await opening;
      await this.add(() => close(resource));
      return resource;
    } finally {
      this.opening.delete(opening);
    }
  }

  /** Registers how to close a resource. Closes it at once if the process is already stopping. */
  async add(close: Close): Promise<void> {
    if (this.closing) await this.close(close);
    else this.opened.push(close);
  }

  /** Closes all resources, last opened first, even if some fail to close; logs each failure. */
  closeAll(): Promise<void> {
    return (this.closing ??= this.closeInReverse());
  }

  /** Runs after the hooks of all other modules, because the module that provides this class is global. */
  onApplicationShutdown(): Promise<void> {
    return this.closeAll();
  }

  private async closeInReverse(): Promise<void> {
    this.stopping.abort();
    await Promise.allSettled(this.opening);
    for (const close of this.opened.splice(0).reverse()) await this.close(close);
  }

  private async close(close: Close): Promise<void> {
    try {
      await close();
    } catch (error) {
      this.log.error({ err: error }, 'failed to close a resource at shutdown');
    }
  }
}
