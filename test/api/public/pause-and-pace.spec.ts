import { setTimeout as sleep } from 'node:timers/promises';
import { TestGateway } from './gateway.js';

it('a pause also holds a post that waits for its turn at the network’s pace (D-21)', async () => {
  const gateway = await TestGateway.start({ PACING: 'on' });
  try {
    const owner = await gateway.owner();
    const channel = await gateway.channel(owner);
    const endpoint = await gateway.endpoint(owner, [await gateway.project(owner, [channel])]);
    for (const text of ['first', 'second']) expect((await endpoint.post('', { text })).status).toBe(200);
    await gateway.settle(channel.chatId, 'first');
    expect((await endpoint.post('temp-pause', { target_minutes: 1 })).status).toBe(200);
    await sleep(1_500); // one message a second in a chat: the second one's turn has come and gone
    expect(await gateway.wall(channel.chatId)).toEqual(['first']);
    await endpoint.post('temp-resume', '');
    await gateway.settle(channel.chatId, 'second');
  } finally {
    await gateway.stop();
  }
});
