import { complaints } from './details.js';
import {
  type Caller,
  newChannel,
  newEndpoint,
  newOwner,
  operatorOf,
  type Owner,
  type Stage,
  startStage,
} from './stage.js';

describe('lists', () => {
  let stage: Stage;
  let operator: Caller;
  let owner: Owner;
  let other: Owner;
  const channels: string[] = [];
  beforeAll(async () => {
    stage = await startStage();
    operator = operatorOf(stage);
    [owner, other] = [await newOwner(stage), await newOwner(stage)];
    for (let i = 0; i < 7; i++) channels.push((await newChannel(owner, `Channel ${i}`)).id);
    await newChannel(other, 'Foreign');
  });
  afterAll(() => stage.stop());

  const idsOf = (items: { id: string }[]): string[] => items.map(({ id }) => id);

  it('go newest first, page by page, each thing once, also while more come', async () => {
    const seen: string[] = [];
    let cursor = '';
    for (let page = 0; ; page++) {
      const { body } = await owner.caller.get(`/channels?limit=3${cursor}`).expect(200);
      seen.push(...idsOf(body.items));
      if (page === 0) await newChannel(owner, 'Later');
      if (body.next === null) break;
      cursor = `&cursor=${body.next}`;
    }
    expect(seen).toEqual(channels.toReversed());
  });

  it('end exactly: a full last page has no next', async () => {
    const { body } = await owner.caller.get('/channels?limit=200').expect(200);
    const exact = await owner.caller.get(`/channels?limit=${body.items.length}`).expect(200);
    expect(exact.body).toEqual({ items: body.items, next: null });
    const { body: less } = await owner.caller.get(`/channels?limit=${body.items.length - 1}`).expect(200);
    expect(less.next).toEqual(expect.any(String));
  });

  it('show owners their own, and the operator everyone’s or one’s', async () => {
    const all = idsOf((await operator.get('/channels?limit=200')).body.items);
    expect(all).toEqual(expect.arrayContaining(channels));
    const foreign = idsOf((await operator.get(`/channels?owner_id=${other.id}`)).body.items);
    expect(foreign).toHaveLength(1);
    expect(idsOf((await other.caller.get(`/channels?owner_id=${other.id}`)).body.items)).toEqual(foreign);
    for (const list of ['projects', 'endpoints', 'posts'])
      expect((await owner.caller.get(`/${list}`).expect(200)).body).toEqual({ items: [], next: null });
    expect(idsOf((await operator.get('/owners')).body.items)).toEqual([other.id, owner.id]);
  });

  it.each(['owners', 'channels', 'projects', 'endpoints', 'posts'])(
    'of %s answer 404 to an owner who asks for another’s, and for nobody’s',
    async (list) => {
      for (const id of [owner.id, 'own_0']) {
        const { body } = await other.caller.get(`/${list}?owner_id=${id}`).expect(404);
        expect(body.code).toBe('not_found');
      }
    },
  );

  it('refuse a cursor that another kind of list gave', async () => {
    const { id } = await newEndpoint(owner, []);
    const lists = [`/channels`, `/channels/${channels[0]}/receipts`, `/endpoints/${id}/requests`];
    const statuses = async (key: string): Promise<string[]> => {
      const cursor = Buffer.from(key).toString('base64url');
      const answers = await Promise.all(lists.map((list) => owner.caller.get(`${list}?cursor=${cursor}`)));
      return answers.map(({ status, body }) => (status === 422 ? complaints(body).join() : String(status)));
    };
    const bad = 'cursor: bad_cursor';
    expect(await statuses(channels[0]!)).toEqual(['200', bad, bad]);
    expect(await statuses('5')).toEqual([bad, '200', bad]);
    expect(await statuses('1763729103000/5/0')).toEqual([bad, bad, '200']);
    for (const nobodys of ['1763729103000/9999999999999999999/0', '5/0', 'NaN', '-1'])
      expect(await statuses(nobodys)).toEqual([bad, bad, bad]);
  });

  it('of things take cursors of their own kind alone', async () => {
    const prefixes = { owners: 'own', channels: 'tgt', projects: 'prj', endpoints: 'ep', posts: 'post' };
    for (const list of Object.keys(prefixes))
      for (const [of, prefix] of Object.entries(prefixes)) {
        const cursor = Buffer.from(`${prefix}_${'f'.repeat(32)}`).toString('base64url');
        const { status, body } = await operator.get(`/${list}?cursor=${cursor}`);
        expect([list, of, status]).toEqual([list, of, list === of ? 200 : 422]);
        if (list !== of) expect(complaints(body)).toEqual(['cursor: bad_cursor']);
      }
  });

  it.each(['owners', 'channels', 'projects', 'endpoints', 'posts'])(
    'of %s refuse a bad limit, cursor or filter',
    async (list) => {
      const refused = async (query: string) => complaints((await operator.get(`/${list}?${query}`).expect(422)).body);
      for (const limit of ['0', '201', '-1', '1.5', 'many', '', '1&limit=2'])
        expect(await refused(`limit=${limit}`)).toEqual(['limit: out_of_range']);
      for (const cursor of ['x', 'AAAA', '', Buffer.from('own_1; drop').toString('base64url')])
        expect(await refused(`cursor=${cursor}`)).toEqual(['cursor: bad_cursor']);
      expect(await refused('limt=5')).toEqual(['limt: unknown_field']);
      expect(await refused('owner_id=%00')).toEqual(['owner_id: bad_form']);
    },
  );
});
