import { setTimeout as sleep } from 'node:timers/promises';
import { TestGateway } from './gateway.js';

it('a pause also holds a post that the network’s pace delays (D-21)', async () => {
  const gateway = await TestGateway.start({ PACING: 'on' });
  try {
    const owner = await gateway.createOwner();
    const channel = await gateway.createChannel(owner);
    const endpoint = await gateway.createEndpoint(owner, [await gateway.createProject(owner, [channel])]);
    for (const text of ['first', 'second']) expect((await endpoint.post('', { text })).status).toBe(200);
    await gateway.waitForText(channel.chatId, 'first');
    expect((await endpoint.post('temp-pause', { target_minutes: 1 })).status).toBe(200);
    await sleep(1_500); // one message a second in a chat: without the pause the second post would be published by now
    expect(await gateway.readWall(channel.chatId)).toEqual(['first']);
    await endpoint.post('temp-resume', '');
    await gateway.waitForText(channel.chatId, 'second');
  } finally {
    await gateway.stop();
  }
});
