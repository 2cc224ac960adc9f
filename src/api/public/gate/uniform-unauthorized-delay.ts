import { setTimeout as sleep } from 'node:timers/promises';
import type { BodyWatcher } from '../../transport/body-reader.js';

/** Delay after the body was read, in ms: longer than any check, including signing 5 MB (3 ms). */
const AFTER_BODY_MS = 10;
/** How long to wait for the next chunk of the body after the head or the last chunk, in ms (D-7). */
const BODY_TIMEOUT_MS = 1_000;
/** Requests within this time, in ms, share one timer, so responses may be early by up to this time. */
const SHARED_MS = 0.5;

/**
 * A deadline for several requests. They continue in the order in which they joined, not the order in which they began
 * to wait; otherwise the response after a slower check would be sent later.
 */
class SharedDeadline {
  private joined = 0;
  private hasExpired = false;
  private readonly waiting: { readonly rank: number; readonly resume: () => void }[] = [];

  constructor(ms: number) {
    setTimeout(() => this.expire(), ms).unref();
  }

  /** Reserves a rank and returns a function that waits for the deadline. Requests that never call it take no memory. */
  join(): () => Promise<void> {
    const rank = this.joined++;
    return () =>
      this.hasExpired ? Promise.resolve() : new Promise((resume) => void this.waiting.push({ rank, resume }));
  }

  private expire(): void {
    this.hasExpired = true;
    this.waiting.sort((a, b) => a.rank - b.rank);
    for (const { resume } of this.waiting.splice(0)) resume();
  }
}

/** Returns a function that joins a deadline `ms` from now, shared with other recent calls. */
const createDeadlines = (ms: number): (() => () => Promise<void>) => {
  let createdAt = -Infinity;
  let deadline: SharedDeadline;
  return () => {
    const now = performance.now();
    if (now - createdAt > SHARED_MS) {
      createdAt = now;
      deadline = new SharedDeadline(ms);
    }
    return deadline.join();
  };
};

const joinAfterBody = createDeadlines(AFTER_BODY_MS);
const joinBodyTimeout = createDeadlines(BODY_TIMEOUT_MS);

/**
 * Delays a request's 401, if there is one, until a fixed time after its body was read or after a second passed without
 * a new chunk (D-7). The duration of the checks varies with the cause by microseconds, which is enough to tell the
 * causes apart (bench -- unauthorized-timing). The deadline is therefore set before any check, when head and body have
 * arrived.
 */
export class UniformUnauthorizedDelay implements BodyWatcher {
  private readonly waitForFirstSecond = joinBodyTimeout();
  private lastChunkAt = -Infinity;
  private bodyTimeout: Promise<null> | undefined;
  private waitAfterBody: (() => Promise<void>) | undefined;

  onBodyChunk(): void {
    this.lastChunkAt = performance.now();
  }

  onBodyEnd(): void {
    this.waitAfterBody ??= joinAfterBody();
  }

  /** Waits for the body; returns null if no chunk of it arrives for a second: its signature is then not checked. */
  async waitForBody<Body>(body: Promise<Body>): Promise<Body | null> {
    return Promise.race([body, (this.bodyTimeout ??= this.waitForBodyTimeout())]);
  }

  /** Waits until the 401 is due. @param body settles after {@link onBodyEnd} */
  async elapse(body: Promise<unknown>): Promise<void> {
    if (!this.waitAfterBody) await this.waitForBody(body);
    await this.waitAfterBody?.();
  }

  private async waitForBodyTimeout(): Promise<null> {
    await this.waitForFirstSecond();
    const left = () => this.lastChunkAt + BODY_TIMEOUT_MS - performance.now();
    for (let ms = left(); ms > 0 && !this.waitAfterBody; ms = left()) await sleep(ms, undefined, { ref: false });
    this.waitAfterBody ??= joinAfterBody(); // as if the body had been read: no later check may change the deadline
    return null;
  }
}
