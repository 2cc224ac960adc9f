import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../e2e/until.js';
import { type TestChannel, type TestEndpoint, TestGateway } from '../gateway.js';
import { type Answer, findLogEntry, readRequestLog, sendRequest, startLimitClock, stopLimitClock } from './calls.js';

/** Version A of the limits, as its file defines it. */
const A = JSON.parse(readFileSync(new URL('../../../../src/config/limits-profiles.json', import.meta.url), 'utf8')).A;

let gateway: TestGateway;
let owner: string;
let channel: TestChannel;
let projects: string[];
beforeAll(async () => {
  gateway = await TestGateway.start({ LIMITS_PROFILE: 'A' });
  owner = await gateway.createOwner('business');
  channel = await gateway.createChannel(owner);
  projects = [await gateway.createProject(owner, [channel])];
  await stopLimitClock(gateway.pool);
});
afterAll(() => gateway.stop());

const endpointWith = (settings: object = {}): Promise<TestEndpoint> =>
  gateway.createEndpoint(owner, projects, { min_interval: 60, ...settings });
const key = (name: string) => ({ 'idempotency-key': name });
const listStatuses = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status);

describe('a post that is sent too soon (publish-api.md: Limits)', () => {
  it('is answered 429 with Retry-After in whole seconds; only the owner’s log has the figures of the plan', async () => {
    const endpoint = await endpointWith({ min_interval: 42 });
    await sendRequest(gateway.url, endpoint);
    const answer = await sendRequest(gateway.url, endpoint, { body: { text: 'again', trace_id: 'tr' } });
    expect(answer.status).toBe(429);
    const wait = Number(answer.headers.get('retry-after'));
    expect(Number.isInteger(wait) && wait >= 1 && wait <= 42).toBe(true);
    const message = `Too many requests: this endpoint accepts one post every 42 seconds. Retry in ${wait} s.`;
    expect(JSON.parse(answer.text)).toMatchObject({ ok: false, code: 'rate_limited', errors: [message] });
    expect([...answer.headers.keys()].filter((name) => /ratelimit/i.test(name))).toEqual([]);
    expect(await findLogEntry(gateway, endpoint, answer)).toMatchObject({
      decision: 'rejected_rate_limit',
      reason: 'min_interval',
      http_status: 429,
      trace_id: 'tr',
      why: {
        rule: 'min_interval',
        figures: { min_interval_seconds: 42, retry_after_seconds: wait, violations: 1, violations_to_disable: 5 },
        event_id: null,
      },
    });
  });

  it('is accepted after the time in Retry-After', async () => {
    const endpoint = await endpointWith({ min_interval: 1 });
    await startLimitClock(gateway.pool);
    // On a busy machine a second may pass between two posts.
    const answer = await until('a post comes too soon', async () => {
      const { status, ...more } = await sendRequest(gateway.url, endpoint);
      return status === 429 && more;
    });
    expect((JSON.parse(answer.text) as { readonly errors: unknown }).errors).toEqual([
      'Too many requests: this endpoint accepts one post per second. Retry in 1 s.',
    ]);
    await new Promise((resolve) => setTimeout(resolve, Number(answer.headers.get('retry-after')) * 1_000));
    expect((await sendRequest(gateway.url, endpoint)).status).toBe(200);
    await stopLimitClock(gateway.pool);
  });
});

describe('a post to an endpoint without a project (D-10)', () => {
  it('takes rate-limit tokens like any other, with a key or without', async () => {
    for (const headers of [{}, key('nowhere')]) {
      const endpoint = await gateway.createEndpoint(owner, [], { min_interval: 60 });
      const first = await sendRequest(gateway.url, endpoint, { headers });
      expect(JSON.parse(first.text)).toMatchObject({ id: null, queued_targets: 0 });
      expect(listStatuses([first, await sendRequest(gateway.url, endpoint)])).toEqual([200, 429]);
    }
  });
});

