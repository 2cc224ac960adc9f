import { Backoff } from '../../runtime/backoff.js';
import type { Batch, SubscribeOptions } from '../port.js';
import { isWrongPosition, toPortError, WrongPosition } from './errors.js';
import type { LogFeeds } from './log-feeds.js';

/**
 * Follows the log through a sequence of feeds. Whatever ends a feed, the next feed continues after the last position
 * that was read. Drops are normal: servers up to 24.2 drop any consumer that is briefly slow.
 * @throws WrongPosition if the log has no event at the position from which it continues
 */
export async function* followLog(options: SubscribeOptions, feeds: LogFeeds): AsyncGenerator<Batch> {
  const { signal, maxBatch = 500, types, except } = options;
  const filter = { ...(types && { types }), ...(except && { except }) };
  const backoff = new Backoff();
  let position = options.after;
  while (!signal.aborted) {
    const reader = feeds.join(position, filter);
    const leave = (): void => reader.leave();
    signal.addEventListener('abort', leave);
    try {
      for (let batch = await reader.readBatch(maxBatch); batch; batch = await reader.readBatch(maxBatch)) {
        if (signal.aborted) return;
        position = batch.position;
        backoff.reset();
        yield batch;
        if (feeds.isOvertaken(reader, filter)) break;
      }
    } finally {
      signal.removeEventListener('abort', leave);
      reader.leave();
    }
    const { error } = reader.feed;
    if (signal.aborted) return;
    if (!error) continue; // another feed serves the reader
    if (isWrongPosition(error)) throw new WrongPosition(position, { cause: error });
    options.onDrop?.(toPortError(error, 'subscribe') as Error);
    await backoff.wait(signal);
  }
}
