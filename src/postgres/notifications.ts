import { Client } from 'pg';
import type { Log } from '../kernel/log.js';
import { RepeatedFailure } from '../runtime/failing-work.js';
import { sleepUnlessAborted } from '../runtime/sleep.js';

type Listener = (payload: string) => void;

/** Notification channels. A process listens to each channel that it subscribes to. */
type NotificationChannel =
  'projection' | 'lease' | 'due' | 'planned' | 'change' | 'deliveries' | 'job' | 'saga' | 'erasure';

/**
 * One listening connection for the whole process. Notifications may be missed while the connection is lost, so a
 * listener must also poll occasionally.
 */
export class Notifications {
  private readonly listeners = new Map<NotificationChannel, Set<Listener>>();
  private readonly lossListeners = new Set<() => void>();
  private readonly stopping = new AbortController();
  private client: Client | null = null;
  private lastQuery: Promise<unknown> = Promise.resolve();
  private loop: Promise<void> | null = null;

  constructor(
    private readonly connectionString: string,
    private readonly log: Log,
    /** SQL to run at the start of each session; empty for none. */
    private readonly first = '',
  ) {}

  /**
   * Listens, reconnecting after every lost connection, until {@link stop}. Resolves once it is listening for the first
   * time.
   */
  start(): Promise<void> {
    return new Promise((resolve) => {
      this.loop ??= this.listen(resolve);
    });
  }

  /**
   * Calls a listener for each notification on a channel, including those from this process. Returns an unsubscribe
   * function.
   */
  subscribe(channel: NotificationChannel, listener: Listener): () => void {
    const listeners = this.listeners.get(channel) ?? new Set();
    if (!this.listeners.has(channel)) {
      this.listeners.set(channel, listeners);
      // If the connection is lost, the next connection listens to all channels.
      if (this.client) this.query(this.client, `listen ${channel}`).catch(() => undefined);
    }
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Calls a listener whenever the connection is lost. */
  onLoss(listener: () => void): void {
    this.lossListeners.add(listener);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.client?.end().catch(() => undefined);
    await this.loop;
  }

  /** Sends a query once the earlier queries have finished, because a `pg` client runs only one at a time. */
  private query(client: Client, text: string): Promise<unknown> {
    const send = () => client.query(text);
    return (this.lastQuery = this.lastQuery.then(send, send));
  }

  private async listen(listening: () => void): Promise<void> {
    const { signal } = this.stopping;
    const failure = new RepeatedFailure();
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
          for (const listener of this.listeners.get(channel as NotificationChannel) ?? []) listener(payload);
        });
        await client.connect();
        this.client = client;
        if (signal.aborted) {
          await client.end();
          break;
        }
        const listens = [...this.listeners.keys()].map((channel) => `listen ${channel}`);
        await this.query(client, [this.first, ...listens].filter((text) => text !== '').join('; '));
        listening();
        failure.clear();
        await ended;
        for (const listener of this.lossListeners) listener();
        if (!signal.aborted)
          this.log.warn({}, 'lost the database connection that listens for notifications; connecting again');
      } catch (error) {
        failure.warn(this.log, error, 'failed to listen for database notifications; trying again');
        await client.end().catch(() => undefined);
      }
      await sleepUnlessAborted(500, signal);
    }
  }
}
