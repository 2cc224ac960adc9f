import type { ServerResponse } from 'node:http';
import type { GuardedClient } from '../../src/outbound-http/guarded-client.js';
import { RequestSlots, TrafficMeter } from '../../src/outbound-http/request-slots.js';
import { until } from '../e2e/until.js';
import { clientWith, failure, host, LIMITS } from '../media/harness.js';

/** A host whose answers wait until they are let go. */
const createHost = async () => {
  const there = await host();
  const open: ServerResponse[] = [];
  const url = there.on('/', (_, response) => void open.push(response));
  return { url, there, open, answerOne: () => open.shift()!.end('done') };
};
const fetchAll = (client: GuardedClient, url: string, count: number): Promise<unknown>[] =>
  Array.from({ length: count }, () => client.request(url, LIMITS));

describe('slots for requests (D-51)', () => {
  it('bound the requests to one host, over several clients; another host is not affected', async () => {
    const slots = new RequestSlots({ perHost: 3, inAll: 100 });
    const [one, other] = [await createHost(), await host({ address: '127.0.0.2' })];
    const running = [...fetchAll(clientWith({ slots }), one.url, 4), ...fetchAll(clientWith({ slots }), one.url, 4)];
    await clientWith({ slots }).request(other.serve('/', Buffer.from('x')), LIMITS);
    await until('three requests run', async () => one.open.length === 3);
    expect(one.there.requests).toHaveLength(3);
    for (let done = 1; done <= 8; done++) {
      one.answerOne();
      await until('the next one runs', async () => one.there.requests.length === Math.min(8, 3 + done));
    }
    await Promise.all(running);
  });

  it('bound the requests to all hosts together', async () => {
    const slots = new RequestSlots({ perHost: 3, inAll: 4 });
    const hosts = [await createHost(), await createHost()];
    const names = ['one.example', 'two.example'];
    const client = clientWith({ slots, resolve: async () => ['127.0.0.1'] });
    const running = hosts.flatMap(({ there }, i) => fetchAll(client, there.as(names[i]!, '/'), 3));
    const count = (): number => hosts.reduce((sum, { there }) => sum + there.requests.length, 0);
    await until('four requests run', async () => count() === 4);
    for (let done = 1; done <= 6; done++) {
      hosts.find(({ open }) => open.length > 0)!.answerOne();
      await until('the next one runs', async () => count() === Math.min(6, 4 + done));
    }
    await Promise.all(running);
  });

  it('are released by failures, closed answers and aborted waits', async () => {
    const slots = new RequestSlots({ perHost: 1, inAll: 1 });
    const client = clientWith({ slots });
    const there = await host();
    const hanging = there.on('/hanging', () => undefined);
    const fine = there.serve('/fine', Buffer.from('fine'));
    const redirect = there.on('/moved', (_, response) => response.writeHead(302, { location: '/' }).end());
    expect((await failure(client.request(redirect, LIMITS))).code).toBe('redirect');
    (await client.open(fine, LIMITS)).close();
    const stop = new AbortController();
    const first = failure(client.request(hanging, { ...LIMITS, signal: stop.signal }));
    const waiting = failure(client.request(fine, { ...LIMITS, timeoutMs: 50 }));
    expect((await waiting).code).toBe('timeout');
    stop.abort();
    expect((await first).code).toBe('aborted');
    expect((await client.request(fine, LIMITS)).body.toString()).toBe('fine');
  });

  it('count what is fetched under a meter, not what waits', async () => {
    const slots = new RequestSlots({ perHost: 1, inAll: 1 });
    const client = clientWith({ slots });
    const there = await host();
    const url = there.serve('/', Buffer.alloc(1_000));
    const meter = new TrafficMeter();
    await client.request(url, { ...LIMITS, meter });
    const open = await client.open(url, LIMITS);
    await failure(client.request(url, { ...LIMITS, timeoutMs: 50, meter }));
    open.close();
    expect([meter.requests, meter.bytes]).toEqual([1, 1_000]);
  });
});
