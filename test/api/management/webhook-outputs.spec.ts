import {
  createChannel,
  createOwner,
  createProject,
  type ManagementHarness,
  startHarness,
  type TestOwner,
} from './management-harness.js';

let harness: ManagementHarness;
let owner: TestOwner;
let project: string;
const URL = 'https://hooks.invalid/posts';
beforeAll(async () => {
  harness = await startHarness();
  owner = await createOwner(harness, 'standard');
  project = await createProject(owner, [(await createChannel(owner)).id]);
});
afterAll(() => harness.stop());

const create = async (more: object = {}) =>
  (await owner.caller.post('/webhook-outputs', { project_id: project, url: URL, ...more }).expect(201)).body;

it('shows a webhook output, its secret once in both forms', async () => {
  const created = await create();
  const { secret, secret_whsec, ...shown } = created;
  expect(Buffer.from(secret_whsec.slice('whsec_'.length), 'base64').toString()).toBe(secret);
  expect(shown).toMatchObject({
    id: expect.stringMatching(/^whk_[0-9a-f]{32}$/),
    owner_id: owner.id,
    project_id: project,
    url: URL,
    kinds: ['post.published'],
    is_active: true,
    disabled_by: null,
  });
  expect((await owner.caller.get(`/webhook-outputs/${created.id}`).expect(200)).body).toEqual(shown);
  expect((await owner.caller.get('/webhook-outputs?limit=1').expect(200)).body.items).toEqual([shown]);
});

it('is changed, disabled, enabled and deleted, as history shows', async () => {
  const { id } = await create();
  const kinds = ['post.completed', 'publication.failed'];
  const changed = await owner.caller.patch(`/webhook-outputs/${id}`, { url: `${URL}/2`, kinds }).expect(200);
  expect(changed.body).toMatchObject({ url: `${URL}/2`, kinds });
  const { body: disabled } = await owner.caller.post(`/webhook-outputs/${id}/disable`).expect(200);
  expect(disabled).toMatchObject({ is_active: false, disabled_by: 'owner' });
  expect((await owner.caller.post(`/webhook-outputs/${id}/enable`).expect(200)).body.is_active).toBe(true);
  await owner.caller.delete(`/webhook-outputs/${id}`).expect(204);
  await owner.caller.get(`/webhook-outputs/${id}`).expect(404);
  const { body } = await owner.caller.get(`/history/webhook-output/${id}`).expect(200);
  expect(body.state).toMatchObject({ url: `${URL}/2`, kinds, is_active: true, deleted_at: expect.any(String) });
  expect(body.events.map(({ type }: { type: string }) => type)).toEqual([
    ...['WebhookOutputCreated', 'WebhookOutputChanged', 'WebhookOutputDisabled', 'WebhookOutputEnabled'],
    'WebhookOutputDeleted',
  ]);
});

it('goes with its project', async () => {
  const own = await createProject(owner, []);
  const { id } = await create({ project_id: own });
  await owner.caller.delete(`/projects/${own}`).expect(204);
  await owner.caller.get(`/webhook-outputs/${id}`).expect(404);
});

it('answers a repeated creation with the same output, without the secret', async () => {
  const body = { project_id: project, url: URL };
  const call = () => owner.caller.post('/webhook-outputs', body, { 'idempotency-key': 'hook-1' }).expect(201);
  const [first, second] = [(await call()).body, (await call()).body];
  expect(second).toEqual({ ...first, secret: null, secret_whsec: null });
});

it.each([
  ['a URL without TLS', { url: 'http://example.org/' }, 'url'],
  ['a private address', { url: 'https://127.0.0.1/' }, 'url'],
  ['no URL', { url: undefined }, 'url'],
  ['an unknown kind', { kinds: ['post.deleted'] }, 'kinds[0]'],
  ['no kind', { kinds: [] }, 'kinds'],
  ['a kind twice', { kinds: ['test.ping', 'test.ping'] }, 'kinds[1]'],
  ['an unknown project', { project_id: 'prj_unknown' }, 'project_id'],
  ['an unknown field', { secret: 'x' }, 'secret'],
])('refuses %s', async (_, more, path) => {
  const { body } = await owner.caller.post('/webhook-outputs', { project_id: project, url: URL, ...more }).expect(422);
  expect(body.details.map((detail: { path: string }) => detail.path)).toEqual([path]);
});

it('asks for a plan with webhook output', async () => {
  const mini = await createOwner(harness, 'mini');
  const ofMini = await createProject(mini, []);
  const { body } = await mini.caller.post('/webhook-outputs', { project_id: ofMini, url: URL }).expect(402);
  expect(body.code).toBe('plan_not_allowed');
});
