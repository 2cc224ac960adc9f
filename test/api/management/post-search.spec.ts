import type { Pool } from 'pg';
import { readSchema } from '../../../src/projections/engine/projection.js';
import { POSTS_VERSION } from '../../../src/projections/posts/posts.tables.js';
import {
  Caller,
  catchUp,
  createOwner,
  type ManagementHarness,
  operatorCaller,
  startHarness,
} from './management-harness.js';
import { LIMITS_PROFILE, PublishingSetup } from './publishing-setup.js';

describe('a search over posts', () => {
  let harness: ManagementHarness;
  let setup: PublishingSetup;
  let other: PublishingSetup;
  beforeAll(async () => {
    harness = await startHarness({ LIMITS_PROFILE });
    setup = await PublishingSetup.create(harness, await createOwner(harness));
    other = await PublishingSetup.create(harness, await createOwner(harness));
  });
  afterAll(() => harness.stop());

  const later = () => new Date(Date.now() + 86_400_000).toISOString();
  const plan = (payload: object, by = setup) => by.sendPost({ publish_at: later(), ...payload });
  const find = async (query: string, caller = setup.owner.caller): Promise<string[]> => {
    const { body } = await caller.get(`/posts?limit=200&${query}`).expect(200);
    return body.items.map(({ id }: { id: string }) => id);
  };
  const text = (words: string) => `text=${encodeURIComponent(words)}`;

  it('finds words in any form, from their beginning and anywhere in the text, of one owner', async () => {
    const long = await plan({
      text: `${'Прогноз погоды. '.repeat(300)}Регата начнётся в воскресенье у Зелёного пирса`,
    });
    const short = await plan({
      text: 'Harbours, cities and ti­des: 50% off_season, "quoted" and O\'Neil\'s',
      overrides: { vk: { text: 'Только для ВКонтакте' } },
    });
    const foreign = await plan({ text: 'Регата в другом городе' }, other);
    await catchUp(harness, 'posts');
    for (const words of ['регату', 'РЕГАТЫ зеленый', 'рег воскр', 'начнет', 'начнёт', 'пирсу', 'в пирс', 'зелёного'])
      expect([words, await find(text(words))]).toEqual([words, [long]]);
    for (const words of [
      'harbour city',
      'CITIES',
      'harb',
      'the harbour',
      '50%',
      'off_season',
      '_season',
      '"quoted"',
      "o'neil",
    ])
      expect([words, await find(text(words))]).toEqual([words, [short]]);
    expect(await find(text('вконтакте'))).toEqual([short]);
    for (const words of ['регата harbour', 'гата', 'и', '60%', 'ha'])
      expect([words, await find(text(words))]).toEqual([words, []]);
    expect(await find(text('регата'), other.owner.caller)).toEqual([foreign]);
    expect((await find(text('регата'), operatorCaller(harness))).toSorted()).toEqual([long, foreign].toSorted());
    expect(await find(`${text('регата')}&owner_id=${other.owner.id}`, operatorCaller(harness))).toEqual([foreign]);
    expect(await find(`${text('harbour')}&state=planned&channel_id=${setup.channel.id}`)).toEqual([short]);
    expect(await find(`${text('harbour')}&state=failed`)).toEqual([]);
    expect(await find(`${text('harbour')}&channel_id=${other.channel.id}`)).toEqual([]);
    expect(await find(`${text('harbour')}&order=publish_at`)).toEqual([short]);
  });

  it.each([
    "' & ! | ( ) :* <-> a",
    "x''y",
    '\\',
    'x\\',
    'a:b:c',
    'tide:*',
    "x'); drop table post",
    '%x%',
    'x_y',
    '𝔘nicode',
    'я\u0301',
  ])('takes %j for words', async (words) => {
    await setup.owner.caller.get(`/posts?${text(`x ${words}`)}`).expect(200);
  });

  it('keeps no word of a text that was replaced, and no text', async () => {
    const id = await plan({ text: 'A lighthouse, a lighthouse and a hidden_buoy' });
    await catchUp(harness, 'posts');
    expect(await readWords(harness.running.infrastructure.pool, id)).toBe(
      ['a', 'and', 'buoy', 'hidden', 'lighthouse', setup.owner.id].map((word) => `'${word}'`).join(' '),
    );
    await setup.owner.caller.put(`/posts/${id}/payload`, { text: 'A windmill', publish_at: later() }).expect(200);
    await catchUp(harness, 'posts');
    expect(await find(text('lighthouse'))).toEqual([]);
    expect(await find(text('windmill'))).toEqual([id]);
    expect(await readWords(harness.running.infrastructure.pool, id)).not.toContain('lighthouse');
  });

  it('finds who posted, and who decided', async () => {
    const endpoint = setup.endpoint.id;
    const byProgram = await plan({ text: 'Quay of a program' });
    const { body } = await setup.owner.caller
      .post(`/endpoints/${endpoint}/posts`, { text: 'Quay of a person', publish_at: later() })
      .expect(200);
    const approving = await setup.owner.caller
      .post('/endpoints', { project_ids: [setup.project], mode: 'live', min_interval: 0, requires_approval: true })
      .expect(201);
    const { body: pending } = await setup.owner.caller
      .post(`/endpoints/${approving.body.id}/posts`, { text: 'Wait for me', publish_at: later() })
      .expect(200);
    await operatorCaller(harness).post(`/posts/${pending.id}/approve`, { revision: 1 }).expect(200);
    await catchUp(harness, 'posts');
    const owner = `by=${encodeURIComponent(`owner:${setup.owner.id}`)}`;
    expect(await find(`${owner}&${text('quay')}`)).toEqual([body.id]);
    expect(await find(`by=${encodeURIComponent(`endpoint:${endpoint}`)}&${text('quay')}`)).toEqual([byProgram]);
    expect(await find('by=operator')).toEqual([pending.id]);
    expect(await find('by=operator', other.owner.caller)).toEqual([]);
    expect(await find(owner, other.owner.caller)).toEqual([]);
    const { body: shown } = await setup.owner.caller.get(`/posts/${byProgram}`).expect(200);
    expect(shown.posted_by).toBe(`endpoint:${endpoint}`);
  });

  it('shows a limited key the posts of its endpoints only', async () => {
    const { body: second } = await setup.owner.caller
      .post('/endpoints', { project_ids: [setup.project], mode: 'live', min_interval: 0 })
      .expect(201);
    const { body: key } = await setup.owner.caller
      .post('/keys', { name: 'Limited', scopes: ['read'], endpoint_ids: [second.id] })
      .expect(201);
    const limited = new Caller(harness, key.key);
    await plan({ text: 'Secret anchorage' });
    const { body: own } = await setup.owner.caller
      .post(`/endpoints/${second.id}/posts`, { text: 'Open anchorage', publish_at: later() })
      .expect(200);
    await catchUp(harness, 'posts');
    expect(await find(text('anchorage'), limited)).toEqual([own.id]);
    expect(await find(text('secret'), limited)).toEqual([]);
    expect(await find(text('anchorage'))).toHaveLength(2);
  });

  it.each([
    [text('…!'), 'words to search for'],
    [text('%_'), 'words to search for'],
    [text('x'.repeat(201)), '200'],
    [text('x '.repeat(2_000)), '200'],
    ['by=stranger', 'operator'],
  ])('refuses what cannot be searched: %#', async (query, reason) => {
    const { body } = await setup.owner.caller.get(`/posts?${query}`).expect(422);
    expect(JSON.stringify(body.errors)).toContain(reason);
  });

  describe('of very many posts', () => {
    const COPIES = 45_000;
    let oldest: string;
    let caller: Caller;
    beforeAll(async () => {
      const many = await PublishingSetup.create(harness, await createOwner(harness));
      ({ caller } = many.owner);
      oldest = await plan({ text: 'Ordinary needle' }, many);
      await catchUp(harness, 'posts');
      await copyPost(harness.running.infrastructure.pool, oldest, COPIES);
    });
    const page = async (query: string, cursor?: string): Promise<{ ids: string[]; next: string | null }> => {
      const { body } = await caller.get(`/posts?limit=50&${query}${cursor ? `&cursor=${cursor}` : ''}`).expect(200);
      return { ids: body.items.map(({ id }: { id: string }) => id), next: body.next };
    };

    it('finds a rare word at once, however old the post', async () => {
      expect(await page(text('needle'))).toEqual({ ids: [oldest], next: null });
      expect(await page(`${text('needle')}&order=publish_at`)).toEqual({ ids: [oldest], next: null });
      const { ids } = await page(text('ordinary 123'));
      expect(ids).toHaveLength(50);
      expect(ids).toEqual(ids.toSorted().toReversed());
    });

    it('fills a page with the newest posts that have a common word', async () => {
      const first = await page(text('ordinary'));
      expect(first.ids).toHaveLength(50);
      const second = await page(text('ordinary'), first.next!);
      expect(second.ids).toHaveLength(50);
      const both = [...first.ids, ...second.ids];
      expect(both).toEqual([...new Set(both)].toSorted().toReversed());
      expect((await page(`${text('ordinary')}&order=publish_at`)).ids).toHaveLength(50);
    });

    it.each(['', '&order=publish_at'])(
      'looks at a part of the posts for each page%s, and goes on from there',
      async (order) => {
        const query = `${text('ordinary')}&external_id=of-the-oldest${order}`;
        const found: string[][] = [];
        for (let cursor: string | null | undefined; cursor !== null;) {
          const { ids, next } = await page(query, cursor);
          found.push(ids);
          cursor = next;
        }
        // 20,000 posts a page.
        expect(found).toEqual([[], [], [oldest]]);
      },
    );
  });

  it('finds what waits and what has ended on one channel, page by page', async () => {
    const first = await PublishingSetup.create(harness, await createOwner(harness));
    const { channel, endpoint, owner } = first;
    const second = await PublishingSetup.create(harness, owner);
    const list = (query: string) => find(query, owner.caller);
    await owner.caller.post(`/channels/${channel.id}/pause`, { minutes: 60 }).expect(200);
    const waiting = await first.sendPost({ text: 'Waits' });
    await first.waitForRule(waiting, 'channel_pause');
    expect(await list(`channel_id=${channel.id}&state=queued`)).toEqual([waiting]);
    expect(await list(`channel_id=${second.channel.id}&state=queued`)).toEqual([]);
    const stopped = await first.sendPost({ text: 'Is stopped' });
    for (const id of [waiting, stopped]) await owner.caller.post(`/posts/${id}/cancel`, {}).expect(200);
    const dismissed = `channel_id=${channel.id}&state=dismissed`;
    expect(await list(dismissed)).toEqual([stopped, waiting]);
    expect(await list(`${dismissed}&endpoint_id=${endpoint.id}`)).toEqual([stopped, waiting]);
    expect(await list(`channel_id=${second.channel.id}&state=dismissed`)).toEqual([]);
    const newest = (await owner.caller.get(`/posts?limit=1&${dismissed}`)).body;
    expect(await list(`${dismissed}&cursor=${newest.next}`)).toEqual([waiting]);
  });
});

