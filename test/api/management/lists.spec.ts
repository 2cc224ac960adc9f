import {
  type Caller,
  createChannel,
  createEndpoint,
  createOwner,
  type ManagementHarness,
  operatorCaller,
  startHarness,
  type TestOwner,
} from './management-harness.js';
import { listProblems } from './problem-details.js';

describe('lists', () => {
  let harness: ManagementHarness;
  let operator: Caller;
  let owner: TestOwner;
  let other: TestOwner;
  const channels: string[] = [];
  beforeAll(async () => {
    harness = await startHarness();
    operator = operatorCaller(harness);
    [owner, other] = [await createOwner(harness), await createOwner(harness)];
    for (let i = 0; i < 7; i++) channels.push((await createChannel(owner, `Channel ${i}`)).id);
    await createChannel(other, 'Foreign');
  });
  afterAll(() => harness.stop());

  const idsOf = (items: { id: string }[]): string[] => items.map(({ id }) => id);

  it('return the newest first, page by page, each resource once, even while more are created', async () => {
    const seen: string[] = [];
    let cursor = '';
    for (let page = 0; ; page++) {
      const { body } = await owner.caller.get(`/channels?limit=3${cursor}`).expect(200);
      seen.push(...idsOf(body.items));
      if (page === 0) await createChannel(owner, 'Later');
      if (body.next === null) break;
      cursor = `&cursor=${body.next}`;
    }
    expect(seen).toEqual(channels.toReversed());
  });

  it('have no next cursor on a full last page', async () => {
    const { body } = await owner.caller.get('/channels?limit=200').expect(200);
    const exact = await owner.caller.get(`/channels?limit=${body.items.length}`).expect(200);
    expect(exact.body).toEqual({ items: body.items, next: null });
    const { body: less } = await owner.caller.get(`/channels?limit=${body.items.length - 1}`).expect(200);
    expect(less.next).toEqual(expect.any(String));
  });

  it('show owners their own resources, and the operator those of all owners or of one', async () => {
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
    'of %s return 404 to an owner who names another owner, or one that does not exist',
    async (list) => {
      for (const id of [owner.id, 'own_0']) {
        const { body } = await other.caller.get(`/${list}?owner_id=${id}`).expect(404);
        expect(body.code).toBe('not_found');
      }
    },
  );

  it('reject a cursor of another kind of list', async () => {
    const { id } = await createEndpoint(owner, []);
    const lists = [`/channels`, `/channels/${channels[0]}/receipts`, `/endpoints/${id}/requests`];
    const statuses = async (key: string): Promise<string[]> => {
      const cursor = Buffer.from(key).toString('base64url');
      const answers = await Promise.all(lists.map((list) => owner.caller.get(`${list}?cursor=${cursor}`)));
      return answers.map(({ status, body }) => (status === 422 ? listProblems(body).join() : String(status)));
    };
    const bad = 'cursor: bad_cursor';
    expect(await statuses(channels[0]!)).toEqual(['200', bad, bad]);
    expect(await statuses('5')).toEqual([bad, '200', bad]);
    expect(await statuses('1763729103000/5/0')).toEqual([bad, bad, '200']);
    for (const invalid of ['1763729103000/9999999999999999999/0', '5/0', 'NaN', '-1'])
      expect(await statuses(invalid)).toEqual([bad, bad, bad]);
  });

  it('of resources accept only cursors of their own kind', async () => {
    const prefixes = { owners: 'own', channels: 'tgt', projects: 'prj', endpoints: 'ep', posts: 'post' };
    for (const list of Object.keys(prefixes))
      for (const [of, prefix] of Object.entries(prefixes)) {
        const cursor = Buffer.from(`${prefix}_${'f'.repeat(32)}`).toString('base64url');
        const { status, body } = await operator.get(`/${list}?cursor=${cursor}`);
        expect([list, of, status]).toEqual([list, of, list === of ? 200 : 422]);
        if (list !== of) expect(listProblems(body)).toEqual(['cursor: bad_cursor']);
      }
  });

  it.each(['owners', 'channels', 'projects', 'endpoints', 'posts'])(
    'of %s reject a bad limit, cursor or filter',
    async (list) => {
      const listQueryProblems = async (query: string) =>
        listProblems((await operator.get(`/${list}?${query}`).expect(422)).body);
      for (const limit of ['0', '201', '-1', '1.5', 'many', '', '1&limit=2'])
        expect(await listQueryProblems(`limit=${limit}`)).toEqual(['limit: out_of_range']);
      for (const cursor of ['x', 'AAAA', '', Buffer.from('own_1; drop').toString('base64url')])
        expect(await listQueryProblems(`cursor=${cursor}`)).toEqual(['cursor: bad_cursor']);
      expect(await listQueryProblems('limt=5')).toEqual(['limt: unknown_field']);
      expect(await listQueryProblems('owner_id=%00')).toEqual(['owner_id: bad_form']);
    },
  );
});
