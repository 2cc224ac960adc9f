// More than 20 s: workers stay frozen until their leases have expired, and one network answers only after 20 s.
import { setTimeout as sleep } from 'node:timers/promises';
import { BEGINNING } from '../../src/event-store/port.js';
import { expectNothingLost } from './audit.js';
import { createManagementClient, type E2eHarness, e2eTest } from './e2e-harness.js';
import { readState, sendPost, startSharedServers, waitForPost, waitForSend } from './gateway-processes.js';
import { startLoad } from './load.js';
import { Random } from './random.js';
import { until } from './until.js';

const LONG = Boolean(process.env.TEST_LONG);
const random = new Random();
const ENDPOINTS = [[0], [1, 2], [2, 3], [0, 1, 2, 3, 4]];

describe('a worker that is frozen during a publication until its lease has expired', () => {
  /** Freezes the first worker during calls on both channels, then starts a second one. */
  const freezeWorker = async (harness: E2eHarness) => {
    const { telegram, start } = await startSharedServers(harness, { LEASE_SECONDS: '5' });
    const [api, one] = await Promise.all([start('api'), start('worker')]);
    const manage = createManagementClient(api);
    const { endpoints, channels } = await manage.seed(2, [[0], [1]]);
    const [slow, silent] = channels.map(({ chatId }) => chatId) as [string, string];
    await telegram.control.addFault({ mode: 'delay', method: 'sendMessage', channel: slow, delay_ms: 20_000 });
    await telegram.control.addFault({ mode: 'accept_then_hang', method: 'sendMessage', channel: silent });
    const held = [
      await sendPost(api.url, endpoints[0]!, 'slow'),
      await sendPost(api.url, endpoints[1]!, 'silent'),
    ] as const;
    await waitForSend(telegram, slow);
    await waitForSend(telegram, silent);
    one.program.freeze();
    const two = await start('worker');
    const next = [
      await sendPost(api.url, endpoints[0]!, 'next'),
      await sendPost(api.url, endpoints[1]!, 'next'),
    ] as const;
    return { telegram, api, one, two, manage, endpoints, held, next, slow, silent };
  };

  e2eTest('is replaced on its channels, and sends nothing twice when it continues', async (harness) => {
    const { telegram, api, one, two, manage, endpoints, held, next, slow, silent } = await freezeWorker(harness);
    const [heldSlow, heldSilent] = held;
    await waitForPost(telegram, slow, 'next');
    await waitForPost(telegram, silent, 'next');
    // The read model also shows the next posts, although its former writer is frozen as well.
    for (const sent of held) await until('it is in doubt', async () => (await readState(manage, sent)) === 'in_doubt');

    one.program.thaw();
    // A late answer resolves the state in doubt; without one the post stays in doubt.
    await until('the late answer counts', async () => (await readState(manage, heldSlow)) === 'published');
    const late = await Promise.all(endpoints.map((endpoint) => sendPost(api.url, endpoint, 'afterwards')));
    await waitForPost(telegram, slow, 'afterwards');
    await waitForPost(telegram, silent, 'afterwards');
    const texts = async (chatId: string) =>
      (await telegram.control.readLedger({ channel: chatId })).map(({ text }) => text);
    expect((await texts(slow)).sort()).toEqual(['afterwards', 'next', 'slow']);
    expect(await texts(silent)).toEqual(['silent', 'next', 'afterwards']);
    expect(await readState(manage, heldSilent)).toBe('in_doubt');
    for (const sent of [...next, ...late])
      await until(`${sent.key} is published`, async () => (await readState(manage, sent)) === 'published');

    // The thawed worker still publishes.
    await two.program.kill();
    const last = await sendPost(api.url, endpoints[0]!, 'last');
    await until('the thawed worker publishes', async () => (await readState(manage, last)) === 'published');
  });
});

const FREEZES = LONG ? 15 : 1;
e2eTest(
  `workers that are frozen at ${FREEZES} random moments lose nothing and send nothing twice (seed ${random.seed})`,
  async (harness) => {
    // Leases are long, because a worker that a busy machine stalls past its leases also leaves posts in doubt.
    const { telegram, start, database } = await startSharedServers(harness, { LEASE_SECONDS: '10' });
    const [api, ...workers] = await Promise.all([start('api'), start('worker'), start('worker')]);
    const manage = createManagementClient(api);
    const { endpoints, channels } = await manage.seed(5, ENDPOINTS);
    await telegram.control.setDelay(15);
    let isFreezing = true;
    const urls = () => [api.url];
    const load = startLoad({ endpoints, random, urls, posts: () => isFreezing, longestPauseMs: 1_000 });
    for (let n = 0; n < FREEZES; n++) {
      const { program } = workers[random.below(2)]!;
      await load.during(sleep(500 + random.below(500)));
      program.freeze();
      await load.during(sleep(10_200 + random.below(1_500))); // longer than a lease
      program.thaw();
    }
    isFreezing = false;
    await load.done;
    let countInDoubt = 0;
    const findInDoubt = async () => {
      const store = await harness.openEventStore(database);
      const found = await store.readAll({ after: BEGINNING, types: ['PublicationInDoubt'], limit: 100_000 });
      countInDoubt = found.length;
      return new Set(found.map(({ stream }) => stream.replace(/^publication-/, '')));
    };
    await expectNothingLost(manage, telegram, load.sent, channels, { findInDoubt });
    expect(countInDoubt).toBeLessThanOrEqual(FREEZES * channels.length);
  },
  LONG ? 600_000 : undefined,
);
