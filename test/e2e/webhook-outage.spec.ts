import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { postIdOf } from './client.js';
import { createManagementClient, e2eTest } from './e2e-harness.js';
import { readState, sendPost, startSharedServers } from './gateway-processes.js';
import { until } from './until.js';

/** Length of a minute of the retry schedule: six hours are 14.4 s, and the last attempt is made after more than a minute. */
const MINUTE_MS = 40;
const SIX_HOURS_MS = 6 * 60 * MINUTE_MS;
const POSTS = 12;

e2eTest(
  'loses no event of a customer’s server that is down for six hours, although the worker is killed meanwhile',
  async (harness) => {
    const receiver = await WebhookReceiver.start();
    harness.addCleanup(() => receiver.close());
    const settings = { MINUTE_MS: String(MINUTE_MS), ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' };
    const { start } = await startSharedServers(harness, settings);
    const api = await start('api');
    const worker = await start('worker');
    const manage = createManagementClient(api);
    const { endpoints } = await manage.seed(1, [[0]]);
    const { project_ids } = await manage.get<{ project_ids: string[] }>(`/endpoints/${endpoints[0]!.id}`);
    const output = { project_id: project_ids[0], url: receiver.url };
    const { secret_whsec } = await manage.post<{ secret_whsec: string }>('/webhook-outputs', output);

    const posts: string[] = [];
    const send = async (key: string) => {
      const sent = await sendPost(api.url, endpoints[0]!, key);
      posts.push(postIdOf(sent.answer));
      return sent;
    };
    await send('before');
    const arrived = (count: number) => until(`${count} events arrive`, async () => receiver.firstIds.length >= count);
    await arrived(1);
    await receiver.close();
    const backAt = performance.now() + SIX_HOURS_MS;
    for (let i = 1; i < POSTS; i++) {
      const sent = await send(`during the outage ${i}`);
      if (i === POSTS / 2) {
        // A post that is being published at the kill would be in doubt, and would cause a different event.
        await until('all posts are published', async () => (await readState(manage, sent)) === 'published');
        await worker.program.kill();
        await start('worker');
      }
    }
    await sleep(Math.max(0, backAt - performance.now()));
    await receiver.listen();
    await send('after');
    await arrived(POSTS + 1);

    const first = receiver.firstIds.map((id) => receiver.received.find((delivery) => delivery.id === id)!);
    expect(first.map(({ body }) => body.post_id)).toEqual(posts);
    const verifier = new Webhook(secret_whsec);
    for (const { problems, raw, headers } of receiver.received) {
      expect(problems).toEqual([]);
      verifier.verify(raw, headers as Record<string, string>);
    }
  },
);
