import { until } from '../../test/e2e/until.js';
import { MemoryEventStore, MemoryLog } from '../../test/support/memory-event-store.js';
import { newUuid } from '../kernel/ids.js';
import { silentLog } from '../kernel/log.js';
import { CheckedEventStore } from './checked-event-store.js';
import {
  BEGINNING,
  type NewEvent,
  NotAppended,
  type ReadStreamOptions,
  type StoredEvent,
  Unavailable,
} from './port.js';
import type { StoreVerdict } from './store-check.js';
import { IMPORT_ENDED, IMPORT_STARTED, IMPORT_STREAM } from './store-records.js';

const RIGHT: StoreVerdict = { id: 'right', end: 0n };
const WRONG: StoreVerdict = { problem: 'another store', loss: null };

const createEvent = (type: string): NewEvent => ({ id: newUuid(), type, data: '{}', metadata: '{}' });

/** A store that fails to read the state of an import as many times as a test sets. */
class FailingStore extends MemoryEventStore {
  failures = 0;

  override async readStream(stream: string, options?: ReadStreamOptions): Promise<StoredEvent[]> {
    if (stream === IMPORT_STREAM && this.failures > 0) {
      this.failures -= 1;
      throw new Unavailable('the read timed out');
    }
    return super.readStream(stream, options);
  }
}

const setUp = () => {
  const log = new MemoryLog();
  const adapter = new FailingStore({ log });
  const check = { verdict: RIGHT as StoreVerdict, run: async () => check.verdict };
  return { log, adapter, check, store: new CheckedEventStore(adapter, check, silentLog) };
};

it('uses the right store again although the first read from it fails', async () => {
  const { log, adapter, check, store } = setUp();
  await store.start();
  check.verdict = WRONG;
  log.dropSubscribers();
  await until('the store is refused', () => store.connection.problem !== null);

  check.verdict = RIGHT;
  adapter.failures = 1;
  await until('it is used again', () => store.connection.problem === null);
  expect(adapter.failures).toBe(0);
  await store.append('a', 'noStream', [createEvent('Happened')]);
  await store.close();
});

it('accepts appends when it could not read whether an import is unfinished, and none is', async () => {
  const { adapter, store } = setUp();
  await adapter.append(IMPORT_STREAM, 'noStream', [createEvent(IMPORT_STARTED), createEvent(IMPORT_ENDED)]);
  await store.start();
  adapter.failures = 1;
  const stop = new AbortController();
  const batches = store.subscribe({ after: BEGINNING, signal: stop.signal })[Symbol.asyncIterator]();
  const next = batches.next();
  await until('the mark is received', () => adapter.failures === 0);
  stop.abort(); // before it could check again
  await next;

  expect(store.appendFailure).toBeNull();
  await store.append('a', 'noStream', [createEvent('Happened')]);
  await store.close();
});

it('delivers nothing behind the mark of an import until it has read that the import has ended', async () => {
  const { adapter, store } = setUp();
  await store.start();
  await adapter.append(IMPORT_STREAM, 'noStream', [createEvent(IMPORT_STARTED)]);
  await adapter.append('a', 'noStream', [createEvent('Happened')]);
  adapter.failures = 1;
  const stop = new AbortController();
  const batches = store.subscribe({ after: BEGINNING, signal: stop.signal })[Symbol.asyncIterator]();
  let isDelivered = false;
  const next = batches.next().finally(() => (isDelivered = true));
  await until('the import is noticed', () => store.appendFailure?.code === 'IMPORT_UNFINISHED');
  await expect(store.append('b', 'noStream', [createEvent('Happened')])).rejects.toThrow(NotAppended);
  expect(isDelivered).toBe(false);

  await adapter.append(IMPORT_STREAM, 0n, [createEvent(IMPORT_ENDED)]);
  expect((await next).value.events).toMatchObject([{ stream: 'a' }]);
  expect(store.appendFailure).toBeNull();
  stop.abort();
  await batches.return?.();
  await store.close();
});
