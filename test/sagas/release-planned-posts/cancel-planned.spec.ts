import { iso } from '../../../src/kernel/clock.js';
import { type TestChannel, type TestEndpoint, TestGateway } from '../../api/public/gateway.js';

/** More than a page of posts, which the command reads at a time. */
const MANY = 205;

let gateway: TestGateway;
let ownerId: string;
let projectId: string;
let channel: TestChannel;
let endpoint: TestEndpoint;
/** Lead of the clock of all processes, in ms. */
let ahead = 0;

beforeAll(async () => {
  const clock = { now };
  gateway = await TestGateway.start({}, clock, { clock });
  ownerId = await gateway.createOwner();
  channel = await gateway.createChannel(ownerId);
  projectId = await gateway.createProject(ownerId, [channel]);
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  endpoint = await gateway.createEndpoint(ownerId, [projectId]);
});

const now = (): number => Date.now() + ahead;
const plan = async (text: string, minutes = 60, to = endpoint): Promise<string> =>
  (await to.post('', { text, publish_at: iso(now() + minutes * 60_000) })).body.id;
const call = (verb: string, body: object = {}, headers: Record<string, string> = {}) =>
  gateway.callManagement('POST', `/endpoints/${endpoint.id}/${verb}`, body, headers);
const listPlanned = async (of = endpoint): Promise<string[]> =>
  (await gateway.manage('GET', `/posts?state=planned&endpoint_id=${of.id}`)).items.map(({ id }: { id: string }) => id);

describe('the planned posts of a stolen token (D-87)', () => {
  it('are counted when the token is replaced or the endpoint is disabled, and cancelled', async () => {
    const other = await gateway.createEndpoint(ownerId, [projectId]);
    const kept = await plan('kept', 60, other);
    const ids = [await plan('a'), await plan('b')];
    const { body: rotated } = await call('rotate-token');
    expect(rotated).toMatchObject({ planned_posts: 2, token: expect.any(String) });
    expect((await call('disable')).body).toMatchObject({ planned_posts: 2, is_active: false });
    const cancelled = await call('cancel-planned');
    expect([cancelled.status, cancelled.body]).toEqual([200, { cancelled: 2 }]);
    expect([await listPlanned(), await listPlanned(other)]).toEqual([[], [kept]]);
    expect((await call('cancel-planned')).body).toEqual({ cancelled: 0 });
    expect((await call('disable')).body.planned_posts).toBe(0);
    const post = await gateway.manage('GET', `/posts/${ids[0]}`);
    expect(post.publications).toMatchObject([{ state: 'dismissed' }]);
    const { items } = await gateway.manage('GET', `/history/events?type=PlannedPublicationsCancelled&limit=2`);
    expect(items).toMatchObject([{ actor: 'operator' }, { actor: 'operator' }]);
  });

  it('are cancelled since a time, which is that of their acceptance', async () => {
    const before = await plan('before');
    ahead += 3_600_000;
    const since = iso(now());
    await plan('after');
    await gateway.manage('PATCH', `/posts/${before}`, { publish_at: iso(now() + 7_200_000) });
    expect((await call('cancel-planned', { since })).body).toEqual({ cancelled: 1 });
    expect(await listPlanned()).toEqual([before]);
    expect((await call('cancel-planned', { since: null })).body).toEqual({ cancelled: 1 });
  });

  it('are cancelled page by page, and repeats cancel nothing more', async () => {
    await Promise.all(Array.from({ length: MANY }, (_, n) => plan(`many ${n}`)));
    const key = { 'idempotency-key': `cancel-${endpoint.id}` };
    const answers = await Promise.all([call('cancel-planned', {}, key), call('cancel-planned')]);
    const [mine, others] = answers.map(({ body }) => body.cancelled as number);
    expect(mine! + others!).toBe(MANY);
    const again = await call('cancel-planned', {}, key);
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([{ cancelled: mine }, 'true']);
    expect(await listPlanned()).toEqual([]);
  });

  it.each(['yesterday', '2026-02-30T00:00:00Z', 7])('refuses since: %j', async (since) => {
    const id = await plan('kept');
    const { status, body } = await call('cancel-planned', { since });
    expect([status, body.details[0]]).toMatchObject([422, { path: 'since', code: 'bad_time' }]);
    expect(await listPlanned()).toEqual([id]);
  });
});
