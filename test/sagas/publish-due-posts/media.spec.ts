import type { ServerResponse } from 'node:http';
import sharp from 'sharp';
import { gif } from '../../media/make-images.js';
import { makeVideo, mp3 } from '../../media/make-videos.js';
import { sparse, TestHost } from '../../media/test-host.js';
import { GatewayHarness, type Platform, type Publication, type PublishingChannel } from './gateway-harness.js';

const MB = 1_048_576;

let harness: GatewayHarness;
let host: TestHost;
const channels = {} as Record<Platform, PublishingChannel>;
beforeAll(async () => {
  // Acceptance would reject media that are faulty from the start (D-24); here they become faulty later.
  harness = await GatewayHarness.start({ ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8', MEDIA_PROBE: 'off' });
  host = await TestHost.start();
  for (const platform of ['telegram', 'vk', 'max', 'ok'] as const)
    channels[platform] = await harness.createChannel(platform);
});
afterAll(async () => {
  await host.stop();
  await harness.stop();
});

let posts = 0;
const photo = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: '#446' } });
/** Publishes a post with its own media, and waits for its state. */
const publishMedia = async (
  channel: PublishingChannel,
  media: readonly object[],
  state = 'published',
): Promise<Publication & { readonly warnings: readonly { readonly code: string }[]; readonly text: string }> => {
  const text = `post ${++posts}`;
  const found = await channel.waitForState(await channel.publish({ text, media }), state);
  return { ...found, text } as never;
};
const readMedia = async (channel: PublishingChannel, text: string) =>
  (await channel.readWall()).filter((entry) => entry.text.startsWith(text)).flatMap(({ media }) => media);

