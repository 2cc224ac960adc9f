import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../e2e/until.js';
import { type TestEndpoint, TestGateway } from './gateway.js';

let gateway: TestGateway;
let folder: string;
let endpoint: TestEndpoint;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'planned-cap-'));
  const { A } = JSON.parse(await readFile('src/config/limits-profiles.json', 'utf8'));
  A.min_interval = { min: 0, max: 60, default: 0 };
  A.plans.pro.resources = { planned_posts: 3 };
  const LIMITS_PROFILE = join(folder, 'limits.json');
  await writeFile(LIMITS_PROFILE, JSON.stringify(A));
  gateway = await TestGateway.start({ LIMITS_PROFILE });
  const owner = await gateway.createOwner('pro');
  const project = await gateway.createProject(owner, [await gateway.createChannel(owner, 'One')]);
  endpoint = await gateway.createEndpoint(owner, [project]);
});
afterAll(async () => {
  await gateway.stop();
  await rm(folder, { recursive: true });
});

const publish_at = new Date(Date.now() + 3_600_000).toISOString();
const plan = (n: number) => endpoint.post('', { text: `later ${n}`, publish_at, external_id: `planned-${n}` });

it('plans as many posts as the plan allows, and takes their replays and unplanned posts beyond that (D-79)', async () => {
  const answers = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(plan));
  const planned = answers.flatMap(({ status, body }, n) => (status === 200 ? [{ n, id: body.id }] : []));
  expect(planned).toHaveLength(3);
  const refused = answers.filter(({ status }) => status !== 200);
  for (const { status, body } of refused) {
    expect(status).toBe(402);
    expect(body).toMatchObject({ code: 'resource_limit', resource: 'planned_posts', allowed: 3, plan: 'pro' });
  }
  expect((await plan(planned[0]!.n)).status).toBe(202);
  expect((await endpoint.post('', { text: 'now' })).status).toBe(200);
  const path = `/v1/webhooks/${endpoint.slug}/posts/${planned[0]!.id}`;
  const headers = { authorization: `Bearer ${endpoint.token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ text: 'changed', publish_at });
  expect((await gateway.call('PUT', path, { body, headers })).status).toBe(200);
  expect(await plan(9)).toMatchObject({ status: 402, body: { existing: 3 } });

  expect(
    (await gateway.call('DELETE', path, { headers: { authorization: headers.authorization } })).body,
  ).toMatchObject({ cancelled: 1 });
  await until('the cancelled post frees its place', async () => (await plan(9)).status === 200);
  expect((await plan(10)).status).toBe(402);
});
