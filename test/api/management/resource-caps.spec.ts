import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'supertest';
import {
  createChannel,
  createOwner,
  createProject,
  type ManagementHarness,
  operatorCaller,
  startHarness,
  type TestOwner,
} from './management-harness.js';

const CAPS = {
  channels: 3,
  projects: 3,
  endpoints: 3,
  webhook_outputs: 3,
  outputs_per_project: null,
  planned_posts: null,
  media_bytes: null,
  keys: null,
  targets_per_post: 2,
};

let harness: ManagementHarness;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'caps-'));
  const { A } = JSON.parse(await readFile('src/config/limits-profiles.json', 'utf8'));
  A.plans.pro.resources = CAPS;
  A.plans.maxi.resources = { ...CAPS, channels: 1, projects: 1, endpoints: 1, webhook_outputs: 1 };
  A.plans.standard.resources = { projects: 2, webhook_outputs: 10, outputs_per_project: 3 };
  delete A.plans.business.resources;
  const LIMITS_PROFILE = join(folder, 'limits.json');
  await writeFile(LIMITS_PROFILE, JSON.stringify(A));
  harness = await startHarness({ LIMITS_PROFILE });
});
afterAll(async () => {
  await harness.stop();
  await rm(folder, { recursive: true });
});

/** Creates one of each kind; all calls are the same, so that only the cap distinguishes the answers. */
const KINDS = {
  channels: ({ caller }: TestOwner): Test =>
    caller.post('/channels', {
      platform: 'telegram',
      name: 'News',
      credentials: { bot_token: '1:test-token', chat_id: '-100500' },
    }),
  projects: ({ caller }: TestOwner): Test => caller.post('/projects', { name: 'News', channel_ids: [] }),
  endpoints: ({ caller }: TestOwner): Test => caller.post('/endpoints', { project_ids: [], mode: 'live' }),
  webhook_outputs: ({ caller }: TestOwner, project: string): Test =>
    caller.post('/webhook-outputs', { project_id: project, url: 'https://shop.example.com/hook' }),
};
type Kind = keyof typeof KINDS;
const pathOf = (kind: Kind): string => `/${kind.replace('_', '-')}`;

const countShown = async ({ caller }: TestOwner, kind: Kind): Promise<number> =>
  (await caller.get(`${pathOf(kind)}?limit=200`).expect(200)).body.items.length;

/** Creates an owner. For outputs it has a project, which counts against another cap. */
const prepare = async (kind: Kind, plan = 'pro'): Promise<{ owner: TestOwner; create: () => Test }> => {
  const owner = await createOwner(harness, plan);
  const project = kind === 'webhook_outputs' ? await createProject(owner, []) : '';
  return { owner, create: () => KINDS[kind](owner, project) };
};

const WORDS = {
  channels: 'channels',
  projects: 'projects',
  endpoints: 'endpoints',
  webhook_outputs: 'webhook outputs',
};