describe('media at publication (D-22, D-24)', () => {
  it.each(['telegram', 'vk', 'max', 'ok'] as const)('%s: uploads and shows a photo', async (platform) => {
    const bytes = await photo(320, 200).jpeg().toBuffer();
    const { text, warnings } = await publishMedia(channels[platform], [
      { type: 'photo', url: host.serve('/a.jpg', bytes) },
    ]);
    const media = await readMedia(channels[platform], text);
    expect(media).toMatchObject([{ type: 'photo', mime: 'image/jpeg', bytes: bytes.length, url: null }]);
    expect(warnings).toEqual([]);
  });

  it.each(['telegram', 'vk', 'max', 'ok'] as const)('%s: uploads a WebP as a JPEG', async (platform) => {
    const url = host.serve('/a.webp', await photo(320, 200).webp().toBuffer());
    const { text, warnings } = await publishMedia(channels[platform], [{ type: 'photo', url }]);
    expect(await readMedia(channels[platform], text)).toMatchObject([{ type: 'photo', mime: 'image/jpeg' }]);
    expect(warnings).toMatchObject([{ code: 'photo_fitted' }]);
  });

  it('keeps the order of an album and downloads each file once', async () => {
    const [first, second] = await Promise.all([photo(30, 20), photo(20, 30)].map((one) => one.png().toBuffer()));
    const media = [
      { type: 'photo', url: host.serve('/1.png', first!) },
      { type: 'video', url: host.serve('/2.mp4', makeVideo({ seconds: 3 })) },
      { type: 'photo', url: host.serve('/3.png', second!) },
    ];
    await publishMedia(channels.telegram, media);
    const shown = (await channels.telegram.readWall()).slice(-3).flatMap((entry) => entry.media);
    expect(shown.map(({ type, bytes }) => [type, bytes])).toEqual([
      ['photo', first!.length],
      ['video', makeVideo({ seconds: 3 }).length],
      ['photo', second!.length],
    ]);
    for (const path of ['/1.png', '/2.mp4', '/3.png'])
      expect(host.requests.filter((request) => request.path === path)).toHaveLength(1);
  });

  it.each([
    ['telegram', 'sendPhoto', 'media_as_link'],
    ['vk', 'upload.photo', 'media_linked'],
    ['max', 'upload', 'media_as_link'],
    ['ok', 'upload.photo', 'media_linked'],
  ] as const)('%s: sends a medium as a link after a 413 of %s', async (platform, method, warning) => {
    const channel = channels[platform];
    const url = host.serve('/a.jpg', await photo(320, 200).jpeg().toBuffer());
    await channel.network.addFault({ mode: 'answer', method, status: 413, body: '<html>Entity Too Large</html>' });
    const { text, warnings, attempts, message_ids } = await publishMedia(channel, [{ type: 'photo', url }]);
    expect(warnings).toMatchObject([{ code: warning }]);
    expect([attempts.length, message_ids.length]).toEqual([1, 1]);
    const shown = (await channel.readWall()).filter((entry) => entry.text.startsWith(text));
    expect(shown).toMatchObject([{ text: `${text}\n\n${url}`, media: [] }]);
  });

  it('sends audio where the network accepts it, and a link elsewhere', async () => {
    const url = host.serve('/a.mp3', mp3());
    expect((await publishMedia(channels.max, [{ type: 'audio', url }])).warnings).toEqual([]);
    const { text, warnings } = await publishMedia(channels.vk, [{ type: 'audio', url }]);
    expect(warnings).toMatchObject([{ code: 'media_linked' }]);
    expect((await channels.vk.readWall()).find((entry) => entry.text.startsWith(text))?.text).toContain(url);
  });

  it.each<[string, () => Promise<string>]>([
    ['has grown too large', async () => host.serve('/a.png', sparse(30 * MB, await photo(9, 9).png().toBuffer()))],
    ['is too long and narrow', async () => host.serve('/a.png', await photo(2_100, 100).png().toBuffer())],
  ])('sends a photo that %s as a link, with a warning', async (_, serve) => {
    const url = await serve();
    const { text, warnings } = await publishMedia(channels.telegram, [{ type: 'photo', url }]);
    expect(warnings).toMatchObject([{ code: 'media_as_link' }]);
    expect(await channels.telegram.readWall()).toContainEqual(
      expect.objectContaining({ text: `${text}\n\n${url}`, media: [] }),
    );
  });

  it.each<[string, () => string, string]>([
    ['is gone', () => `${host.origin}/gone`, 'media_http_status'],
    ['redirects', () => host.on('/r', (_, answer) => answer.writeHead(302).end()), 'media_redirect'],
    ['is a web page', () => host.serve('/page', Buffer.from('<!doctype html><p>Moved')), 'media_wrong_type'],
    ['is a GIF', () => host.serve('/a.gif', gif()), 'media_format'],
  ])(
    'fails the post at the first attempt for a photo that %s, and does not hold back later posts',
    async (_, serve, code) => {
      const failed = await publishMedia(channels.telegram, [{ type: 'photo', url: serve() }], 'failed');
      expect(failed.attempts).toMatchObject([
        { outcome: 'failed', error: { code, category: 'media', source: 'gateway' } },
      ]);
      expect(await readMedia(channels.telegram, failed.text)).toEqual([]);
      await channels.telegram.waitForState(await channels.telegram.publish({ text: 'next' }), 'published');
    },
  );

  it.each<[Platform, string, (answer: ServerResponse, bytes: Buffer) => void, string]>([
    ['ok', 'whose host is down', (answer) => void answer.writeHead(503).end(), 'media_http_status'],
    [
      'vk',
      'whose download breaks off',
      (answer, bytes) => {
        answer.writeHead(200, { 'content-length': bytes.length });
        answer.write(bytes.subarray(0, 9), () => answer.destroy());
      },
      'media_unreachable',
    ],
  ])('%s: downloads a photo %s again', async (platform, text, fail, code) => {
    const bytes = await photo(30, 20).jpeg().toBuffer();
    let isWell = false; // only after the wait was seen, which is short
    const url = host.on(`/${platform}.jpg`, (_, answer) => void (isWell ? answer.end(bytes) : fail(answer, bytes)));
    const channel = channels[platform];
    const postId = await channel.publish({ text, media: [{ type: 'photo', url }] });
    await channel.waitUntil(postId, 'waits', ({ waiting_for }) => waiting_for?.rule === 'retry');
    isWell = true;
    const { attempts } = await channel.waitForState(postId, 'published');
    const failed = { error: { code, category: 'network', source: 'gateway' } };
    expect(attempts).toMatchObject([...attempts.slice(1).map(() => failed), { error: null }]);
    expect(await readMedia(channel, text)).toMatchObject([{ bytes: bytes.length }]);
  });
});