describe('a post that is rejected for its content', () => {
  it.each([
    ['invalid JSON', '{', 400],
    ['a violated schema', { text: 7 }, 422],
    ['a document', { media: [{ type: 'document', url: 'https://example.com/a.pdf' }] }, 400],
    ['an unknown target', { text: 'x', targets: [{ id: 'tgt_none' }] }, 422],
    ['media at a private address', { media: [{ type: 'photo', url: 'https://127.0.0.1/a.jpg' }] }, 400],
  ])('takes no rate-limit tokens, so that the next post is accepted: %s (D-16)', async (_, body, status) => {
    const endpoint = await endpointWith();
    expect((await sendRequest(gateway.url, endpoint, { body, headers: key('k') })).status).toBe(status);
    expect((await sendRequest(gateway.url, endpoint, { headers: key('k') })).status).toBe(200);
  });
});

describe('a request with a known key', () => {
  it('is answered 202 with the same bytes whatever the limits are, and is no violation (D-7, D-9)', async () => {
    const endpoint = await endpointWith();
    const first = await sendRequest(gateway.url, endpoint, { headers: key('k') });
    const repeats = [];
    for (let i = 0; i < 6; i++) repeats.push(await sendRequest(gateway.url, endpoint, { headers: key('k') }));
    expect(listStatuses(repeats)).toEqual(Array(6).fill(202));
    expect(new Set([first, ...repeats].map(({ text }) => text)).size).toBe(1);
    expect((await sendRequest(gateway.url, endpoint)).status).toBe(429); // still within the interval, and not disabled
  });

  it('is accepted once if fifty arrive at once under an interval: one 200, forty-nine 202, no violation (D-19)', async () => {
    const endpoint = await endpointWith();
    const body = { text: 'fifty', external_id: 'ext-50' };
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => sendRequest(gateway.url, endpoint, { body, headers: key('fifty') })),
    );
    expect(listStatuses(answers).sort()).toEqual([200, ...Array<number>(49).fill(202)]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const { violations } = (await readLimitRow(endpoint))!;
    expect(violations).toEqual([]);
  });

  it('is recognised by header or external_id, and crossed keys are one post (D-19)', async () => {
    const endpoint = await endpointWith();
    const send = (header: string | undefined, external_id?: string) =>
      sendRequest(gateway.url, endpoint, { body: { text: 'x', external_id }, headers: { 'idempotency-key': header } });
    const crossed = await Promise.all([send('a', 'b'), send('b', 'a')]);
    expect(listStatuses(crossed).sort()).toEqual([200, 202]);
    const known = await Promise.all([send('a'), send(undefined, 'b'), send('b', 'c')]);
    expect(listStatuses(known)).toEqual([202, 202, 202]);
  });

  it('reports a different payload in the answer and in the log (D-19)', async () => {
    const endpoint = await endpointWith();
    const first = await sendRequest(gateway.url, endpoint, { body: { text: 'one' }, headers: key('k') });
    const other = await sendRequest(gateway.url, endpoint, {
      body: { text: 'two', trace_id: 'mine' },
      headers: key('k'),
    });
    expect([other.status, other.text, other.headers.get('idempotency-payload-mismatch')]).toEqual([
      ...[202, first.text, 'true'],
    ]);
    const [event] = await readAcceptedEvents(endpoint);
    expect(await findLogEntry(gateway, endpoint, other)).toMatchObject({
      decision: 'accepted_idempotent_replay',
      reason: 'payload_mismatch',
      http_status: 202,
      trace_id: 'mine',
      post_id: JSON.parse(first.text).id,
      why: { rule: 'idempotency_key', figures: { keys: ['k'], payload_mismatch: true }, event_id: event!.id },
    });
  });

  it('is answered sixty times a minute; the sixty-first is answered 429 and is no violation (D-45)', async () => {
    const endpoint = await endpointWith();
    await sendRequest(gateway.url, endpoint, { headers: key('k') });
    const answers = await Promise.all(
      Array.from({ length: 66 }, () => sendRequest(gateway.url, endpoint, { headers: key('k') })),
    );
    expect(listStatuses(answers).filter((status) => status === 202)).toHaveLength(60);
    expect(listStatuses(answers).filter((status) => status === 429)).toHaveLength(6);
    expect((await readLimitRow(endpoint))!.disabled).toBe(false);
  });
});

