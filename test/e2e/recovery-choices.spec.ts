// More than 20 s: planned posts become due while they are held.
import type { Gateway } from '../support/gateway-process.js';
import { Program } from '../support/gateway-process.js';
import { createManagementClient, e2eTest } from './e2e-harness.js';
import type { Endpoint, Post } from './management-client.js';
import { accept, isPublished, later, readDegraded, readTexts, setUp, waitUntilMarked } from './restore-scenario.js';
import { until } from './until.js';

interface Counts {
  readonly state: string;
  readonly planned: number;
  readonly in_doubt: number;
}

/** Calls the management API with a key. */
const callWith = async (gateway: Gateway, key: string, method: string, path: string, body?: object) => {
  const answer = await fetch(`${gateway.url}/manage/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each route has its own body
  return { status: answer.status, body: (await answer.json()) as any };
};

const runCommand = async (gateway: Gateway, key: string, ...args: readonly string[]) => {
  const program = Program.spawn('crosspost', ['cli/main.js', ...args], {
    CROSSPOST_URL: gateway.url,
    CROSSPOST_KEY: key,
  });
  const { code } = await program.exited;
  await program.closed;
  return { code, output: program.output, errors: program.log };
};

const createOwner = async (gateway: Gateway, name: string, chatId: string) => {
  const manage = createManagementClient(gateway);
  const owner = await until('an owner', () =>
    manage.post<{ id: string; key: string }>('/owners', { name, plan: 'business' }),
  );
  const owner_id = owner.id;
  const channelOf = async (chat: string) => {
    const credentials = { bot_token: `1000:${'t'.repeat(35)}`, chat_id: chat };
    return manage.post<{ id: string }>('/channels', { owner_id, platform: 'telegram', name, credentials });
  };
  const [channel, paused] = [await channelOf(chatId), await channelOf(`${chatId}1`)];
  const endpointOf = async (channel_id: string, more: object = {}): Promise<Endpoint> => {
    const project = await manage.post<{ id: string }>('/projects', { owner_id, name, channel_ids: [channel_id] });
    const body = { owner_id, project_ids: [project.id], mode: 'live', min_interval: 0, ...more };
    const { id, slug, token } = await manage.post<{ id: string; slug: string; token: string }>('/endpoints', body);
    return { id, path: `/v1/webhooks/${slug}`, token, channels: [] };
  };
  const endpoint = await endpointOf(channel.id);
  const slow = await endpointOf(paused.id);
  const reviewed = await endpointOf(channel.id, { requires_approval: true });
  await manage.post(`/channels/${paused.id}/pause`, { minutes: 60 });
  const inAnHour = { publish_at: later(3_600_000) };
  return {
    ...owner,
    pausedChannel: paused.id,
    queued: await accept(gateway, slow, { text: `${name}: queued` }),
    changed: await accept(gateway, endpoint, { text: `${name}: changed`, ...inAnHour }),
    cancelled: await accept(gateway, endpoint, { text: `${name}: cancelled`, ...inAnHour }),
    approved: await accept(gateway, reviewed, { text: `${name}: approved`, ...inAnHour }),
    kept: await accept(gateway, endpoint, { text: `${name}: kept`, ...inAnHour }),
    plan: (text: string, publish_at: string) => accept(gateway, endpoint, { text: `${name}: ${text}`, publish_at }),
  };
};

e2eTest('each owner settles only its own posts after a restore, one by one or all at once', async (harness) => {
  const { telegram, settings } = await setUp(harness);
  let gateway = await harness.startGateway(settings);
  const ada = await createOwner(gateway, 'Ada', '-1001000001');
  const ben = await createOwner(gateway, 'Ben', '-1001000002');
  // Not before the restart, and while it is held.
  const soon = later(60_000);
  const overdue = await ada.plan('overdue', soon);
  await ben.plan('overdue', soon);
  await gateway.program.killAll();
  gateway = await harness.startGateway({ ...settings, RESTORED_AT: '2026-11-02T10:00:00Z' });
  await waitUntilMarked(gateway);
  const manage = createManagementClient(gateway);
  const heldOf = async (key: string) => (await callWith(gateway, key, 'GET', '/recovery')).body as Counts;
  const ruleOf = async (id: string) => (await manage.get<Post>(`/posts/${id}`)).publications[0]!.waiting_for?.rule;
  await until('look-ups have ended', async () => Boolean(await manage.post('/recovery/confirm')));
  expect(await heldOf(ada.key)).toMatchObject({ state: 'held', planned: 5, in_doubt: 1 });
  expect(await manage.get('/recovery')).toMatchObject({ planned: 10, in_doubt: 2 });

  // The overview has one item for all of it, and no other for the publications in doubt.
  const overview = (await callWith(gateway, ada.key, 'GET', '/overview')).body;
  expect(overview.attention.map(({ code }: { code: string }) => code)).not.toContain('in_doubt');
  expect(overview.attention[0]).toMatchObject({
    code: 'restored',
    count: 6,
    text: expect.stringContaining('5 planned posts are held, and 1 publications are in doubt'),
    action: { method: 'POST', path: '/recovery/confirm' },
  });
  const [network] = overview.networks.filter(({ platform }: { platform: string }) => platform === 'telegram');
  expect(network).toMatchObject({ state: 'in_doubt', in_doubt: 1 });

  // Another owner's posts are out of reach.
  const foreign = { owner_id: ben.id, planned: 'cancel', in_doubt: 'dismiss' };
  expect(await callWith(gateway, ada.key, 'POST', '/recovery/confirm', foreign)).toMatchObject({ status: 404 });
  expect(await callWith(gateway, ada.key, 'GET', `/recovery?owner_id=${ben.id}`)).toMatchObject({ status: 404 });

  // Changing, approving or cancelling a planned post settles that post.
  expect(await ruleOf(ada.changed)).toBe('restored');
  await callWith(gateway, ada.key, 'PATCH', `/posts/${ada.changed}`, { publish_at: later(7_200_000) });
  expect(await ruleOf(ada.changed)).toBe('scheduled');
  expect(await callWith(gateway, ada.key, 'POST', `/posts/${ada.approved}/approve`, { revision: 1 })).toMatchObject({
    status: 200,
  });
  expect(await ruleOf(ada.approved)).toBe('scheduled');
  await callWith(gateway, ada.key, 'POST', `/posts/${ada.cancelled}/cancel`);
  expect(await heldOf(ada.key)).toMatchObject({ planned: 2, in_doubt: 1 });

  // Held posts do not count as overdue, so no alert rings.
  await until('their time has passed', async () => {
    const { publish_at } = await manage.get<{ publish_at: string }>(`/posts/${overdue}`);
    return Date.parse(publish_at) < Date.now() - 1_000;
  });
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  expect(metrics).toMatch(/^crosspost_planned_post_overdue_seconds 0$/m);
  expect(await ruleOf(overdue)).toBe('restored');

  // By the command line, with the owner's key: what is kept and overdue is released at once, the doubt is sent again.
  const shown = await runCommand(gateway, ada.key, 'recovery');
  expect(shown).toMatchObject({ code: 0, errors: '' });
  expect(JSON.parse(shown.output)).toMatchObject({ state: 'held', planned: 2, in_doubt: 1 });
  const wrong = await runCommand(gateway, ada.key, 'recovery', 'confirm', '--planned', 'perhaps');
  expect(wrong).toMatchObject({ output: '', errors: expect.stringMatching(/planned/) });
  expect(wrong.code).not.toBe(0);
  await callWith(gateway, ada.key, 'POST', `/channels/${ada.pausedChannel}/resume`);
  const confirm = ['recovery', 'confirm', '--planned', 'keep', '--in-doubt', 'resend'];
  const settled = await runCommand(gateway, ada.key, ...confirm);
  expect({ ...settled, output: JSON.parse(settled.output) }).toEqual({
    code: 0,
    errors: '',
    output: { planned: 2, in_doubt: 1 },
  });
  for (const id of [overdue, ada.queued]) await until(`${id} is published`, () => isPublished(manage, id));
  expect(await ruleOf(ada.kept)).toBe('scheduled');
  expect(await readTexts(telegram)).toEqual(['Ada: overdue', 'Ada: queued']);
  expect(await heldOf(ada.key)).toMatchObject({ state: 'none', planned: 0, in_doubt: 0 });

  // The other owner's are still held, until the operator settles them.
  expect(await heldOf(ben.key)).toMatchObject({ state: 'held', planned: 5, in_doubt: 1 });
  expect(await readDegraded(gateway)).toContain('recovery');
  const byOperator = { owner_id: ben.id, planned: 'cancel', in_doubt: 'dismiss' };
  expect(await manage.post('/recovery/confirm', byOperator)).toEqual({ planned: 5, in_doubt: 1 });
  expect(await manage.get('/recovery')).toMatchObject({ state: 'none', planned: 0, in_doubt: 0 });
  await until('it is not degraded', async () => !(await readDegraded(gateway)).includes('recovery'));
  expect(await readTexts(telegram)).toEqual(['Ada: overdue', 'Ada: queued']);
});
