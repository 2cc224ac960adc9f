import type { KurrentDBClient, ReadPosition } from '@kurrent/kurrentdb-client';
import type { Batch, Position, SubscribeOptions } from '../port.js';
import { wants } from '../type-filter.js';
import { Backoff } from '../../runtime/backoff.js';
import { TimedOut } from './call-timer.js';
import type { RenewableClient } from './clients.js';
import { Feed } from './feed.js';

/** What a subscription needs from the store. */
export interface SubscriptionContext {
  readonly clients: RenewableClient;
  /** Where to start on the server so that everything after a position comes. @throws Unavailable */
  readonly startFor: (after: Position) => Promise<ReadPosition>;
  readonly timeoutMs: number;
  readonly onDrop: (error: Error) => void;
}

const DEFAULT_MAX_BATCH = 500;

/**
 * Follows the log through one feed after the other: whatever ends a feed, the next one goes on after the last position
 * that was handed out. Drops are ordinary: servers up to 24.2 drop every consumer that is slow for a moment.
 */
export async function* follow(options: SubscribeOptions, context: SubscriptionContext): AsyncGenerator<Batch> {
  const { signal, maxBatch = DEFAULT_MAX_BATCH } = options;
  const isWanted = wants(options);
  const backoff = new Backoff();
  let position = options.after;
  while (!signal.aborted) {
    let dropped: Error | undefined;
    let client: KurrentDBClient | undefined;
    try {
      const start = await unlessAborted(context.startFor(position), signal);
      if (start === undefined) return;
      client = context.clients.get();
      const feed = new Feed({ client, start, after: position, isWanted, timeoutMs: context.timeoutMs });
      const abort = (): void => feed.end();
      signal.addEventListener('abort', abort);
      try {
        for (let batch = await feed.next(maxBatch); batch && !signal.aborted; batch = await feed.next(maxBatch)) {
          position = batch.position;
          backoff.reset();
          yield batch;
        }
      } finally {
        signal.removeEventListener('abort', abort);
        feed.end();
      }
      dropped = feed.error ?? new Error('the server ended the subscription');
    } catch (error) {
      dropped = error as Error;
    }
    if (signal.aborted) return;
    if (dropped instanceof TimedOut && client) context.clients.renew(client);
    context.onDrop(dropped);
    await backoff.wait(signal);
  }
}

/** The promise's outcome, or undefined as soon as the signal is aborted. */
const unlessAborted = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    const aborted = (): void => resolve(undefined);
    signal.addEventListener('abort', aborted);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted));
  });