describe('separate budgets (D-17)', () => {
  it('discovery and the list of posts have sixty requests a minute together, pausing and resuming too, and neither uses the limits of posts', async () => {
    const endpoint = await endpointWith();
    const many = (count: number, send: (i: number) => Promise<{ status: number }>) =>
      Promise.all(Array.from({ length: count }, async (_, i) => (await send(i)).status));
    const discovery = await many(61, (i) => (i % 2 ? endpoint.info() : endpoint.listPosts('?state=planned')));
    const pauses = await many(61, (i) =>
      endpoint.post(i % 2 ? 'temp-pause' : 'temp-resume', i % 2 ? { minutes: 1 } : {}),
    );
    expect(discovery.toSorted()).toEqual([...Array<number>(60).fill(200), 429]);
    expect(pauses.filter((status) => status === 429)).toHaveLength(1);
    expect((await sendRequest(gateway.url, endpoint)).status).toBe(200);
  });

  it('the sandbox has a daily quota, for plans that have one (publish-api.md: Limits)', async () => {
    const ownerId = await gateway.createOwner('free');
    const endpoint = await gateway.createEndpoint(ownerId, [], { mode: 'test', min_interval: 60 });
    await gateway.pool.query(
      `insert into ops_budget (payer_id, budget, day, day_count)
       values ($1, 'sandbox', (ops_read_clock() at time zone 'UTC')::date, 99)`,
      [ownerId],
    );
    const [last, over] = [await endpoint.sandbox({ text: 'x' }), await endpoint.sandbox({ text: 'x' })];
    expect([last.status, over.status]).toEqual([200, 429]);
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await readRequestLog(gateway, endpoint)).toEqual([]); // D-44
  });
});

describe('the monthly quota (D-18, D-46)', () => {
  it('rejects posts with 402 when nothing is left, names the event, and accepts posts again with a post pack', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'crosspost-limits-'));
    const file = join(folder, 'small.json');
    const plans = { ...A.plans, pro: { ...A.plans.pro, monthly_posts: 2 } };
    await writeFile(file, JSON.stringify({ ...A, plans, min_interval: { min: 0, max: 60, default: 0 } }));
    const small = await TestGateway.start({ LIMITS_PROFILE: file });
    try {
      const ownerId = await small.createOwner('pro');
      const target = await small.createChannel(ownerId);
      const endpoint = await small.createEndpoint(ownerId, [await small.createProject(ownerId, [target])]);
      const publish = async (text: string): Promise<number> => {
        const { status } = await sendRequest(small.url, endpoint, { body: { text } });
        if (status === 200) await small.waitForText(target.chatId, text);
        return status;
      };
      const used = (count: number) =>
        until(
          `${count} posts used`,
          async () => (await small.manage('GET', `/owners/${ownerId}`)).posts_used === count,
        );
      expect([await publish('one'), await publish('two')]).toEqual([200, 200]);
      await used(2);

      const answer = await sendRequest(small.url, endpoint);
      expect(answer.status).toBe(402);
      expect(JSON.parse(answer.text)).toMatchObject({ ok: false, code: 'quota_exhausted' });
      const entry = await findLogEntry(small, endpoint, answer);
      expect(entry).toMatchObject({
        decision: 'rejected_tier',
        reason: 'monthly_quota',
        http_status: 402,
        why: { rule: 'monthly_quota', figures: { plan: 'pro', used: 2, left: 0 }, event_id: expect.any(String) },
      });

      await small.manage('POST', `/owners/${ownerId}/post-packs`, { posts: 1 });
      expect(await publish('three')).toBe(200);
      await used(3);
      expect(await publish('four')).toBe(402);
      await small.manage('PATCH', `/owners/${ownerId}`, { plan: 'business' });
      expect(await publish('five')).toBe(200);
    } finally {
      await small.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});

const readLimitRow = async ({ id }: TestEndpoint) => {
  const text = 'select violations, disabled from ops_limit where endpoint_id = $1';
  return (await gateway.pool.query<{ violations: unknown[]; disabled: boolean }>(text, [id])).rows[0];
};

/** Reads the acceptance events of an endpoint's posts. */
const readAcceptedEvents = async ({ id }: TestEndpoint) =>
  (await gateway.readAllEvents()).filter(
    ({ type, data }) => type === 'PostAccepted' && (data as { endpointId: string }).endpointId === id,
  );
