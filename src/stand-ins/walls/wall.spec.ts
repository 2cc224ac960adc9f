import { Wall } from './wall.js';

const entry = (seq: number) => ({
  seq,
  at: new Date(1_800_000_000_000 + seq).toISOString(),
  platform: 'telegram',
  channel: '@many',
  channel_title: 'Many',
  channel_handle: 'many',
  message_id: String(seq),
  group_id: null,
  reply_to: null,
  text: `post ${seq}`,
  entities: [],
  buttons: [],
  media: [],
  content_hash: '',
  call_id: '',
});

describe('Wall', () => {
  it('shows the newest three thousand posts, oldest first', () => {
    const wall = new Wall('telegram', 'Telegram', '/nowhere');
    for (let seq = 1; seq <= 7_010; seq++) wall.add(entry(seq));
    const { posts, next } = wall.feed(0);
    expect([posts.length, posts[0]?.seq, posts.at(-1)?.seq, next]).toEqual([3_000, 4_011, 7_010, 7_010]);
    expect(posts.map(({ seq }) => seq)).toEqual(posts.map((_, index) => 4_011 + index));
  });

  it('serves no file but those of its own media folder', async () => {
    const wall = new Wall('telegram', 'Telegram', '/etc');
    for (const name of ['passwd', '..%2fpasswd', '../etc/passwd', `${'a'.repeat(32)}.png`]) {
      expect((await wall.answer(new URL(`http://x/wall/media/${name}`))).status).toBe(404);
    }
  });
});
