import type { ServerResponse } from 'node:http';
import sharp from 'sharp';
import { film, mp3 } from '../../media/make-films.js';
import { gif } from '../../media/make-images.js';
import { sparse, TestHost } from '../../media/test-host.js';
import { type Line, Networks, type Platform, type Publication } from './networks.js';

const MB = 1_048_576;

let networks: Networks;
let host: TestHost;
const lines = {} as Record<Platform, Line>;
beforeAll(async () => {
  // What is wrong at once is refused at acceptance (D-24): here it goes wrong afterwards.
  networks = await Networks.start({ ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8', MEDIA_PROBE: 'off' });
  host = await TestHost.start();
  for (const platform of ['telegram', 'vk', 'max', 'ok'] as const) lines[platform] = await networks.line(platform);
});
afterAll(async () => {
  await host.stop();
  await networks.stop();
});

let posts = 0;
const photo = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: '#446' } });
/** Sends a post with media of its own, and waits for what becomes of it. */
const sent = async (
  line: Line,
  media: readonly object[],
  state = 'published',
): Promise<Publication & { readonly warnings: readonly { readonly code: string }[]; readonly text: string }> => {
  const text = `post ${++posts}`;
  const found = await line.inState(await line.send({ text, media }), state);
  return { ...found, text } as never;
};
const seen = async (line: Line, text: string) =>
  (await line.wall()).filter((entry) => entry.text.startsWith(text)).flatMap(({ media }) => media);

describe('media at publication (D-22, D-24)', () => {
  it.each(['telegram', 'vk', 'max', 'ok'] as const)('%s: a photo is uploaded and shown', async (platform) => {
    const bytes = await photo(320, 200).jpeg().toBuffer();
    const { text, warnings } = await sent(lines[platform], [{ type: 'photo', url: host.serve('/a.jpg', bytes) }]);
    const media = await seen(lines[platform], text);
    expect(media).toMatchObject([{ type: 'photo', mime: 'image/jpeg', bytes: bytes.length, url: null }]);
    expect(warnings).toEqual([]);
  });

  it.each(['telegram', 'vk', 'max', 'ok'] as const)('%s: a webp is uploaded as a JPEG', async (platform) => {
    const url = host.serve('/a.webp', await photo(320, 200).webp().toBuffer());
    const { text, warnings } = await sent(lines[platform], [{ type: 'photo', url }]);
    expect(await seen(lines[platform], text)).toMatchObject([{ type: 'photo', mime: 'image/jpeg' }]);
    expect(warnings).toMatchObject([{ code: 'photo_fitted' }]);
  });

  it('an album keeps its order, and each of its files is fetched once', async () => {
    const [first, second] = await Promise.all([photo(30, 20), photo(20, 30)].map((one) => one.png().toBuffer()));
    const media = [
      { type: 'photo', url: host.serve('/1.png', first!) },
      { type: 'video', url: host.serve('/2.mp4', film({ seconds: 3 })) },
      { type: 'photo', url: host.serve('/3.png', second!) },
    ];
    await sent(lines.telegram, media);
    const shown = (await lines.telegram.wall()).slice(-3).flatMap((entry) => entry.media);
    expect(shown.map(({ type, bytes }) => [type, bytes])).toEqual([
      ['photo', first!.length],
      ['video', film({ seconds: 3 }).length],
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
  ] as const)('%s: what is too large after all (413 of %s) goes as a link', async (platform, method, warning) => {
    const line = lines[platform];
    const url = host.serve('/a.jpg', await photo(320, 200).jpeg().toBuffer());
    await line.network.addFault({ mode: 'answer', method, status: 413, body: '<html>Entity Too Large</html>' });
    const { text, warnings, attempts, message_ids } = await sent(line, [{ type: 'photo', url }]);
    expect(warnings).toMatchObject([{ code: warning }]);
    expect([attempts.length, message_ids.length]).toEqual([1, 1]);
    const shown = (await line.wall()).filter((entry) => entry.text.startsWith(text));
    expect(shown).toMatchObject([{ text: `${text}\n\n${url}`, media: [] }]);
  });

  it('sound goes where it can, and as a link where it cannot', async () => {
    const url = host.serve('/a.mp3', mp3());
    expect((await sent(lines.max, [{ type: 'audio', url }])).warnings).toEqual([]);
    const { text, warnings } = await sent(lines.vk, [{ type: 'audio', url }]);
    expect(warnings).toMatchObject([{ code: 'media_linked' }]);
    expect((await lines.vk.wall()).find((entry) => entry.text.startsWith(text))?.text).toContain(url);
  });

  it.each<[string, () => Promise<string>]>([
    ['has grown too large', async () => host.serve('/a.png', sparse(30 * MB, await photo(9, 9).png().toBuffer()))],
    ['is too long and narrow', async () => host.serve('/a.png', await photo(2_100, 100).png().toBuffer())],
  ])('a photo that %s goes as a link, with a warning', async (_, serve) => {
    const url = await serve();
    const { text, warnings } = await sent(lines.telegram, [{ type: 'photo', url }]);
    expect(warnings).toMatchObject([{ code: 'media_as_link' }]);
    expect(await lines.telegram.wall()).toContainEqual(
      expect.objectContaining({ text: `${text}\n\n${url}`, media: [] }),
    );
  });

  it.each<[string, () => string, string]>([
    ['is gone', () => `${host.origin}/gone`, 'media_http_status'],
    ['redirects', () => host.on('/r', (_, answer) => answer.writeHead(302).end()), 'media_redirect'],
    ['is a web page', () => host.serve('/page', Buffer.from('<!doctype html><p>Moved')), 'media_wrong_type'],
    ['is a GIF', () => host.serve('/a.gif', gif()), 'media_format'],
  ])(
    'a photo that %s fails its post for good, at the first attempt, and holds nothing back',
    async (_, serve, code) => {
      const failed = await sent(lines.telegram, [{ type: 'photo', url: serve() }], 'failed');
      expect(failed.attempts).toMatchObject([
        { outcome: 'failed', error: { code, category: 'media', source: 'gateway' } },
      ]);
      expect(await seen(lines.telegram, failed.text)).toEqual([]);
      await lines.telegram.inState(await lines.telegram.send({ text: 'next' }), 'published');
    },
  );

  it.each<[Platform, string, (answer: ServerResponse, bytes: Buffer) => void, string]>([
    ['ok', 'whose host is away', (answer) => void answer.writeHead(503).end(), 'media_http_status'],
    [
      'vk',
      'that breaks off',
      (answer, bytes) => {
        answer.writeHead(200, { 'content-length': bytes.length });
        answer.write(bytes.subarray(0, 9), () => answer.destroy());
      },
      'media_unreachable',
    ],
  ])('%s: a photo %s is fetched again', async (platform, text, fail, code) => {
    const bytes = await photo(30, 20).jpeg().toBuffer();
    let asked = 0;
    const url = host.on(`/${platform}.jpg`, (_, answer) => void (asked++ ? answer.end(bytes) : fail(answer, bytes)));
    const line = lines[platform];
    const postId = await line.send({ text, media: [{ type: 'photo', url }] });
    await line.when(postId, 'waits', ({ waiting_for }) => waiting_for?.rule === 'retry');
    const { attempts } = await line.inState(postId, 'published');
    expect(attempts).toMatchObject([{ error: { code, category: 'network', source: 'gateway' } }, { error: null }]);
    expect(await seen(line, text)).toMatchObject([{ bytes: bytes.length }]);
  });
});
