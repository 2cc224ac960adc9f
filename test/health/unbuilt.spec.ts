import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStore } from '../../src/event-store/port.js';
import { TestGateway } from '../api/public/gateway.js';
import { until } from '../e2e/until.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start();
});
afterAll(() => gateway.stop());

/**
 * Sets whether `discovery` has reached the end of the log, which it has not after a reset. Nothing is appended
 * meanwhile.
 */
const setLevel = (isLevel: boolean): Promise<unknown> =>
  gateway.pool.query(`update ops_checkpoint set level = $1 where name = 'discovery'`, [isLevel]);

/** Time after which every subscription delivers its first batch, in ms. */
const DELAY_MS = 1_500;
const delaySubscriptions = (store: EventStore): EventStore => {
  const subscribe = store.subscribe.bind(store);
  store.subscribe = async function* (options) {
    await sleep(DELAY_MS);
    yield* subscribe(options);
  };
  return store;
};

describe('while `discovery` is being built', () => {
  it('the process is not ready, and an unknown endpoint is no reason for a 401: it may be one that is not read yet', async () => {
    const readiness = () => fetch(`${gateway.url}/readyz`);
    const publish = () =>
      gateway.call('POST', `/v1/webhooks/${'a'.repeat(24)}`, {
        body: '{}',
        headers: { authorization: 'Bearer of-an-endpoint' },
      });
    const validate = () =>
      gateway.call('POST', '/v1/sandbox/test', { body: '{}', headers: { authorization: 'Bearer of-an-endpoint' } });
    await setLevel(false);
    // A report is cached for a second, and a report from before the read model existed is a 503 as well.
    await until('it says what it waits for', async () => {
      const report = await readiness();
      const { checks } = (await report.json()) as { checks: Record<string, string> };
      return report.status === 503 && /^being built/.test(checks.discovery ?? '');
    });
    for (const request of [publish, validate])
      expect(await request()).toMatchObject({ status: 503, body: { code: 'unavailable' } });

    await setLevel(true);
    await until('it is ready', async () => (await readiness()).status === 200);
    for (const request of [publish, validate])
      expect(await request()).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
  });
});

describe('a process that has started', () => {
  it('has built `discovery`, so that its first answer to an unknown endpoint is 401', async () => {
    const slow = await TestGateway.start({}, undefined, { wrapEventStore: delaySubscriptions });
    try {
      expect(await slow.call('POST', '/v1/webhooks/any', { body: '{}' })).toMatchObject({ status: 401 });
    } finally {
      await slow.stop();
    }
  });
});
