import { MemoryEventStore, MemoryLog } from '../../../../test/support/memory-event-store.js';
import { LogRequests } from '../../../commands/request-log.js';
import { catalogue } from '../../../domain/catalogue.js';
import {
  type LoggedRequest,
  requestLogStream,
  type RequestsLogged,
  RETAINED_EVENTS,
} from '../../../domain/request-log/request-log.events.js';
import { AggregateStore } from '../../../event-store/aggregate-store.js';
import { EventCodec } from '../../../event-store/codec.js';
import { systemClock } from '../../../kernel/clock.js';
import { silentLog } from '../../../kernel/log.js';
import { RequestRecorder } from './request-recorder.js';

const codec = new EventCodec(catalogue);
const entry = (n: number): LoggedRequest => ({
  request_id: `req_${n}`,
  at: n,
  ip: '192.0.2.7',
  user_agent: null,
  route: 'POST /v1/webhooks/{slug}',
  decision: 'rejected_auth',
  reason: 'bad_token',
  http_status: 401,
  latency_ms: 1,
  payload_bytes: 0,
  trace_id: null,
  post_id: null,
  why: null,
});

/** Called when a recorder logs that it waits for the event store. */
let afterWait: (value?: unknown) => void = () => undefined;

/** Creates a process with a recorder. Several processes may share a log. */
const startProcess = (log: MemoryLog) => {
  const store = new MemoryEventStore({ log });
  const logRequests = new LogRequests(new AggregateStore(store, codec), systemClock);
  const writes: (readonly LoggedRequest[])[] = [];
  const execute = (endpointId: string, requests: readonly LoggedRequest[]): Promise<void> => {
    writes.push(requests);
    return logRequests.execute(endpointId, requests);
  };
  const counted = { execute } as unknown as LogRequests;
  return { store, writes, recorder: new RequestRecorder(counted, { ...silentLog, debug: () => afterWait() }) };
};

const readWritten = (log: MemoryLog, endpointId: string): string[][] =>
  (log.streams.get(requestLogStream(endpointId)) ?? []).map((event) =>
    codec.decode<RequestsLogged>(event).data.requests!.map(({ request_id }) => request_id),
  );

const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);
const ids = (from: number, to: number): string[] => numbers(from, to).map((n) => `req_${n}`);

