// More than 20 s: workers die holding leases of an hour, and others take over their channels under load.
import { freePort } from '../support/free-port.js';
import { expectNothingLost } from './audit.js';
import { createManagementClient, e2eTest } from './e2e-harness.js';
import { sendPost, startSharedServers, waitForPost } from './gateway-processes.js';
import { startLoad } from './load.js';
import { ManagementClient } from './management-client.js';
import { Random } from './random.js';
import { until } from './until.js';

const LONG = Boolean(process.env.TEST_LONG);
const random = new Random();
const ENDPOINTS = [[0], [1, 2], [2, 3], [0, 1, 2, 3, 4]];

e2eTest('an API process accepts posts alone, and a separate worker process publishes them', async (harness) => {
  const { telegram, start } = await startSharedServers(harness);
  const [worker, api] = await Promise.all([start('worker'), start('api')]);
  const { endpoints, channels } = await createManagementClient(api).seed(1, [[0]]);
  const first = await sendPost(api.url, endpoints[0]!, 'with a worker');
  await waitForPost(telegram, channels[0]!.chatId, 'with a worker');
  expect((await fetch(`${worker.url}${endpoints[0]!.path}`, { method: 'POST' })).status).toBe(404);
  await worker.program.terminate();
  const second = await sendPost(api.url, endpoints[0]!, 'without a worker');
  await start('worker');
  await expectNothingLost(createManagementClient(api), telegram, [first, second], channels);
});

e2eTest(
  `another worker replaces a killed one at once, not after LEASE_SECONDS (seed ${random.seed})`,
  async (harness) => {
    const { telegram, start } = await startSharedServers(harness, { LEASE_SECONDS: '3600' });
    const [api, ...workers] = await Promise.all([start('api'), start('worker'), start('worker')]);
    const manage = createManagementClient(api);
    const { endpoints, channels } = await manage.seed(5, ENDPOINTS);
    await telegram.control.setDelay(10);
    const load = startLoad({ endpoints, random, urls: () => [api.url], posts: 80 });
    await load.during(until('half of the posts are sent', () => load.sent.length >= 40));
    await workers[0].program.kill();
    await load.done;
    // Leases last an hour, so the posts are published only if the takeover is immediate.
    const { inDoubt } = await expectNothingLost(manage, telegram, load.sent, channels);
    expect(inDoubt).toBeLessThanOrEqual(channels.length);
  },
);

e2eTest(
  `a rolling restart under load loses nothing and leaves nothing in doubt (seed ${random.seed})`,
  async (harness) => {
    const { telegram, start } = await startSharedServers(harness, { LEASE_SECONDS: '3600' });
    const ports = [String(await freePort()), String(await freePort())];
    const running = [
      { ROLES: 'api', PORT: ports[0]! },
      { ROLES: 'api', PORT: ports[1]! },
      { ROLES: 'worker', PORT: '0' },
      { ROLES: 'worker', PORT: '0' },
    ];
    const gateways = await Promise.all(running.map(({ ROLES, ...own }) => start(ROLES, own)));
    const urls = gateways.slice(0, 2).map(({ url }) => url);
    const manage = new ManagementClient(() => urls[0]!);
    const { endpoints, channels } = await manage.seed(5, ENDPOINTS);
    await telegram.control.setDelay(20);
    let restarting = true;
    const load = startLoad({ endpoints, random, urls: () => urls, posts: () => restarting, longestPauseMs: 600 });
    for (let round = 0; round < (LONG ? 8 : 1); round++) {
      for (const [i, { ROLES, ...own }] of running.entries()) {
        expect(await load.during(gateways[i]!.program.terminate())).toEqual({ code: 0, signal: null });
        gateways[i] = await start(ROLES, own);
      }
    }
    restarting = false;
    await load.done;
    const { inDoubt } = await expectNothingLost(manage, telegram, load.sent, channels);
    expect(inDoubt).toBe(0);
  },
  LONG ? 600_000 : undefined,
);
