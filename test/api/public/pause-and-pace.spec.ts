import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../e2e/until.js';
import { TestGateway } from './gateway.js';

/** One message a second goes to a chat, so that some posts are left whenever the pause begins. */
const TEXTS = Array.from({ length: 60 }, (_, n) => `post ${n}`);

it('a pause also holds a post that the network’s pace delays (D-21)', async () => {
  const gateway = await TestGateway.start({ PACING: 'on' });
  try {
    const owner = await gateway.createOwner();
    const channel = await gateway.createChannel(owner);
    const endpoint = await gateway.createEndpoint(owner, [await gateway.createProject(owner, [channel])]);
    const posts: string[] = [];
    for (const text of TEXTS) {
      const { status, body } = await endpoint.post('', { text });
      expect(status).toBe(200);
      posts.push(body.id);
    }
    await gateway.waitForText(channel.chatId, TEXTS[0]!);
    expect((await endpoint.post('temp-pause', { target_minutes: 60 })).status).toBe(200);
    await until('none is on its way', async () => {
      for (const post of posts) {
        const [{ state, waiting_for }] = (await gateway.manage('GET', `/posts/${post}`)).publications;
        if (state === 'published') continue;
        return state === 'queued' && waiting_for?.rule === 'channel_pause';
      }
      throw new Error('all are published');
    });
    const wall = await gateway.readWall(channel.chatId);
    await sleep(1_500); // one message a second in a chat: without the pause the next post would be published by now
    expect(await gateway.readWall(channel.chatId)).toEqual(wall);
    expect(wall).toEqual(TEXTS.slice(0, wall.length));
    await endpoint.post('temp-resume', '');
    await gateway.waitForText(channel.chatId, TEXTS[wall.length]!);
  } finally {
    await gateway.stop();
  }
});
