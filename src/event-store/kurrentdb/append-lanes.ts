import type { KurrentDBClient } from '@kurrent/kurrentdb-client';
import { Unavailable } from '../port.js';
import { TimedOut, withinTime } from './call-timer.js';
import { connect, dispose } from './clients.js';

/**
 * Appends that one client may have unanswered. From the sixteenth on it queues them in a way that, when the
 * connection breaks, rejects promises that nobody can handle: the process would die of it.
 */
const MAX_UNANSWERED = 15;

/** Clients to append with, over one connection: more than one, so that the limit does not bound the throughput. */
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

/** A client and how many of its calls have no answer yet. */
interface Sender {
  readonly client: KurrentDBClient;
  unanswered: number;
}

class Lane {
  private sender: Sender | undefined;
  private readonly waiting: ((sender: Sender) => void)[] = [];

  constructor(
    private readonly connectionString: string,
    private readonly timeoutMs: number,
  ) {}

  async run<T>(call: (client: KurrentDBClient) => Promise<T>): Promise<T> {
    const attempt: Attempt = { expired: false, sentBy: undefined };
    try {
      return await withinTime(this.send(call, attempt), this.timeoutMs, 'append');
    } catch (error) {
      if (error instanceof TimedOut) {
        attempt.expired = true;
        if (attempt.sentBy) this.replace(attempt.sentBy);
      }
      throw error;
    }
  }

  async close(): Promise<void> {
    if (this.sender) await dispose(this.sender.client);
  }

  private async send<T>(call: (client: KurrentDBClient) => Promise<T>, attempt: Attempt): Promise<T> {
    const sender = await this.acquire();
    try {
      if (attempt.expired) throw new Unavailable('append: no room to send it in time');
      attempt.sentBy = sender;
      return await call(sender.client);
    } finally {
      sender.unanswered -= 1;
      this.admit();
    }
  }

  /** Room to send, first come first served. */
  private acquire(): Promise<Sender> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.admit();
    });
  }

  private admit(): void {
    this.sender ??= { client: connect(this.connectionString), unanswered: 0 };
    while (this.sender.unanswered < MAX_UNANSWERED) {
      const next = this.waiting.shift();
      if (!next) return;
      this.sender.unanswered += 1;
      next(this.sender);
    }
  }

  /** An answer that does not come may never come, and its room with it: what waits is sent by a new client. */
  private replace(broken: Sender): void {
    if (this.sender !== broken) return; // another append has seen it first
    this.sender = undefined;
    void dispose(broken.client);
    this.admit();
  }
}

/** One append on its way: whether its caller has given up, and by what it was sent. */
interface Attempt {
  expired: boolean;
  sentBy: Sender | undefined;
}
