import type { KurrentDBClient } from '@kurrent/kurrentdb-client';
import { Unavailable } from '../port.js';
import { CallTimeout, withCallTimeout } from './call-timeout.js';
import { createClient, disposeClient } from './clients.js';

/**
 * Most pending appends of one client. From the sixteenth on, the client queues them. When the connection breaks, its
 * queue rejects promises that no code can handle, which would end the process.
 */
const MAX_PENDING = 15;

/** Number of clients for appends, over one connection. More than one, so that the limit per client does not bound the throughput. */
const LANES = 4;

/** Distributes appends over several clients. A stream always uses the same one, and no client has too many pending. */
export class AppendLanes {
  private readonly lanes: readonly Lane[];

  constructor(connectionString: string, timeoutMs: number) {
    this.lanes = Array.from({ length: LANES }, () => new Lane(connectionString, timeoutMs));
  }

  /**
   * Makes a call that appends to a stream.
   * @throws Unavailable the call was not sent or not answered in time; other errors are the client's own
   */
  append<T>(stream: string, call: (client: KurrentDBClient) => Promise<T>): Promise<T> {
    let hash = 0;
    for (let i = 0; i < stream.length; i++) hash = (hash * 31 + stream.charCodeAt(i)) >>> 0;
    return (this.lanes[hash % LANES] as Lane).append(call);
  }

  async close(): Promise<void> {
    await Promise.all(this.lanes.map((lane) => lane.close()));
  }
}

/** A client and the number of its pending calls. */
interface Sender {
  readonly client: KurrentDBClient;
  pending: number;
}

class Lane {
  private sender: Sender | undefined;
  private readonly waiting: ((sender: Sender) => void)[] = [];

  constructor(
    private readonly connectionString: string,
    private readonly timeoutMs: number,
  ) {}

  async append<T>(call: (client: KurrentDBClient) => Promise<T>): Promise<T> {
    const attempt: Attempt = { expired: false, sentBy: undefined };
    try {
      return await withCallTimeout(this.sendInTurn(call, attempt), this.timeoutMs, 'append');
    } catch (error) {
      if (error instanceof CallTimeout) {
        attempt.expired = true;
        if (attempt.sentBy) this.replaceSender(attempt.sentBy);
      }
      throw error;
    }
  }

  async close(): Promise<void> {
    if (this.sender) await disposeClient(this.sender.client);
  }

  private async sendInTurn<T>(call: (client: KurrentDBClient) => Promise<T>, attempt: Attempt): Promise<T> {
    const sender = await this.acquire();
    try {
      if (attempt.expired) throw new Unavailable('append: not sent in time, because too many appends are pending');
      attempt.sentBy = sender;
      return await call(sender.client);
    } finally {
      sender.pending -= 1;
      this.startWaiting();
    }
  }

  /** Waits until a client may send another append, first come, first served. */
  private acquire(): Promise<Sender> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.startWaiting();
    });
  }

  private startWaiting(): void {
    this.sender ??= { client: createClient(this.connectionString), pending: 0 };
    while (this.sender.pending < MAX_PENDING) {
      const next = this.waiting.shift();
      if (!next) return;
      this.sender.pending += 1;
      next(this.sender);
    }
  }

  /** Replaces a client whose call timed out: the response may never come, and the call would stay pending. Waiting appends use the new client. */
  private replaceSender(broken: Sender): void {
    if (this.sender !== broken) return; // another append has replaced it already
    this.sender = undefined;
    void disposeClient(broken.client);
    this.startWaiting();
  }
}

/** One append in progress: true in `expired` if its caller has timed out, and the client that sent it. */
interface Attempt {
  expired: boolean;
  sentBy: Sender | undefined;
}
