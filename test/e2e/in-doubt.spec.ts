import { join } from 'node:path';
import { StandInControl } from '../../src/stand-ins/kit/control-client.js';
import { startStandIn } from '../support/gateway.js';
import { postIdOf, publish } from './client.js';
import type { Channel } from './manage.js';
import { manageOf, scene } from './e2e-harness.js';
import { until } from './until.js';

const CHATS = ['-701', '-702'] as const;
const POST = 'POST /messages';

scene(
  'a process killed in mid-call: the next one looks up what became of it, and publishes it once (D-25)',
  async (stage) => {
    const max = await startStandIn('max', join(await stage.folder(), 'max.jsonl'));
    stage.atTheEnd(() => max.program.killAll());
    const network = new StandInControl(max.url);
    const settings = { ...(await stage.database()), DATA_DIR: await stage.folder(), MAX_API_URL: max.url };
    const first = await stage.gateway(settings);

    const manage = manageOf(first);
    const ready = () => manage.post<{ id: string }>('/owners', { name: 'Ada', plan: 'business' });
    const { id: owner_id } = await until('the views are there', ready);
    const channels: Channel[] = [];
    for (const chatId of CHATS) {
      const credentials = { access_token: 'max-token', chat_id: chatId };
      const draft = { owner_id, platform: 'max', name: chatId, credentials };
      channels.push({ id: (await manage.post<{ id: string }>('/channels', draft)).id, chatId });
    }
    const project = { owner_id, name: 'Project', channel_ids: channels.map(({ id }) => id) };
    const project_ids = [(await manage.post<{ id: string }>('/projects', project)).id];
    const draft = { owner_id, project_ids, mode: 'live', min_interval: 0 };
    const { id, slug, token } = await manage.post<{ id: string; slug: string; token: string }>('/endpoints', draft);
    const endpoint = { id, path: `/v1/webhooks/${slug}`, token, channels };

    await network.addFault({ mode: 'accept_then_hang', method: POST, channel: CHATS[0] });
    await network.addFault({ mode: 'hang', method: POST, channel: CHATS[1] });
    const postId = postIdOf(await publish(first.url, endpoint, { text: 'cut off' }));
    await until('both calls are under way', async () => (await network.calls({ method: POST })).items.length === 2);
    await first.program.kill();

    const second = await stage.gateway(settings);
    const publications = await until('both are published', async () => {
      const found = (await manageOf(second).findPost(postId)).publications;
      return found.every(({ state }) => state === 'published') && found;
    });
    for (const [i, channel] of channels.entries()) {
      const wall = await network.ledger({ channel: channel.chatId });
      expect(wall.map(({ text }) => text)).toEqual(['cut off']);
      const publication = publications.find(({ target_id }) => target_id === channel.id);
      expect(publication?.message_ids).toEqual([wall[0]!.message_id]);
      expect(publication?.attempts).toHaveLength(i + 1); // what had come through needs no other
    }
  },
);
