import type { CommandBus } from '@nestjs/cqrs';
import { type LogRequests, LogRequestsHandler } from '../../../commands/request-log/log-requests.js';
import { catalogue } from '../../../domain/catalogue.js';
import {
  type AnsweredRequest,
  type RequestsLogged,
  requestLogStream,
} from '../../../domain/request-log/request-log.events.js';
import { EventCodec } from '../../../event-store/codec.js';
import { MemoryEventStore, MemoryLog } from '../../../event-store/memory/memory-event-store.js';
import { Streams } from '../../../event-store/aggregate-store.js';
import { systemClock } from '../../../kernel/clock.js';
import { silentLog } from '../../../kernel/log.js';
import { RequestRecorder } from './request-recorder.js';

const codec = new EventCodec(catalogue);
const line = (n: number): AnsweredRequest => ({
  ...{ request_id: `req_${n}`, at: n, ip: '192.0.2.7', user_agent: null, route: 'POST /v1/webhooks/{slug}' },
  ...{ decision: 'rejected_auth', reason: 'bad_token', http_status: 401, latency_ms: 1, payload_bytes: 0 },
  ...{ trace_id: null, post_id: null, why: null },
});

/** What happens when a recorder complains. */
let afterWarning: (value?: unknown) => void = () => undefined;

/** A process with a recorder, over a log that others may share. */
const processOver = (log: MemoryLog) => {
  const store = new MemoryEventStore({ log });
  const handler = new LogRequestsHandler(new Streams(store, codec), systemClock);
  const bus = { execute: (command: LogRequests) => handler.execute(command) } as unknown as CommandBus;
  return { store, recorder: new RequestRecorder(bus, { ...silentLog, warn: () => afterWarning() }) };
};

const written = (log: MemoryLog, endpointId: string): string[][] =>
  (log.streams.get(requestLogStream(endpointId)) ?? []).map((event) =>
    codec.decode<RequestsLogged>(event).data.requests.map(({ request_id }) => request_id),
  );

const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);
const ids = (from: number, to: number): string[] => numbers(from, to).map((n) => `req_${n}`);

describe('the request recorder (D-33)', () => {
  it('gathers lines into one event, in their order, and keeps a hundred events of a log', async () => {
    const log = new MemoryLog();
    const { recorder } = processOver(log);
    for (const n of numbers(0, 30)) recorder.record('ep_1', line(n));
    recorder.record('ep_2', line(30));
    await recorder.onApplicationShutdown();
    expect([written(log, 'ep_1'), written(log, 'ep_2')]).toEqual([[ids(0, 30)], [['req_30']]]);
    expect(log.retention.get(requestLogStream('ep_1'))).toBe(100);
  });

  it('drops the oldest beyond a hundred, which nobody would see anyway', async () => {
    const log = new MemoryLog();
    const { recorder } = processOver(log);
    for (const n of numbers(0, 250)) recorder.record('ep_1', line(n));
    await recorder.onApplicationShutdown();
    expect(written(log, 'ep_1')).toEqual([ids(150, 250)]);
  });

  it('writes an endpoint’s log once in a while, however much comes', async () => {
    const log = new MemoryLog();
    const { recorder } = processOver(log);
    for (const n of numbers(0, 500)) {
      recorder.record('ep_1', line(n));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await recorder.onApplicationShutdown();
    expect(written(log, 'ep_1').flat().slice(-50)).toEqual(ids(450, 500));
    expect(written(log, 'ep_1').length).toBeLessThan(50);
  });

  it('writes at once for who wants to read, also what is being written already', async () => {
    const log = new MemoryLog();
    const { recorder } = processOver(log);
    for (const n of numbers(0, 5)) {
      recorder.record('ep_1', line(n));
      await Promise.all([recorder.flush('ep_1'), recorder.flush('ep_1')]);
      expect(written(log, 'ep_1').flat()).toEqual(ids(0, n + 1));
    }
    await recorder.flush('ep_2');
    await recorder.onApplicationShutdown();
    expect(written(log, 'ep_1')).toHaveLength(5);
  });

  it('bounds what it keeps in memory over all endpoints', async () => {
    const log = new MemoryLog();
    const { recorder } = processOver(log);
    for (const n of numbers(0, 30_000)) recorder.record(`ep_${n}`, line(n));
    await recorder.onApplicationShutdown();
    expect(log.events).toHaveLength(20_000);
    expect(written(log, 'ep_19999')).toEqual([['req_19999']]);
  });

  it('of several processes writes one chain', async () => {
    const log = new MemoryLog();
    const processes = [processOver(log), processOver(log), processOver(log)];
    for (let round = 0; round < 3; round++) {
      processes.forEach(({ recorder }, i) => recorder.record('ep_1', line(round * 3 + i)));
      await Promise.all(processes.map(({ recorder }) => recorder.onApplicationShutdown()));
    }
    const events = log.streams.get(requestLogStream('ep_1'))!;
    const hashes = ['', ...events.map((event) => codec.envelope(event).hash)];
    expect(events.map((event, i) => codec.verify(event, hashes[i]!))).toEqual(Array(9).fill(true));
    expect(written(log, 'ep_1').flat().sort()).toEqual(ids(0, 9));
  });

  it('keeps lines while the store is away', async () => {
    const log = new MemoryLog();
    const { recorder } = processOver(log);
    log.faults.unavailable = true;
    recorder.record('ep_1', line(0));
    const warned = new Promise((resolve) => (afterWarning = resolve));
    await warned;
    recorder.record('ep_1', line(1));
    log.faults.unavailable = false;
    while (written(log, 'ep_1').length === 0) await new Promise(setImmediate);
    expect(written(log, 'ep_1')).toEqual([ids(0, 2)]);
  });

  it('gives them up when it has to stop and the store is away', async () => {
    const log = new MemoryLog();
    const { recorder } = processOver(log);
    log.faults.unavailable = true;
    for (const n of numbers(0, 100)) recorder.record(`ep_${n}`, line(n));
    await recorder.onApplicationShutdown();
    expect(log.events).toEqual([]);
  });
});
