import sharp from 'sharp';
import { TestHost } from '../media/test-host.js';
import { publish } from './client.js';
import { scene } from './stage.js';
import { until } from './until.js';

scene('the demo: a photo that is posted to its endpoint hangs on all four walls', async (stage) => {
  const host = await TestHost.start();
  stage.atTheEnd(() => host.stop());
  const gateway = await stage.gateway({
    DEMO: 'on',
    DATA_DIR: await stage.dataDir(),
    ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8',
  });
  const printed = await until('what a visitor needs', () =>
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
});
