import type { OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import type { StreamOptions } from '../api/management/stream/change-streams.js';
import type { RequestMemory } from '../api/transport/body-reader.js';
import type { UploadTimes } from '../api/uploads/upload-body.js';
import type { Keys } from '../config/generated-keys.js';
import type { Settings } from '../config/settings.js';
import type { EventStore } from '../event-store/port.js';
import type { Clock } from '../kernel/clock.js';
import type { Log } from '../kernel/log.js';
import type { NetworkCatalogues } from './networks.js';
import type { NoticedLoss } from './recovery/log-recovery.js';

/** Parts of a process that tests replace. */
export interface Overrides {
  readonly clock?: Clock;
  /** Time limit for one call to a network, in ms; each network has its own by default. */
  readonly callTimeoutMs?: number;
  /** Time limit for inspecting one media file, in ms; 1 s by default. */
  readonly inspectionTimeoutMs?: number;
  /** Number of channels of one network that a worker publishes on at a time. */
  readonly channelsPerNetwork?: number;
  readonly networks?: NetworkCatalogues;
  /** Base URLs by network. They take precedence over the settings and over stand-ins. */
  readonly networkUrls?: Readonly<Record<string, string>>;
  readonly wrapEventStore?: (store: EventStore) => EventStore;
  readonly requestMemory?: RequestMemory;
  /** Folder of the built console. */
  readonly consoleFolder?: string;
  readonly streams?: Partial<StreamOptions>;
  readonly uploadTimes?: UploadTimes;
}

/** Options for one process of the gateway. */
export interface ProcessOptions {
  readonly settings: Settings;
  readonly log: Logger;
  /** Cancels the start. */
  readonly signal?: AbortSignal | undefined;
  readonly overrides?: Overrides;
  /** The loss that this process noticed while it ran, if it starts again because of it. */
  readonly noticed?: NoticedLoss | null;
}

/** Injection token for the {@link ProcessOptions}. */
export const PROCESS_OPTIONS = Symbol('ProcessOptions');

/** Injection token for the {@link Keys}. */
export const KEYS = Symbol('Keys');

/** The settings that the parts of a process share, with the operator key and the base URL filled in. */
export interface ProcessSettings extends Settings {
  readonly operatorKey: string;
  /** Empty until the web server listens if BASE_URL is not set and PORT is 0. */
  baseUrl: string;
}

/** Returns the settings with the operator's key, generated if it is not set. */
export const processSettings = (settings: Settings, { operatorKey }: Keys): ProcessSettings => ({
  ...settings,
  operatorKey,
  baseUrl: settings.baseUrl ?? '',
});

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