const readWords = async (pool: Pool, postId: string): Promise<string | undefined> => {
  const { rows } = await pool.query<{ words: string }>(
    `select words::text from ${readSchema('posts', POSTS_VERSION)}.post_words where post_id = $1`,
    [postId],
  );
  return rows[0]?.words;
};

/** Adds newer copies of a post, with other words, and gives the post an `external_id`. */
const copyPost = async (pool: Pool, id: string, copies: number): Promise<void> => {
  const { rows } = await pool.query<{ schema: string }>(
    `select schemaname as schema from pg_indexes where indexname = 'post_words_found'`,
  );
  const schema = rows.find((row) => row.schema.startsWith('posts_v'))!.schema;
  const { rows: columns } = await pool.query<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_schema = $1 and table_name = 'post' order by ordinal_position`,
    [schema],
  );
  const copyId = `'post_ffff' || lpad(to_hex(n), 28, '0')`;
  const copied = columns.map(({ name }) =>
    name === 'post_id' ? copyId : name === 'publish_at' ? 'publish_at - n' : name === 'external_id' ? 'null' : name,
  );
  await pool.query(
    `insert into ${schema}.post select ${copied.join(', ')} from ${schema}.post, generate_series(1, ${copies}) n
     where post_id = $1`,
    [id],
  );
  await pool.query(
    `insert into ${schema}.post_words
     select ${copyId}, (owner_id || ' ordinary hay ' || n)::tsvector
     from ${schema}.post, generate_series(1, ${copies}) n where post_id = $1`,
    [id],
  );
  await pool.query(`update ${schema}.post set external_id = 'of-the-oldest' where post_id = $1`, [id]);
  await pool.query(`analyze ${schema}.post`);
  await pool.query(`analyze ${schema}.post_words`);
};
