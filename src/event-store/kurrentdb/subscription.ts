import type { KurrentDBClient, ReadPosition } from '@kurrent/kurrentdb-client';
import type { Batch, Position, SubscribeOptions } from '../port.js';
import { createTypeMatcher } from '../type-filter.js';
import { Backoff } from '../../runtime/backoff.js';
import { CallTimeout } from './call-timeout.js';
import type { RenewableClient } from './clients.js';
import { toPortError } from './errors.js';
import { Feed } from './feed.js';

/** Dependencies of a subscription. */
export interface SubscriptionContext {
  readonly clients: RenewableClient;
  /** Returns the server position at which to start to receive everything after a position. @throws Unavailable */
  readonly findStart: (after: Position) => Promise<ReadPosition>;
  readonly timeoutMs: number;
  readonly onDrop: (error: Error) => void;
}

const DEFAULT_MAX_BATCH = 500;

/**
 * Follows the log through a sequence of feeds. Whatever ends a feed, the next one continues after the last position that
 * was read. Drops are normal: servers up to 24.2 drop every consumer that is slow for a moment.
 */
export async function* followLog(options: SubscribeOptions, context: SubscriptionContext): AsyncGenerator<Batch> {
  const { signal, maxBatch = DEFAULT_MAX_BATCH } = options;
  const isWanted = createTypeMatcher(options);
  const backoff = new Backoff();
  let position = options.after;
  while (!signal.aborted) {
    let dropped: Error | undefined;
    let client: KurrentDBClient | undefined;
    try {
      const start = await unlessAborted(context.findStart(position), signal);
      if (start === undefined) return;
      client = context.clients.getClient();
      const feed = new Feed({ client, start, after: position, isWanted, timeoutMs: context.timeoutMs });
      const abort = (): void => feed.end();
      signal.addEventListener('abort', abort);
      try {
        for (
          let batch = await feed.readBatch(maxBatch);
          batch && !signal.aborted;
          batch = await feed.readBatch(maxBatch)
        ) {
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
    if (dropped instanceof CallTimeout && client) context.clients.replaceClient(client);
    context.onDrop(toPortError(dropped, 'subscribe') as Error);
    await backoff.wait(signal);
  }
}

/** Returns the promise's outcome, or undefined as soon as the signal is aborted. */
const unlessAborted = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    const aborted = (): void => resolve(undefined);
    signal.addEventListener('abort', aborted);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted));
  });