describe.each(Object.keys(KINDS) as Kind[])('the cap on %s (D-67)', (kind) => {
  it('refuses one more with 402 resource_limit and the figures; what is deleted does not count', async () => {
    const { owner, create } = await prepare(kind);
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push((await create().expect(201)).body.id);
    const { body } = await create().expect(402);
    const message =
      `This owner has 3 ${WORDS[kind]}, and the plan "pro" allows 3. ` +
      'Delete what is not needed, or use a plan that allows more.';
    expect(body).toMatchObject({
      ok: false,
      code: 'resource_limit',
      errors: [message],
      details: [{ path: '', code: 'resource_limit', message }],
      resource: kind,
      existing: 3,
      allowed: 3,
      plan: 'pro',
    });
    expect(await countShown(owner, kind)).toBe(3);
    await owner.caller.delete(`${pathOf(kind)}/${ids[1]}`).expect(204);
    await create().expect(201);
    await create().expect(402);
  });

  it('holds for concurrent creations', async () => {
    const { owner, create } = await prepare(kind);
    const statuses = (await Promise.all(Array.from({ length: 16 }, create))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(3);
    expect(statuses.filter((status) => status === 402)).toHaveLength(13);
    expect(await countShown(owner, kind)).toBe(3);
  });

  it('removes nothing after a downgrade, and lets nothing be added', async () => {
    const { owner, create } = await prepare(kind);
    const { id } = (await create().expect(201)).body;
    await create().expect(201);
    await operatorCaller(harness).patch(`/owners/${owner.id}`, { plan: 'maxi' }).expect(200);
    expect((await create().expect(402)).body).toMatchObject({ existing: 2, allowed: 1, plan: 'maxi' });
    expect(await countShown(owner, kind)).toBe(2);
    await owner.caller.get(`${pathOf(kind)}/${id}`).expect(200);
  });

  it('does not limit a plan without a cap', async () => {
    const { create } = await prepare(kind, 'business');
    for (let i = 0; i < 4; i++) await create().expect(201);
  });
});

describe('the cap on the webhook outputs of a project (D-82)', () => {
  const prepareProjects = async () => {
    const owner = await createOwner(harness, 'standard');
    const [first, second] = [await createProject(owner, []), await createProject(owner, [])];
    const create = (project: string): Test => KINDS.webhook_outputs(owner, project);
    return { owner, first, second, create };
  };

  it('refuses one more with 402 resource_limit and the figures; other projects and deleted outputs do not count', async () => {
    const { owner, first, second, create } = await prepareProjects();
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push((await create(first).expect(201)).body.id);
    const { body } = await create(first).expect(402);
    expect(body).toMatchObject({
      code: 'resource_limit',
      errors: [expect.stringContaining('This owner has 3 outputs in this project, and the plan "standard"')],
      resource: 'outputs_per_project',
      existing: 3,
      allowed: 3,
      plan: 'standard',
    });
    await create(second).expect(201);
    await owner.caller.delete(`/webhook-outputs/${ids[0]}`).expect(204);
    await create(first).expect(201);
    await create(first).expect(402);
  });

  it('holds for concurrent creations', async () => {
    const { first, create } = await prepareProjects();
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => create(first)))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(3);
    expect(statuses.filter((status) => status === 402)).toHaveLength(5);
  });
});

describe('places of new resources', () => {
  const countReservations = async (): Promise<number> => {
    const { rows } = await harness.running.infrastructure.pool.query<{ n: number }>(
      'select count(*)::int as n from ops_resource_reservation',
    );
    return rows[0]!.n;
  };

  it('are given back once the read model counts the resource', async () => {
    await createChannel(await createOwner(harness, 'pro'));
    expect(await countReservations()).toBe(0);
  });

  it('are not needed for a repeat of a creation with its key', async () => {
    const { caller } = await createOwner(harness, 'pro');
    const create = (key: string): Test =>
      caller.post('/projects', { name: 'News', channel_ids: [] }, { 'idempotency-key': key });
    const keys = ['one', 'two', 'three'];
    const created = await Promise.all(keys.flatMap((key) => [create(key), create(key), create(key)]));
    expect(created.map(({ status }) => status)).toEqual(Array.from({ length: 9 }, () => 201));
    expect(new Set(created.map(({ body }) => body.id)).size).toBe(3);
    await create('four').expect(402);
    await create('one').expect(201);
    expect(await countReservations()).toBe(0);
  });

  it('of a process that died count until they expire', async () => {
    const owner = await createOwner(harness, 'pro');
    const { pool } = harness.running.infrastructure;
    const leave = (id: string, age: string) =>
      pool.query(
        "insert into ops_resource_reservation (resource_id, owner_id, kind, at) values ($1, $2, 'project', now() - $3::interval)",
        [id, owner.id, age],
      );
    await leave('prj_died_just_now', '9 minutes');
    await leave('prj_died_long_ago', '11 minutes');
    await createProject(owner, []);
    await createProject(owner, []);
    expect((await KINDS.projects(owner).expect(402)).body).toMatchObject({ existing: 3, allowed: 3 });
    await pool.query("delete from ops_resource_reservation where resource_id = 'prj_died_just_now'");
    await createProject(owner, []);
    expect(await countReservations()).toBe(0);
  });
});

it('owners and plans show their caps; null where there is none', async () => {
  const { id, caller } = await createOwner(harness, 'pro');
  expect((await caller.get(`/owners/${id}`).expect(200)).body.limits.resources).toEqual(CAPS);
  const { plans } = (await caller.get('/plans').expect(200)).body;
  expect(plans.pro.resources).toEqual(CAPS);
  const none = Object.fromEntries(Object.keys(CAPS).map((name) => [name, null]));
  expect(plans.business.resources).toEqual(none);
});
