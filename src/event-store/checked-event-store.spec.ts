import { until } from '../../test/e2e/until.js';
import { newUuid } from '../kernel/ids.js';
import { silentLog } from '../kernel/log.js';
import { CheckedEventStore } from './checked-event-store.js';
import { IMPORT_STREAM } from './import-marks.js';
import { MemoryEventStore, MemoryLog } from './memory/memory-event-store.js';
import { type NewEvent, type ReadStreamOptions, type StoredEvent, Unavailable } from './port.js';
import type { StoreVerdict } from './store-check.js';

const RIGHT: StoreVerdict = { id: 'right', end: 0n };
const WRONG: StoreVerdict = { problem: 'another store', mayPass: false };

const createEvent = (type: string): NewEvent => ({ id: newUuid(), type, data: '{}', metadata: '{}' });

/** A store that fails to read whether an import is unfinished, as often as a test says. */
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
  await until('it is used again', () => store.connection.problem === null, 10_000);
  expect(adapter.failures).toBe(0);
  await store.append('a', 'noStream', [createEvent('Happened')]);
  await store.close();
});
