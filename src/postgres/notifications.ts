import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { Complaint } from '../runtime/repeated-failure.js';
import type { Log } from '../kernel/log.js';
import { reasonOf } from '../kernel/reason.js';

type Listener = (payload: string) => void;

/**
 * One listening connection for the whole process. A notification may be lost while the connection is: whoever waits for
 * one must look for itself now and then.
 */
export class Notifications {
  private readonly listeners = new Map<string, Set<Listener>>();
  private readonly lossListeners = new Set<() => void>();
  private readonly stopping = new AbortController();
  private client: Client | null = null;
  private loop: Promise<void> | null = null;

  constructor(
    private readonly connectionString: string,
    private readonly log: Log,
  ) {}

  /** Begins to listen, and again after every lost connection until {@link stop}. Resolves once it first listens. */
  start(): Promise<void> {
    return new Promise((resolve) => {
      this.loop ??= this.listen(resolve);
    });
  }

  /** Calls back for every notification on a channel, also those of this process. Answers how to stop that. */
  on(channel: 'projection' | 'lease', listener: Listener): () => void {
    const listeners = this.listeners.get(channel) ?? new Set();
    this.listeners.set(channel, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Calls back whenever the connection is lost. */
  onLoss(listener: () => void): void {
    this.lossListeners.add(listener);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.client?.end().catch(() => undefined);
    await this.loop;
  }

  private async listen(listening: () => void): Promise<void> {
    const { signal } = this.stopping;
    const complaint = new Complaint();
    while (!signal.aborted) {
      const client = new Client({
        connectionString: this.connectionString,
        application_name: 'crosspost notifications',
        keepAlive: true,
        connectionTimeoutMillis: 5_000,
      });
      try {
        const ended = new Promise<void>((resolve) => client.on('end', resolve));
        client.on('error', () => undefined); // 'end' follows
        client.on('notification', ({ channel, payload = '' }) => {
          for (const listener of this.listeners.get(channel) ?? []) listener(payload);
        });
        await client.connect();
        this.client = client;
        await client.query('listen projection; listen lease');
        listening();
        complaint.over();
        await ended;
        for (const listener of this.lossListeners) listener();
        if (!signal.aborted) this.log.warn({}, 'the listening connection was lost');
      } catch (error) {
        const reason = reasonOf(error);
        if (complaint.isNews(reason)) this.log.warn({ error: reason }, 'cannot listen for notifications');
        await client.end().catch(() => undefined);
      }
      await sleep(500, undefined, { signal }).catch(() => undefined);
    }
  }
}
