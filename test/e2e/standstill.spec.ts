import { setTimeout as sleep } from 'node:timers/promises';
import { query } from '../postgres/spawn-embedded.js';
import { expectNothingLost } from './audit.js';
import { called, crew, onWall, send, stateOf } from './gateway-processes.js';
import { startLoad } from './load.js';
import { Random } from './random.js';
import { manageOf, scene, type Stage } from './e2e-harness.js';
import { until } from './until.js';

const LONG = Boolean(process.env.TEST_LONG);
const random = new Random();
const ENDPOINTS = [[0], [1, 2], [2, 3], [0, 1, 2, 3, 4]];

describe('a worker that is stopped in the middle of a publication, past its lease', () => {
  /** Worker one is frozen with calls under way on both channels; worker two has taken over. */
  const frozen = async (stage: Stage) => {
    const { telegram, start } = await crew(stage, { LEASE_SECONDS: '2' });
    const [api, one] = await Promise.all([start('api'), start('worker')]);
    const manage = manageOf(api);
    const { endpoints, channels } = await manage.seed(2, [[0], [1]]);
    const [slow, silent] = channels.map(({ chatId }) => chatId) as [string, string];
    await telegram.control.addFault({ mode: 'delay', channel: slow, delay_ms: 12_000 });
    await telegram.control.addFault({ mode: 'accept_then_hang', channel: silent });
    const held = [await send(api.url, endpoints[0]!, 'slow'), await send(api.url, endpoints[1]!, 'silent')] as const;
    await called(telegram, slow);
    await called(telegram, silent);
    const two = await start('worker');
    one.program.freeze();
    const next = [await send(api.url, endpoints[0]!, 'next'), await send(api.url, endpoints[1]!, 'next')] as const;
    return { telegram, api, one, two, manage, endpoints, held, next, slow, silent };
  };

  scene('its channels go on in another, and nothing is sent twice when it wakes up', async (stage) => {
    const { telegram, api, one, two, manage, endpoints, held, next, slow, silent } = await frozen(stage);
    const [heldSlow, heldSilent] = held;
    await onWall(telegram, slow, 'next');
    await onWall(telegram, silent, 'next');
    expect(await stateOf(manage, heldSlow)).toBe('in_doubt');
    expect(await stateOf(manage, heldSilent)).toBe('in_doubt');

    one.program.thaw();
    // The answer that it still gets is better than a doubt; where none comes, the doubt stays.
    await until('the late answer counts', async () => (await stateOf(manage, heldSlow)) === 'published');
    const late = await Promise.all(endpoints.map((endpoint) => send(api.url, endpoint, 'afterwards')));
    await onWall(telegram, slow, 'afterwards');
    await onWall(telegram, silent, 'afterwards');
    const texts = async (chatId: string) =>
      (await telegram.control.ledger({ channel: chatId })).map(({ text }) => text);
    expect((await texts(slow)).sort()).toEqual(['afterwards', 'next', 'slow']);
    expect(await texts(silent)).toEqual(['silent', 'next', 'afterwards']);
    expect(await stateOf(manage, heldSilent)).toBe('in_doubt');
    for (const sent of [...next, ...late])
      await until(`${sent.key} is published`, async () => (await stateOf(manage, sent)) === 'published');

    // It is a worker like any other again.
    await two.program.kill();
    const last = await send(api.url, endpoints[0]!, 'last');
    await until('the woken worker publishes', async () => (await stateOf(manage, last)) === 'published');
  });
});

const FREEZES = LONG ? 15 : 1;
scene(
  `workers that stand still at ${FREEZES} random moments lose nothing and send nothing twice (seed ${random.seed})`,
  async (stage) => {
    const { telegram, start, database } = await crew(stage, { LEASE_SECONDS: '1' });
    const [api, ...workers] = await Promise.all([start('api'), start('worker'), start('worker')]);
    const manage = manageOf(api);
    const { endpoints, channels } = await manage.seed(5, ENDPOINTS);
    await telegram.control.setDelay(15);
    let standing = true;
    const urls = () => [api.url];
    const load = startLoad({ endpoints, random, urls, posts: () => standing, longestPauseMs: 250 });
    for (let n = 0; n < FREEZES; n++) {
      const { program } = workers[random.below(2)]!;
      await load.during(sleep(500 + random.below(500)));
      program.freeze();
      await load.during(sleep(1_200 + random.below(1_500))); // longer than a lease
      program.thaw();
    }
    standing = false;
    await load.done;
    let doubts = 0;
    const doubted = async () => {
      const sql = `select stream from event_store.event where type = 'PublicationInDoubt'`;
      const found = (await query(database.DATABASE_URL, sql)) as { stream: string }[];
      doubts = found.length;
      return new Set(found.map(({ stream }) => stream.replace(/^publication-/, '')));
    };
    await expectNothingLost(manage, telegram, load.sent, channels, { doubted });
    expect(doubts).toBeLessThanOrEqual(FREEZES * channels.length);
  },
  LONG ? 600_000 : undefined,
);
