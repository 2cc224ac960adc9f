import sharp from 'sharp';
import { TestHost } from '../media/test-host.js';
import { publish } from './client.js';
import { e2eTest } from './e2e-harness.js';
import { until } from './until.js';

e2eTest('the demo works behind a proxy with another address and also prints its local address', async (harness) => {
  const { program } = await harness.startGateway({
    DEMO: 'on',
    DATA_DIR: await harness.createDataDir(),
    BASE_URL: 'http://post.example.invalid',
  });
  const [, local, url, token] = await until('the demo endpoint is printed', () =>
    /Listens on\s+(\S+)\s+[^]*Demo endpoint\s+(\S+)[^]*Bearer (\S+?)'/.exec(program.output),
  );
  expect(url).toMatch(/^http:\/\/post\.example\.invalid\/v1\/webhooks\/\w+$/);
  const endpoint = { path: new URL(url!).pathname, token: token!, id: '', channels: [] };
  expect((await publish(local!, endpoint, { text: 'Behind a proxy' })).status).toBe(200);
});

e2eTest('the demo shows a photo that is posted to its endpoint on all four walls', async (harness) => {
  const host = await TestHost.start();
  harness.addCleanup(() => host.stop());
  const gateway = await harness.startGateway({
    DEMO: 'on',
    DATA_DIR: await harness.createDataDir(),
    ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8',
  });
  const printed = await until('the demo endpoint is printed', () =>
    /Demo endpoint\s+(\S+)[^]*Bearer (\S+?)'/.exec(gateway.program.output),
  );
  const [, url = '', token = ''] = printed;
  const bytes = await sharp({ create: { width: 640, height: 360, channels: 3, background: '#357' } })
    .jpeg()
    .toBuffer();
  const media = [{ type: 'photo', url: host.serve('/harbour.jpg', bytes) }];
  const endpoint = { path: new URL(url).pathname, token, id: '', channels: [] };
  expect((await publish(gateway.url, endpoint, { text: 'Evening in the harbour', media })).status).toBe(200);

  const photos = await until('a photo on each wall', async () => {
    const page = await (await fetch(`${gateway.url}/walls`)).text();
    const found = [...page.matchAll(/<img src="(\/walls\/(\w+)\/media\/[0-9a-f]+\.jpg)"/g)];
    return found.length === 4 && found;
  });
  expect(photos.map(([, , network]) => network).sort()).toEqual(['max', 'ok', 'telegram', 'vk']);
  for (const [, path = ''] of photos) {
    const answer = await fetch(gateway.url + path);
    expect(answer.headers.get('content-type')).toBe('image/jpeg');
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
  }

  const album = Array.from({ length: 10 }, (_, i) => ({ type: 'photo', url: host.serve(`/${i}.jpg`, bytes) }));
  await until('the endpoint accepts another post', async () => {
    return (await publish(gateway.url, endpoint, { text: 'Ten of them', media: album })).status === 200;
  });
  await until('ten more photos are on each wall', async () => {
    const page = await (await fetch(`${gateway.url}/walls`)).text();
    return page.split('<img src="/walls/').length - 1 === 44;
  });
  // The terminal shows no warnings of Node.js, such as those about many listeners on a signal.
  expect(gateway.program.log.split('\n').filter((line) => !line.startsWith('{'))).toEqual([]);
});
