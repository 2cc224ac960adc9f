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

  it('shows an album as one post, with the text of the message that has one', () => {
    const wall = new Wall('telegram', 'Telegram', '/nowhere');
    const photo = (name: string) => ({
      type: 'photo',
      file: name,
      url: null,
      mime: 'image/jpeg',
      bytes: 1,
      hash: '',
      name,
    });
    const album = { group_id: 'g1', text: '' };
    wall.add({ ...entry(1), ...album, media: [photo('a.jpg')] });
    wall.add({ ...entry(2), ...album, media: [photo('b.jpg')], text: 'both' });
    wall.add({ ...entry(3), ...album, group_id: 'g2', media: [photo('c.jpg')] });
    const { posts, next } = wall.feed(0);
    expect([posts.map(({ seq }) => seq), next]).toEqual([[1, 3], 3]);
    expect(posts[0]?.html).toMatch(/a\.jpg.*b\.jpg.*both/s);
    expect(posts[1]?.html).toContain('c.jpg');
  });

  it('serves only files of its own media folder', async () => {
    const wall = new Wall('telegram', 'Telegram', '/etc');
    for (const name of ['passwd', '..%2fpasswd', '../etc/passwd', `${'a'.repeat(32)}.png`]) {
      expect((await wall.answerRequest(new URL(`http://x/wall/media/${name}`))).status).toBe(404);
    }
  });
});
