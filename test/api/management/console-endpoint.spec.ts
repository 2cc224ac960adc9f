import request from 'supertest';
import {
  createChannel,
  createOwner,
  createProject,
  type ManagementHarness,
  operatorCaller,
  startHarness,
  type TestOwner,
} from './management-harness.js';
import { listProblems } from './problem-details.js';

describe('the endpoint of the console', () => {
  let harness: ManagementHarness;
  let owner: TestOwner;
  let project: string;
  beforeAll(async () => {
    harness = await startHarness();
  });
  afterAll(() => harness.stop());
  beforeEach(async () => {
    owner = await createOwner(harness);
    project = await createProject(owner, [(await createChannel(owner)).id]);
  });

  const open = (projectIds: readonly string[] = [project], { caller }: TestOwner = owner) =>
    caller.post('/endpoints/console', { project_ids: projectIds });
  const list = async () => (await owner.caller.get('/endpoints').expect(200)).body.items;

  it('is made when it is first needed, listed as such, and its token is shown to no one', async () => {
    const { body } = await open().expect(200);
    expect(body).toMatchObject({ is_console: true, is_active: true, mode: 'live', project_ids: [project] });
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['token']));
    expect(await list()).toEqual([body]);
    const { body: other } = await owner.caller.post('/endpoints', { project_ids: [project], mode: 'live' }).expect(201);
    expect(other.is_console).toBe(false);
    const { body: sent } = await owner.caller.post(`/endpoints/${body.id}/posts`, { text: 'Hello' }).expect(200);
    expect(sent.queued_targets).toBe(1);
  });

  it('is made once, however many tabs ask at the same time, and then posts to every project', async () => {
    const projects = [project, ...(await Promise.all([1, 2, 3].map(() => createProject(owner, []))))];
    const answers = await Promise.all(projects.map((id) => open([id])));
    const ids = new Set(answers.map(({ status, body }) => (expect(status).toBe(200), body.id)));
    expect(ids.size).toBe(1);
    const [endpoint, ...more] = await list();
    expect(more).toEqual([]);
    expect([...endpoint.project_ids].sort()).toEqual([...projects].sort());
    expect((await open([]).expect(200)).body.id).toBe(endpoint.id);
  });

  it('is another one after it was deleted', async () => {
    const { body: first } = await open().expect(200);
    await owner.caller.delete(`/endpoints/${first.id}`).expect(204);
    const { body: second } = await open().expect(200);
    expect(second.id).not.toBe(first.id);
    expect(second.is_console).toBe(true);
    expect(await list()).toEqual([second]);
  });

  it('stays within the plan: its input, and its cap', async () => {
    await operatorCaller(harness).patch(`/owners/${owner.id}`, { plan: 'free' }).expect(200);
    const { body } = await open().expect(402);
    expect(listProblems(body)).toEqual([': plan_not_allowed']);
    expect(await list()).toEqual([]);
  });

  it('belongs to an owner, and refuses projects of another', async () => {
    const stranger = await createOwner(harness);
    const { body } = await open([project], stranger).expect(422);
    expect(listProblems(body)).toEqual(['project_ids[0]: unknown_id']);
    await operatorCaller(harness).post('/endpoints/console', { project_ids: [] }).expect(422);
    const { body: own } = await operatorCaller(harness)
      .post('/endpoints/console', { project_ids: [], owner_id: owner.id })
      .expect(200);
    expect(own.owner_id).toBe(owner.id);
    await request(harness.url).post('/manage/v1/endpoints/console').send({ project_ids: [] }).expect(401);
  });
});
