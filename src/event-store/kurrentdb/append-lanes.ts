import type { KurrentDBClient } from '@kurrent/kurrentdb-client';
import { NotAppended } from '../port.js';
import { CallTimeout, withCallTimeout } from './call-timeout.js';
import { createClient, disposeClient } from './clients.js';
import { isGivenUpByServer, isRememberedByClient } from './errors.js';

/**
 * Most pending appends of one client. From the sixteenth on, the client queues them. When the connection breaks, its
 * queue rejects promises that no code can handle, which would end the process.
 */
const MAX_PENDING = 15;

/** Number of clients for appends, over one connection. More than one, so that the limit per client does not bound the throughput. */
const LANES = 4;

/** Part of the time limit that a call may wait: what is sent has the rest for its answer. */
const WAITING_PART = 0.9;

/** Most calls and bytes that wait in all lanes. Beyond it the server does not keep up, and waiting would only use memory. */
const QUEUE_BOUNDS: QueueBounds = { appends: 10_000, bytes: 64 * 1_048_576 };

/** Most repeats of an append that the server has given up, within the caller's time limit. The server takes 2 to 3 s each time. */
const MAX_REPEATS = 3;

/** Most appends and bytes that wait. */
export interface QueueBounds {
  readonly appends: number;
  readonly bytes: number;
}

/** Distributes appends over several clients. A stream always uses the same one, and no client has too many pending. */
export class AppendLanes {
  private readonly lanes: readonly Lane[];

  private readonly queue: { appends: number; bytes: number } = { appends: 0, bytes: 0 };

  constructor(connectionString: string, timeoutMs: number, bounds: QueueBounds = QUEUE_BOUNDS) {
    this.lanes = Array.from({ length: LANES }, () => new Lane(connectionString, timeoutMs, this.queue, bounds));
  }

  /**
   * Makes a call that appends to a stream. The call must be safe to repeat: it is sent again if the server gives it up.
   * @param bytes size of the call, which counts while it waits
   * @throws NotAppended the call was not sent: too many wait, or it has waited too long
   * @throws CallTimeout the call was not answered in time; other errors are the client's own
   */
  append<T>(stream: string, bytes: number, call: (client: KurrentDBClient) => Promise<T>): Promise<T> {
    let hash = 0;
    for (let i = 0; i < stream.length; i++) hash = (hash * 31 + stream.charCodeAt(i)) >>> 0;
    return (this.lanes[hash % LANES] as Lane).append(bytes, call);
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

/** A call that waits until its client may send it. */
interface Waiting {
  readonly bytes: number;
  readonly start: (sender: Sender) => void;
}

class Lane {
  private sender: Sender | undefined;
  private readonly waiting: Waiting[] = [];

  /** @param queue what waits in all lanes together */
  constructor(
    private readonly connectionString: string,
    private readonly timeoutMs: number,
    private readonly queue: { appends: number; bytes: number },
    private readonly bounds: QueueBounds,
  ) {}

  async append<T>(bytes: number, call: (client: KurrentDBClient) => Promise<T>): Promise<T> {
    const until = performance.now() + this.timeoutMs;
    const sender = await this.acquire(bytes);
    const sending = this.send(sender, call, until);
    try {
      return await withCallTimeout(sending, Math.max(1, until - performance.now()), 'append');
    } catch (error) {
      if (error instanceof CallTimeout || isRememberedByClient(error)) this.replaceSender(sender);
      throw error;
    }
  }

  async close(): Promise<void> {
    if (this.sender) await disposeClient(this.sender.client);
  }

  private async send<T>(sender: Sender, call: (client: KurrentDBClient) => Promise<T>, until: number): Promise<T> {
    try {
      for (let repeats = 0; ; repeats++) {
        try {
          return await call(sender.client);
        } catch (error) {
          if (!isGivenUpByServer(error) || repeats === MAX_REPEATS || performance.now() >= until) throw error;
        }
      }
    } finally {
      sender.pending -= 1;
      this.startWaiting();
    }
  }

  /** Waits until a client may send another append, first come, first served. @throws NotAppended */
  private acquire(bytes: number): Promise<Sender> {
    const { queue, bounds } = this;
    const waitMs = this.timeoutMs * WAITING_PART;
    return new Promise((resolve, reject) => {
      if (queue.appends >= bounds.appends || queue.bytes + bytes > bounds.bytes)
        return reject(new NotAppended('the event store does not keep up: too many appends wait'));
      const waiting: Waiting = {
        bytes,
        start: (sender) => {
          clearTimeout(expiry);
          resolve(sender);
        },
      };
      const expiry = setTimeout(() => {
        this.removeWaiting(this.waiting.indexOf(waiting));
        const seconds = waitMs / 1_000;
        reject(
          new NotAppended(`not sent to the event store within ${seconds} s, because earlier appends are not answered`),
        );
      }, waitMs);
      this.waiting.push(waiting);
      queue.appends += 1;
      queue.bytes += bytes;
      this.startWaiting();
    });
  }

  private startWaiting(): void {
    this.sender ??= { client: createClient(this.connectionString), pending: 0 };
    while (this.sender.pending < MAX_PENDING) {
      const next = this.removeWaiting(0);
      if (!next) return;
      this.sender.pending += 1;
      next.start(this.sender);
    }
  }

  private removeWaiting(index: number): Waiting | undefined {
    const [removed] = this.waiting.splice(index, 1);
    if (!removed) return undefined;
    this.queue.appends -= 1;
    this.queue.bytes -= removed.bytes;
    return removed;
  }

  /**
   * Replaces a client whose call timed out: the response may never come, and the call would stay pending; or that may fail for ever.
   * Waiting appends use the new client.
   */
  private replaceSender(broken: Sender): void {
    if (this.sender !== broken) return; // another append has replaced it already
    this.sender = undefined;
    void disposeClient(broken.client);
    this.startWaiting();
  }
}
