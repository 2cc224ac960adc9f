import request from 'supertest';
import {
  Caller,
  createChannel,
  createEndpoint,
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

  describe('for a key that may only post', () => {
    const issue = async (fields: object) => {
      const { body } = await owner.caller.post('/keys', { name: 'Anna', ...fields }).expect(201);
      return { id: owner.id, caller: new Caller(harness, body.key) };
    };

    it('is made and found as for others, and a key that only reads or approves gets neither', async () => {
      const anna = await issue({ scopes: ['post'] });
      for (const scopes of [['read'], ['approve']]) {
        const { body } = await open([project], await issue({ scopes })).expect(403);
        expect(body).toMatchObject({ code: 'missing_scope', needed: 'post' });
      }
      const { body } = await open([project], anna).expect(200);
      expect(body).toMatchObject({ is_console: true, requires_approval: false, project_ids: [project] });
      const other = await createProject(owner, []);
      const { body: both } = await open([other], anna).expect(200);
      expect(both).toMatchObject({ id: body.id, project_ids: [project, other] });
      expect((await open([], owner).expect(200)).body.id).toBe(body.id);
      const { body: sent } = await anna.caller.post(`/endpoints/${body.id}/posts`, { text: 'Hello' }).expect(200);
      expect(sent.queued_targets).toBe(1);
      // Nothing else about an endpoint is hers to change.
      await anna.caller.post('/endpoints', { project_ids: [project], mode: 'live' }).expect(403);
      await anna.caller.patch(`/endpoints/${body.id}`, { requires_approval: true }).expect(403);
      const limited = await issue({ scopes: ['post'], endpoint_ids: [body.id] });
      expect((await open([], limited).expect(403)).body.code).toBe('key_limited');
    });

    it('does not get around the approval that another endpoint requires', async () => {
      await createEndpoint(owner, [project], { requires_approval: true });
      const [poster, approver] = [await issue({ scopes: ['post'] }), await issue({ scopes: ['post', 'approve'] })];
      const { body: strict } = await open([project], poster).expect(200);
      expect(strict.requires_approval).toBe(true);
      const { body: sent } = await poster.caller.post(`/endpoints/${strict.id}/posts`, { text: 'Hello' }).expect(200);
      const { body: post } = await owner.caller.get(`/posts/${sent.id}`).expect(200);
      expect(post.approval.state).toBe('pending');

      await owner.caller.delete(`/endpoints/${strict.id}`).expect(204);
      const free = await createProject(owner, []);
      const { body: made } = await open([free], poster).expect(200);
      expect(made).toMatchObject({ requires_approval: false, project_ids: [free] });
      const { body: refusal } = await open([free, project], poster).expect(403);
      expect(refusal).toMatchObject({ code: 'missing_scope', needed: 'approve' });
      expect((await open([project], approver).expect(200)).body.project_ids).toEqual([free, project]);
      // It is there now, and nothing is added.
      await open([project], poster).expect(200);
    });
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
