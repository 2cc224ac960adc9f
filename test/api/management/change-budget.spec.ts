import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listManagementRoutes } from './changing-routes.js';
import {
  createOwner,
  type ManagementHarness,
  operatorCaller,
  startHarness,
  type TestOwner,
} from './management-harness.js';
import { LIMITS_PROFILE } from './publishing-setup.js';

let folder: string;
let harness: ManagementHarness;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'limits-'));
  const profile = join(folder, 'limits.json');
  const limits = JSON.parse(await readFile(LIMITS_PROFILE, 'utf8')) as object;
  await writeFile(profile, JSON.stringify({ ...limits, management_changes_per_minute: 1 }));
  harness = await startHarness({ LIMITS_PROFILE: profile });
});
afterAll(async () => {
  await harness?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Creates an owner that has made all its changes of this minute. */
const createBusyOwner = async (): Promise<TestOwner> => {
  const owner = await createOwner(harness);
  await owner.caller.patch(`/owners/${owner.id}`, { name: 'Mine' }).expect(200);
  return owner;
};

const call = ({ id, caller }: TestOwner, method: string, path: string) =>
  fetch(`${harness.url}/manage/v1${path.replace('/owners/:id', `/owners/${id}`).replaceAll(':', '')}`, {
    method,
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: '{}',
  });

const ROUTES = listManagementRoutes().filter(
  ({ method, operatorOnly }) => method !== 'GET' && operatorOnly === undefined,
);
const named = (isQuestion: boolean) =>
  ROUTES.filter((route) => route.isQuestion === isQuestion).map(
    (route) => [`${route.method} ${route.path}`, route] as const,
  );

describe('the budget for changes of an owner (D-83)', () => {
  it.each(named(false))('limits %s', async (_, { method, path }) => {
    const answer = await call(await createBusyOwner(), method, path);
    expect([answer.status, await answer.json()]).toMatchObject([429, { ok: false, code: 'too_many_changes' }]);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it.each(named(true))('does not limit %s, which changes nothing', async (_, { method, path }) => {
    expect((await call(await createBusyOwner(), method, path)).status).not.toBe(429);
  });

  it('leaves reading, other owners and the operator alone, and a refused change undone', async () => {
    const { id, caller } = await createBusyOwner();
    await caller.patch(`/owners/${id}`, { name: 'Too late' }).expect(429);
    const { body } = await caller.get(`/owners/${id}`).expect(200);
    expect(body.name).toBe('Mine');
    await createBusyOwner();
    for (const name of ['One', 'Two', 'Three'])
      await operatorCaller(harness).patch(`/owners/${id}`, { name }).expect(200);
  });

  it('counts a repeat of an Idempotency-Key, whose answer is kept', async () => {
    const { caller } = await createOwner(harness);
    const create = () => caller.post('/endpoints', { project_ids: [], mode: 'live' }, { 'idempotency-key': 'once' });
    await create().expect(201);
    await create().expect(429);
  });
});
