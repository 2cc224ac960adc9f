import type { KurrentDBClient } from '@kurrent/kurrentdb-client';
import { Unavailable } from '../port.js';
import { TimedOut, withinTime } from './call-timer.js';
import { connect, dispose } from './clients.js';

/**
 * Appends that one client may have unanswered. From the sixteenth on it queues them in a way that, when the
 * connection breaks, rejects promises that nobody can handle: the process would die of it.
 */
const MAX_UNANSWERED = 15;

/** Clients to append with: more than one, so that the limit above does not bound the throughput. */
const LANES = 4;

/** Spreads appends over a few clients, a stream always to the same one, none with too many at a time. */
export class AppendLanes {
  private readonly lanes: readonly Lane[];

  constructor(connectionString: string, timeoutMs: number) {
    this.lanes = Array.from({ length: LANES }, () => new Lane(connectionString, timeoutMs));
  }

  /**
   * Makes a call that appends to a stream.
   * @throws Unavailable it could not be sent or was not answered in time; else what the client throws.
   */
  run<T>(stream: string, call: (client: KurrentDBClient) => Promise<T>): Promise<T> {
    let hash = 0;
    for (let i = 0; i < stream.length; i++) hash = (hash * 31 + stream.charCodeAt(i)) >>> 0;
    return (this.lanes[hash % LANES] as Lane).run(call);
  }

  async close(): Promise<void> {
    await Promise.all(this.lanes.map((lane) => lane.close()));
  }
}

interface Connection {
  readonly client: KurrentDBClient;
  unanswered: number;
}

class Lane {
  private connection: Connection | undefined;
  private readonly waiting: ((connection: Connection) => void)[] = [];

  constructor(
    private readonly connectionString: string,
    private readonly timeoutMs: number,
  ) {}

  async run<T>(call: (client: KurrentDBClient) => Promise<T>): Promise<T> {
    const attempt: Attempt = { expired: false, sentOver: undefined };
    try {
      return await withinTime(this.send(call, attempt), this.timeoutMs, 'append');
    } catch (error) {
      if (error instanceof TimedOut) {
        attempt.expired = true;
        if (attempt.sentOver) this.replace(attempt.sentOver);
      }
      throw error;
    }
  }

  async close(): Promise<void> {
    if (this.connection) await dispose(this.connection.client);
  }

  private async send<T>(call: (client: KurrentDBClient) => Promise<T>, attempt: Attempt): Promise<T> {
    const connection = await this.acquire();
    try {
      if (attempt.expired) throw new Unavailable('append: no room to send it in time');
      attempt.sentOver = connection;
      return await call(connection.client);
    } finally {
      connection.unanswered -= 1;
      this.admit();
    }
  }

  /** Room on the connection, first come first served. */
  private acquire(): Promise<Connection> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.admit();
    });
  }

  private admit(): void {
    this.connection ??= { client: connect(this.connectionString), unanswered: 0 };
    while (this.connection.unanswered < MAX_UNANSWERED) {
      const next = this.waiting.shift();
      if (!next) return;
      this.connection.unanswered += 1;
      next(this.connection);
    }
  }

  /** An answer that does not come may never come: what waits goes over a new connection. */
  private replace(broken: Connection): void {
    if (this.connection !== broken) return; // another append has seen it first
    this.connection = undefined;
    void dispose(broken.client);
    this.admit();
  }
}

/** One append on its way: whether its caller has given up, and what it was sent over. */
interface Attempt {
  expired: boolean;
  sentOver: Connection | undefined;
}
