import { setTimeout as sleep } from 'node:timers/promises';
import { expectNothingLost, expectRebuiltEqualsLive, expectReplays } from './audit.js';
import type { Network } from './e2e-harness.js';
import { startLoad } from './load.js';
import { ManagementClient } from './management-client.js';
import type { Random } from './random.js';
import { until } from './until.js';

const CHANNELS = 5;
/** Channels of each endpoint, by number; some are shared. */
const ENDPOINTS = [[0], [1, 2], [2, 3], [0, 1, 2, 3, 4]];
/** Delay of the network's answers, in ms, so that kills hit open calls. */
const NETWORK_DELAY_MS = 50;

/** A load on one gateway, and the process to kill meanwhile. */
export interface CrashScenario {
  readonly telegram: Network;
  readonly random: Random;
  readonly url: string;
  readonly posts: number;
  readonly kills: number;
  /** Kills the process under test; resolves when its restart has begun. */
  readonly kill: () => Promise<unknown>;
  readonly verify?: boolean;
}

/**
 * Posts through several endpoints, kills at random moments between the first post and the last publication, and audits
 * (L1, L2, L3, L5). With `verify` the read models are rebuilt and compared too (L4).
 */
export const runCrashScenario = async (scenario: CrashScenario): Promise<void> => {
  const { telegram, random, url, posts, kills, kill, verify = false } = scenario;
  const manage = new ManagementClient(() => url);
  const { channels, endpoints } = await manage.seed(CHANNELS, ENDPOINTS);
  await telegram.control.setDelay(NETWORK_DELAY_MS);

  const load = startLoad({ endpoints, random, urls: () => [url], posts });
  const publications = (posts / ENDPOINTS.length) * ENDPOINTS.flat().length;
  const progress = async (): Promise<number> => {
    const { total: calls } = await telegram.control.listCalls({ after: Number.MAX_SAFE_INTEGER });
    return (load.sent.length + calls) / (posts + publications);
  };
  for (const moment of random.moments(kills, 0.95)) {
    await load.during(until(`${Math.round(moment * 100)} % are done`, async () => (await progress()) >= moment));
    // Half of the kills hit a call that the network has received and not answered.
    if (random.below(2) === 0) await sleep(random.below(100));
    else
      await until(
        'a call is open, or none is left',
        async () => (await hasOpenCall(telegram)) || (await progress()) >= 1,
      );
    await kill();
  }
  await load.done;

  const { published, inDoubt } = await expectNothingLost(manage, telegram, load.sent, channels);
  expect(published + inDoubt).toBe(publications);
  // A channel has one call at a time, so a kill leaves at most one post per channel in doubt.
  expect(inDoubt).toBeLessThanOrEqual(kills * CHANNELS);
  await expectReplays(url, load.sent);
  if (verify) await expectRebuiltEqualsLive(manage);
};

const hasOpenCall = async ({ control }: Network): Promise<boolean> => {
  const { total } = await control.listCalls({ after: Number.MAX_SAFE_INTEGER });
  const { items } = await control.listCalls({ after: total - 1 });
  return items.at(-1)?.status === null;
};
