import { renderWalls, type WallFeed } from '../../../stand-ins/walls/wall-page.js';
import { startStandIn } from './stand-in.js';

let telegram: Awaited<ReturnType<typeof startStandIn>>;
beforeEach(async () => {
  telegram = await startStandIn({ chats: [{ id: '-1001', title: 'Harbour <News>', username: 'harbour' }] });
});
afterEach(() => telegram.stop());

const page = async () => (await fetch(`${telegram.url}/wall`)).text();
const feed = async (after = 0) => (await (await fetch(`${telegram.url}/wall.json?after=${after}`)).json()) as WallFeed;

describe('GET /wall', () => {
  it('serves HTML with the posts: formatted, escaped, with buttons', async () => {
    await telegram.call('sendMessage', {
      chat_id: '@harbour',
      text: 'Ahoy <script>alert(1)</script>',
      entities: [{ type: 'bold', offset: 0, length: 4 }],
      reply_markup: { inline_keyboard: [[{ text: 'Tides & winds', url: 'https://example.com/?a=1&b=2' }]] },
    });
    const html = await page();
    expect(html).toContain('<b>Ahoy</b> &lt;script&gt;alert(1)&lt;/script&gt;');
    expect(html).toContain('Harbour &lt;News&gt;');
    expect(html).toContain('@harbour');
    expect(html).toContain('href="https://example.com/?a=1&amp;b=2"');
    expect(html).toContain('Tides &amp; winds');
    expect(html).not.toContain('<script>alert');
  });

  it('says that there are no posts yet', async () => {
    expect(await page()).toContain('Nothing has been posted here yet.');
  });

  it('counts the views of a post', async () => {
    await telegram.call('sendMessage', { chat_id: '@harbour', text: 'seen' });
    await page();
    await page();
    await telegram.call('sendMessage', { chat_id: '@harbour', text: 'new' });
    const views = (await feed()).posts.map(({ html }) => /<\/svg>(\d+)/.exec(html)?.[1]);
    expect(views).toEqual(['3', '1']);
  });
});

describe('GET /wall.json', () => {
  it('returns the new posts, oldest first, and their channels, the one with the newest post first', async () => {
    for (const chat_id of ['@harbour', '@other', '@harbour']) {
      await telegram.call('sendMessage', { chat_id, text: `to ${chat_id}` });
    }
    const all = await feed();
    expect(all.posts.map(({ seq, channel }) => [seq, channel])).toEqual([
      [1, '-1001'],
      [2, '@other'],
      [3, '-1001'],
    ]);
    expect(all.channels).toEqual([
      { key: '-1001', title: 'Harbour <News>', handle: 'harbour' },
      { key: '@other', title: 'Other', handle: 'other' },
    ]);
    expect(all.next).toBe(3);
    expect((await feed(2)).posts.map(({ seq }) => seq)).toEqual([3]);
    expect(await feed(3)).toMatchObject({ next: 3, posts: [], channels: [] });
  });
});

describe('renderWalls', () => {
  it('shows several networks on one page, each with its feed', async () => {
    await telegram.call('sendMessage', { chat_id: '@harbour', text: 'everywhere' });
    const one = await feed();
    const html = renderWalls(
      ['telegram', 'vk'].map((platform) => ({ feed: { ...one, platform }, feedUrl: `/walls/${platform}.json` })),
      'n0nce',
    );
    expect(html.match(/everywhere/g)).toHaveLength(2);
    expect(html).toContain('data-feed="/walls/vk.json"');
    expect(html).toContain('<script nonce="n0nce">');
  });
});