describe('the request recorder (D-33)', () => {
  it('batches entries into one event, in their order, and sets how many events its log keeps', async () => {
    const log = new MemoryLog();
    const { recorder } = startProcess(log);
    for (const n of numbers(0, 30)) recorder.record('ep_1', entry(n));
    recorder.record('ep_2', entry(30));
    await recorder.onApplicationShutdown();
    expect([readWritten(log, 'ep_1'), readWritten(log, 'ep_2')]).toEqual([[ids(0, 30)], [['req_30']]]);
    expect(log.retention.get(requestLogStream('ep_1'))).toBe(RETAINED_EVENTS);
  });

  it('drops the oldest entries beyond a hundred, which no reader would see', async () => {
    const log = new MemoryLog();
    const { recorder } = startProcess(log);
    for (const n of numbers(0, 250)) recorder.record('ep_1', entry(n));
    await recorder.onApplicationShutdown();
    expect(readWritten(log, 'ep_1')).toEqual([ids(150, 250)]);
  });

  it('drops the request that arrived first, not the one that was answered first', async () => {
    const log = new MemoryLog();
    const { recorder } = startProcess(log);
    for (const n of numbers(1, 100)) recorder.record('ep_1', entry(n));
    recorder.record('ep_1', { ...entry(100), at: 0 });
    for (const n of numbers(101, 103)) recorder.record('ep_1', entry(n));
    await recorder.onApplicationShutdown();
    expect(readWritten(log, 'ep_1')).toEqual([[...ids(2, 100), ...ids(101, 103)]]);
  });

  it('writes an endpoint’s log at intervals, however many requests arrive', async () => {
    const log = new MemoryLog();
    const { recorder } = startProcess(log);
    const startedAt = performance.now();
    for (const n of numbers(0, 500)) {
      recorder.record('ep_1', entry(n));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    // The first write, one every 200 ms, and the last one at shutdown. Timers may fire a little early.
    const writes = 2 + (performance.now() - startedAt) / 190;
    await recorder.onApplicationShutdown();
    expect(readWritten(log, 'ep_1').flat().slice(-50)).toEqual(ids(450, 500));
    expect(readWritten(log, 'ep_1').length).toBeLessThanOrEqual(writes);
  });

  it('writes the logs of many endpoints together, so that their number costs no more commits', async () => {
    const log = new MemoryLog();
    const { recorder, writes } = startProcess(log);
    const startedAt = performance.now();
    const moments = new Set<number>();
    for (const n of numbers(0, 800)) {
      recorder.record(`ep_${n % 40}`, entry(n));
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (writes.splice(0).length > 0) moments.add(n);
    }
    const rounds = 12 + (performance.now() - startedAt) / 200;
    await recorder.onApplicationShutdown();
    // The writes of a round may extend over a few turns of the event loop.
    expect(moments.size).toBeLessThan(3 * rounds);
    expect(numbers(0, 40).flatMap((n) => readWritten(log, `ep_${n}`).flat())).toHaveLength(800);
  });

  it('flushes pending entries, and waits for a write that is running', async () => {
    const log = new MemoryLog();
    const { recorder } = startProcess(log);
    for (const n of numbers(0, 5)) {
      recorder.record('ep_1', entry(n));
      await Promise.all([recorder.flush('ep_1'), recorder.flush('ep_1')]);
      expect(readWritten(log, 'ep_1').flat()).toEqual(ids(0, n + 1));
    }
    await recorder.flush('ep_2');
    await recorder.onApplicationShutdown();
    expect(readWritten(log, 'ep_1')).toHaveLength(5);
  });

  it('bounds the entries in memory over all endpoints', async () => {
    const log = new MemoryLog();
    const { recorder } = startProcess(log);
    for (const n of numbers(0, 30_000)) recorder.record(`ep_${Math.floor(n / 100)}`, entry(n));
    await recorder.onApplicationShutdown();
    const written = numbers(0, 300).flatMap((n) => readWritten(log, `ep_${n}`).flat());
    expect(written).toHaveLength(20_000);
    expect(readWritten(log, 'ep_199')).toEqual([ids(19_900, 20_000)]);
    expect(readWritten(log, 'ep_200')).toEqual([]);
  });

  it('appends to one hash chain from several processes', async () => {
    const log = new MemoryLog();
    const processes = [startProcess(log), startProcess(log), startProcess(log)];
    for (let round = 0; round < 3; round++) {
      processes.forEach(({ recorder }, i) => recorder.record('ep_1', entry(round * 3 + i)));
      await Promise.all(processes.map(({ recorder }) => recorder.onApplicationShutdown()));
    }
    const events = log.streams.get(requestLogStream('ep_1'))!;
    const hashes = ['', ...events.map((event) => codec.readEnvelope(event).hash)];
    expect(events.map((event, i) => codec.verifyHash(event, hashes[i]!))).toEqual(Array(9).fill(true));
    expect(readWritten(log, 'ep_1').flat().sort()).toEqual(ids(0, 9));
  });

  it('keeps entries while the store is unavailable', async () => {
    const log = new MemoryLog();
    const { recorder } = startProcess(log);
    log.faults.isUnavailable = true;
    recorder.record('ep_1', entry(0));
    await new Promise((resolve) => (afterWait = resolve));
    recorder.record('ep_1', entry(1));
    log.faults.isUnavailable = false;
    while (readWritten(log, 'ep_1').length === 0) await new Promise(setImmediate);
    expect(readWritten(log, 'ep_1')).toEqual([ids(0, 2)]);
  });

  it('drops entries if it has to stop while the store is unavailable', async () => {
    const log = new MemoryLog();
    const { recorder } = startProcess(log);
    log.faults.isUnavailable = true;
    for (const n of numbers(0, 100)) recorder.record(`ep_${n}`, entry(n));
    await recorder.onApplicationShutdown();
    expect(log.events).toEqual([]);
  });
});
