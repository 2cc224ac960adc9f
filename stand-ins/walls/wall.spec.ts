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

  const deleted = (message_id: string) => ({
    seq: 1,
    at: '',
    kind: 'deleted' as const,
    channel: '@many',
    message_id,
    call_id: '',
  });

  it('shows a deleted post as deleted, also to a page that already shows it', () => {
    const wall = new Wall('telegram', 'Telegram', '/nowhere');
    for (let seq = 1; seq <= 3; seq++) wall.add(entry(seq));
    wall.change(deleted('2'));
    wall.change(deleted('99'));
    const { posts, next } = wall.feed(3);
    expect([posts.map(({ seq }) => seq), next]).toEqual([[2], 5]);
    expect(posts[0]?.html).toMatch(/class="post deleted".*post 2.*>deleted</s);
    expect(wall.feed(next).posts).toEqual([]);
    expect(wall.feed(0).posts.map(({ html }) => html.includes('post deleted'))).toEqual([false, true, false]);
  });

  it('shows the rest of an album, and the whole album once all of it is deleted', () => {
    const wall = new Wall('telegram', 'Telegram', '/nowhere');
    wall.add({ ...entry(1), group_id: 'g1', text: 'both' });
    wall.add({ ...entry(2), group_id: 'g1', text: '' });
    wall.add(entry(3));
    wall.change(deleted('2'));
    const [shorter] = wall.feed(3).posts;
    expect(shorter?.seq).toBe(1);
    expect(shorter?.html).toContain('both');
    expect(shorter?.html).not.toContain('post deleted');
    wall.change(deleted('1'));
    const [gone] = wall.feed(4).posts;
    expect([gone?.seq, gone?.html.includes('post deleted'), gone?.html.includes('both')]).toEqual([1, true, true]);
  });

  it('serves only files of its own media folder', async () => {
    const wall = new Wall('telegram', 'Telegram', '/etc');
    for (const name of ['passwd', '..%2fpasswd', '../etc/passwd', `${'a'.repeat(32)}.png`]) {
      expect((await wall.answerRequest(new URL(`http://x/wall/media/${name}`))).status).toBe(404);
    }
  });
});
