import { join } from 'node:path';
import { startStandIn } from '../support/gateway-process.js';
import { StandInControl } from '../support/stand-in-control.js';
import { postIdOf, publish } from './client.js';
import { createManagementClient, e2eTest } from './e2e-harness.js';
import type { Channel } from './management-client.js';
import { until } from './until.js';

const CHATS = ['-701', '-702'] as const;
const POST = 'POST /messages';

e2eTest(
  'the next process looks up a post whose process was killed during the call, and publishes it once (D-25)',
  async (harness) => {
    const max = await startStandIn('max', join(await harness.createFolder(), 'max.jsonl'));
    harness.addCleanup(() => max.program.killAll());
    const network = new StandInControl(max.url);
    const settings = {
      ...(await harness.createDatabase()),
      DATA_DIR: await harness.createFolder(),
      MAX_API_URL: max.url,
    };
    const first = await harness.startGateway(settings);

    const manage = createManagementClient(first);
    const createOwner = () => manage.post<{ id: string }>('/owners', { name: 'Ada', plan: 'business' });
    const { id: owner_id } = await until('the read models exist', createOwner);
    const channels: Channel[] = [];
    for (const chatId of CHATS) {
      const credentials = { access_token: 'max-token', chat_id: chatId };
      const body = { owner_id, platform: 'max', name: chatId, credentials };
      channels.push({ id: (await manage.post<{ id: string }>('/channels', body)).id, chatId });
    }
    const project = { owner_id, name: 'Project', channel_ids: channels.map(({ id }) => id) };
    const project_ids = [(await manage.post<{ id: string }>('/projects', project)).id];
    const body = { owner_id, project_ids, mode: 'live', min_interval: 0 };
    const { id, slug, token } = await manage.post<{ id: string; slug: string; token: string }>('/endpoints', body);
    const endpoint = { id, path: `/v1/webhooks/${slug}`, token, channels };

    await network.addFault({ mode: 'accept_then_hang', method: POST, channel: CHATS[0] });
    await network.addFault({ mode: 'hang', method: POST, channel: CHATS[1] });
    const postId = postIdOf(await publish(first.url, endpoint, { text: 'cut off' }));
    await until('both calls are under way', async () => (await network.listCalls({ method: POST })).items.length === 2);
    await first.program.kill();

    const second = await harness.startGateway(settings);
    const publications = await until('both are published', async () => {
      const found = (await createManagementClient(second).findPost(postId)).publications;
      return found.every(({ state }) => state === 'published') && found;
    });
    for (const [i, channel] of channels.entries()) {
      const wall = await network.readLedger({ channel: channel.chatId });
      expect(wall.map(({ text }) => text)).toEqual(['cut off']);
      const publication = publications.find(({ target_id }) => target_id === channel.id);
      expect(publication?.message_ids).toEqual([wall[0]!.message_id]);
      expect(publication?.attempts).toHaveLength(i + 1); // a published post needs no second attempt
    }
  },
);
