import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLIENTS, headersOf } from '../mcp/assistant-clients.js';
import { findLogEntry } from './gate/calls.js';
import { type TestChannel, type TestEndpoint, TestGateway } from './gateway.js';

let gateway: TestGateway;
let folder: string;
let channels: TestChannel[];
let endpoint: TestEndpoint;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'target-cap-'));
  const { A } = JSON.parse(await readFile('src/config/limits-profiles.json', 'utf8'));
  A.min_interval = { min: 0, max: 60, default: 0 };
  A.plans.pro.resources = { targets_per_post: 2 };
  const LIMITS_PROFILE = join(folder, 'limits.json');
  await writeFile(LIMITS_PROFILE, JSON.stringify(A));
  gateway = await TestGateway.start({ LIMITS_PROFILE });
  const owner = await gateway.createOwner('pro');
  channels = [];
  for (const name of ['One', 'Two', 'Three']) channels.push(await gateway.createChannel(owner, name));
  // The second project shares a channel: each is addressed once (D-27).
  const projects = [
    await gateway.createProject(owner, channels.slice(0, 2)),
    await gateway.createProject(owner, channels.slice(1)),
  ];
  endpoint = await gateway.createEndpoint(owner, projects);
});
afterAll(async () => {
  await gateway.stop();
  await rm(folder, { recursive: true });
});

const MESSAGE =
  'This post addresses 3 targets; at most 2 are allowed. List fewer in `targets`, and send further posts to the others.';
const name = (count: number): { id: string }[] => channels.slice(0, count).map(({ id }) => ({ id }));
const ROUTES: Readonly<Record<string, (body: object) => Promise<{ status: number; body: unknown }>>> = {
  publishing: (body) => endpoint.post('', body),
  'the sandbox': (body) => endpoint.sandbox(body),
  'publishing with a management key': (body) => gateway.callManagement('POST', `/endpoints/${endpoint.id}/posts`, body),
  'the sandbox with a management key': (body) =>
    gateway.callManagement('POST', `/endpoints/${endpoint.id}/sandbox`, body),
};

describe.each(Object.keys(ROUTES))('%s refuses a post that addresses too many targets (D-67)', (route) => {
  const call = ROUTES[route]!;

  it.each([
    ['names them', () => ({ text: 'Ahoy', targets: name(3) })],
    ['names none and so addresses all', () => ({ text: 'Ahoy' })],
  ])('where it %s: 422 too_many_targets', async (_, payload) => {
    expect(await call(payload())).toMatchObject({
      status: 422,
      body: {
        ok: false,
        code: 'too_many_targets',
        errors: [`targets: ${MESSAGE}`],
        details: [{ path: 'targets', code: 'too_many_targets', message: MESSAGE }],
      },
    });
  });

  it('and accepts as many as are allowed', async () => {
    const targets = [...name(2), { id: 'tgt_unknown' }];
    expect(await call({ text: 'Ahoy', targets })).toMatchObject({ status: 200, body: { ok: true } });
  });
});

it('the assistant tools pass the refusal on', async () => {
  const assistant = await Object.values(CLIENTS)[0]!(`${gateway.url}/sse/${endpoint.slug}`, headersOf(endpoint.token));
  try {
    const refused = await assistant.call('service_publish', { text: 'Ahoy' });
    expect(refused.isError).toBe(true);
    expect(refused.content[0]!.text).toContain(MESSAGE);
    const checked = await assistant.call('service_sandbox', { text: 'Ahoy' });
    expect(checked.structuredContent).toMatchObject({ ok: false, code: 'too_many_targets' });
  } finally {
    await assistant.close();
  }
});

it('the request log has the figures', async () => {
  const answer = await endpoint.post('', { text: 'Ahoy' });
  const entry = await findLogEntry(gateway, endpoint, { ...answer, text: '' });
  expect(entry).toMatchObject({
    decision: 'rejected_validation',
    reason: 'too_many_targets',
    http_status: 422,
    why: { rule: 'too_many_targets', figures: { targets: 3, targets_per_post: 2 } },
  });
});
