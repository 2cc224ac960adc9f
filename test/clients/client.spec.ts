import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ClientOptions,
  createClient,
  createManagement,
  GatewayError,
  JsonText,
  verifyWebhook,
} from '../../clients/typescript/src/index.js';
import { createChannel, createEndpoint, createOwner, createProject } from '../api/management/management-harness.js';
import { type ManagementHarness, OPERATOR_KEY, startHarness } from '../api/management/management-harness.js';
import { until } from '../e2e/until.js';
import { UNLIMITED } from '../support/test-environment.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const ROOT = join(import.meta.dirname, '../..');

it('has the types of the documentation as it is: npm run openapi', () => {
  const options = { cwd: ROOT, encoding: 'utf8', maxBuffer: 10_000_000 } as const;
  const types = execFileSync(process.execPath, ['scripts/write-client-types.js', '--print'], options);
  const written = ['schema.ts', 'route-scopes.ts'].map((name) =>
    readFileSync(join(ROOT, 'clients/typescript/src', name), 'utf8'),
  );
  expect(types).toBe(written.join(''));
});

describe('the client and a gateway', () => {
  let harness: ManagementHarness;
  beforeAll(async () => {
    const env = { LIMITS_PROFILE: UNLIMITED, ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8', BRAND: 'acme-post' };
    harness = await startHarness(env);
  });
  afterAll(() => harness?.stop());

  it('makes every call, signed and with the headers of another brand', async () => {
    const owner = await createOwner(harness);
    const channel = (await createChannel(owner)).id;
    const project = await createProject(owner, [channel]);
    const strict = { require_signature: true, require_timestamp: true, min_interval: 0 };
    const endpoint = (await createEndpoint(owner, [project], strict)) as unknown as Record<
      'url' | 'token' | 'signing_secret',
      string
    >;
    const { url, token, signing_secret: signingSecret } = endpoint;
    const client = createClient({ url, token, signingSecret, brand: 'acme-post' });

    expect((await client.info()).projects).toMatchObject([
      { index: 0, targets: [{ id: channel, platform: 'telegram' }] },
    ]);
    expect(await client.sandbox({ text: 'Grüße' })).toMatchObject({ ok: true, would_create_post: true });
    const accepted = await client.publish({ text: 'Grüße' }, { idempotencyKey: 'one' });
    expect(accepted).toMatchObject({ ok: true, queued_targets: 1 });
    expect(await client.publish({ text: 'Grüße' }, { idempotencyKey: 'one' })).toEqual(accepted);
    expect((await client.publish({ text: 'Grüße' })).id).not.toBe(accepted.id);
    expect(await until('the post is shown', () => client.post(accepted.id!))).toMatchObject({
      id: accepted.id,
      publications: [{ platform: 'telegram' }],
    });
    expect(await client.pause({ project_minutes: 5 })).toMatchObject({ projects_affected: 1 });
    expect(await client.resume()).toMatchObject({ projects_affected: 1 });

    const unsigned = createClient({ url, token });
    await expect(unsigned.info()).rejects.toMatchObject({ name: 'GatewayError', status: 401, code: 'unauthorized' });
    const refusal = await client.publish({ text: '', media: [] }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(GatewayError);
    expect(refusal).toMatchObject({
      status: 422,
      code: 'invalid_payload',
      requestId: expect.stringMatching(/^req_/) as string,
    });
    expect((refusal as GatewayError).errors.length).toBeGreaterThan(0);
  });

  it('plans posts, lists, moves, replaces, cancels and withdraws them, signed', async () => {
    const owner = await createOwner(harness);
    const channel = (await createChannel(owner)).id;
    const project = await createProject(owner, [channel]);
    const settings = { require_signature: true, require_timestamp: true, min_interval: 0 };
    const { url, token, signing_secret } = (await createEndpoint(owner, [project], settings)) as unknown as Record<
      'url' | 'token' | 'signing_secret',
      string
    >;
    const client = createClient({ url, token, signingSecret: signing_secret, brand: 'acme-post' });
    const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();
    const [friday, saturday, sunday] = [inDays(1), inDays(2), inDays(3)];

    const first = await client.publish({ text: 'first', publish_at: sunday });
    const second = await client.publish({ text: 'second', publish_at: saturday });
    expect(first).toMatchObject({ state: 'planned', publish_at: sunday });
    await until('both are listed', async () => (await client.posts({ state: 'planned' })).items.length === 2);
    const page = await client.posts({ state: 'planned', limit: 1 });
    expect(page.items.map(({ id }) => id)).toEqual([second.id]);
    const rest = await client.posts({ state: 'planned', cursor: page.next! });
    expect(rest).toMatchObject({ ok: true, items: [{ id: first.id, revision: 1 }], next: null });
    expect((await client.posts()).items.map(({ id }) => id)).toEqual([second.id, first.id]);

    const moved = await client.reschedule(first.id!, friday);
    expect(moved).toMatchObject({ id: first.id, publish_at: friday, state: 'planned', revision: 2 });
    const replaced = await client.replace(first.id!, { text: 'better', publish_at: saturday }, { revision: 2 });
    expect(replaced).toMatchObject({ publish_at: saturday, revision: 3 });
    const stale = client.replace(first.id!, { text: 'lost' }, { revision: 2 });
    await expect(stale).rejects.toMatchObject({ name: 'GatewayError', status: 412, code: 'revision_mismatch' });
    expect(await client.reschedule(first.id!, null)).toMatchObject({ state: 'released', publish_at: null });
    const tooLate = client.reschedule(first.id!, friday);
    await expect(tooLate).rejects.toMatchObject({ status: 409, code: 'already_released' });

    expect(await client.cancel(second.id!)).toEqual({ ok: true, id: second.id, cancelled: 1 });
    expect(await client.cancel(second.id!)).toEqual({ ok: true, id: second.id, cancelled: 0 });
    await expect(client.reschedule(second.id!, friday)).rejects.toMatchObject({ status: 409, code: 'post_ended' });
    expect(await client.withdraw(second.id!)).toMatchObject({ withdrawing: 0, cancelled: 0, unchanged: 1 });
    const withdrawn = await client.withdraw(first.id!, { targets: [channel], reason: 'A wrong price' });
    expect(withdrawn).toMatchObject({ ok: true, id: first.id, unchanged: 0, publications: [{ platform: 'telegram' }] });
    expect(withdrawn.publications[0]!.withdrawal).toMatchObject({ reason: 'A wrong price' });
    const nowhere = client.withdraw(first.id!, { targets: [] });
    await expect(nowhere).rejects.toMatchObject({ status: 422 });
    await expect(client.cancel('post_unknown')).rejects.toMatchObject({ status: 404, code: 'not_found' });
    const past = client.publish({ text: 'past', publish_at: '2020-01-01T00:00:00Z' });
    await expect(past).rejects.toMatchObject({ status: 422, code: 'publish_at_past' });
  });

  it('edits a published post, signed, at the revision that it was read at', async () => {
    const owner = await createOwner(harness);
    const channel = (await createChannel(owner)).id;
    const settings = { require_signature: true, require_timestamp: true, min_interval: 0 };
    const { url, token, signing_secret } = (await createEndpoint(
      owner,
      [await createProject(owner, [channel])],
      settings,
    )) as unknown as Record<'url' | 'token' | 'signing_secret', string>;
    const client = createClient({ url, token, signingSecret: signing_secret, brand: 'acme-post' });
    const id = (await client.publish({ text: 'A tpyo' })).id!;
    const read = async () => (await client.post(id)).publications[0];
    await until('it is published', async () => (await read().catch(() => null))?.state === 'published');

    const dryRun = await client.edit(id, { text: 'A typo' }, { dryRun: true });
    expect(dryRun).toMatchObject({ ok: true, revision: 2, state: 'released', publications: [{ content_version: 1 }] });
    expect(dryRun.publications[0]!.requests).toMatchObject([{ method: 'editMessageText' }]);
    expect(await client.post(id)).toMatchObject({ revision: 1 });
    expect(await client.edit(id, { text: 'A typo' }, { revision: 1 })).toMatchObject({ revision: 2, warnings: [] });
    await until('readers see it', async () => (await read())?.content_version === 2);
    const stale = client.edit(id, { text: 'lost' }, { revision: 1 });
    await expect(stale).rejects.toMatchObject({ name: 'GatewayError', status: 412, code: 'revision_mismatch' });
    await expect(client.edit(id, {})).rejects.toMatchObject({ status: 422 });
  });

  it('manages with typed paths, bodies and answers', async () => {
    const manage = createManagement({ url: `${harness.url}/`, key: OPERATOR_KEY });
    const owner = await manage.post('/owners', { body: { name: 'Bo', plan: 'pro' }, idempotencyKey: 'owner-bo' });
    // The same idempotency key gets the stored answer, without the API key, which is shown only once.
    expect(await manage.post('/owners', { body: { name: 'Bo', plan: 'pro' }, idempotencyKey: 'owner-bo' })).toEqual({
      ...owner,
      key: null,
    });
    const own = createManagement({ url: harness.url, key: owner.key! });
    const project = await own.post('/projects', { body: { name: 'One', channel_ids: [] } });
    await own.patch('/projects/{id}', { path: { id: project.id }, body: { name: 'Two' } });
    const { items } = await own.get('/projects', { query: { limit: 5 } });
    expect(items.map(({ name }) => name)).toEqual(['Two']);
    expect(await own.delete('/projects/{id}', { path: { id: project.id } })).toBeUndefined();
    await expect(own.get('/projects/{id}', { path: { id: project.id } })).rejects.toMatchObject({
      status: 404,
      code: 'not_found',
      route: `GET /manage/v1/projects/${project.id}`,
    });
    const text = new JsonText('{ "name": "Three",  "channel_ids": [], "name": "Four" }');
    await expect(own.post('/projects', { body: text })).rejects.toMatchObject({ status: 400, code: 'malformed' });
    await expect(own.get('/projections')).rejects.toMatchObject({ status: 403 });
    // @ts-expect-error -- an id is missing
    await expect(own.get('/projects/{id}')).rejects.toThrow('needs path: { id }');
    // @ts-expect-error -- there is no such plan
    await expect(manage.post('/owners', { body: { name: 'Bo', plan: 'gold' } })).rejects.toMatchObject({ status: 422 });
    expect(await manage.get('/history/log/checkpoint')).toMatch(/^.*\/history\n\d+\n/);
    const exported = await (await manage.open('/history/export')).text();
    expect(JSON.parse(exported.trim().split('\n').at(-1)!)).toMatchObject({ last: true });
    await expect(manage.post('/history/import', { body: exported })).rejects.toMatchObject({ code: 'store_not_empty' });
    const anonymous = createManagement({ url: harness.url, key: null });
    await expect(anonymous.get('/owners')).rejects.toMatchObject({ status: 401 });
  });

  it('verifies what the gateway delivers, over a rotation of the secret, and nothing else', async () => {
    const receiver = await WebhookReceiver.start();
    try {
      receiver.answer = () => ({ status: 204 });
      const manage = createManagement({ url: harness.url, key: OPERATOR_KEY });
      const owner = await createOwner(harness);
      const project_id = await createProject(owner, []);
      const output = await manage.post('/webhook-outputs', { body: { project_id, url: receiver.url } });
      const path = { id: output.id };
      const rotated = await manage.post('/webhook-outputs/{id}/rotate-secret', { path, body: { overlap_minutes: 60 } });
      await manage.post('/webhook-outputs/{id}/test', { path });
      const { raw, headers, body } = await until('it arrives', () => receiver.received[0]);
      for (const secret of [output.secret!, output.secret_whsec!, rotated.secret!, rotated.secret_whsec!])
        expect(await verifyWebhook({ secret, headers, body: raw })).toEqual(body);
      const secret = output.secret!;
      expect(await verifyWebhook({ secret, headers, body: raw.toString() })).toEqual(body);
      const asObject = new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]));
      expect(await verifyWebhook({ secret, headers: asObject, body: raw })).toEqual(body);

      for (const place of [0, Math.floor(raw.length / 2), raw.length - 1]) {
        const changed = Buffer.from(raw);
        changed[place]! ^= 1;
        await expect(verifyWebhook({ secret, headers, body: changed })).rejects.toThrow('signature');
      }
      const stale = String(Number(headers['webhook-timestamp']) - 301);
      for (const [name, value, reason] of [
        ['webhook-timestamp', stale, 'five minutes'],
        ['webhook-timestamp', undefined, 'five minutes'],
        ['webhook-timestamp', String(Number(headers['webhook-timestamp']) + 1), 'signature'],
        ['webhook-id', 'another', 'signature'],
        ['webhook-id', undefined, 'signature'],
        ['webhook-signature', 'v1,%%%', 'signature'],
        ['webhook-signature', undefined, 'signature'], // a signature of only the body is not enough
      ] as const)
        await expect(verifyWebhook({ secret, headers: { ...headers, [name]: value }, body: raw })).rejects.toThrow(
          reason,
        );
      for (const wrong of ['another', 'whsec_AAAA', 'whsec_%', ''])
        await expect(verifyWebhook({ secret: wrong, headers, body: raw })).rejects.toThrow(/signature|secret/);
    } finally {
      await receiver.close();
    }
  });
});

/** A client of a server that gives these answers in turn: status and Retry-After, or null for a lost connection. */
const clientOf = (
  answers: readonly (readonly [status: number, retryAfter?: string] | null)[],
  options: Pick<ClientOptions, 'longestWait' | 'wait'> = {},
) => {
  const sent: { url: string; headers: Record<string, string>; body: string | undefined }[] = [];
  const waits: number[] = [];
  const client = createClient({
    url: 'https://gateway.example/v1/webhooks/slug',
    token: 'token',
    fetch: async (url, { headers, body }) => {
      const answer = answers[sent.length];
      sent.push({ url, headers: headers as Record<string, string>, body: body as string | undefined });
      if (!answer) throw new TypeError('fetch failed');
      const [status, retryAfter] = answer;
      const text = status === 200 ? '{"ok":true}' : '{"ok":false,"errors":["no"],"code":"some","request_id":"req_1"}';
      const init = {
        status,
        headers: { 'content-type': 'application/json', ...(retryAfter && { 'retry-after': retryAfter }) },
      };
      return new Response(status >= 300 && status < 400 ? null : text, init);
    },
    wait: async (ms) => void waits.push(ms / 1000),
    ...options,
  });
  return { client, sent, waits };
};

describe('the retry policy (publish-api.md: Client retry policy)', () => {
  const FAILED = { status: 500, code: 'some', errors: ['no'], requestId: 'req_1' };
  const policy: readonly (readonly [
    answers: Parameters<typeof clientOf>[0],
    waits: readonly number[],
    outcome: 'ok' | Partial<GatewayError>,
  ])[] = [
    [[[200]], [], 'ok'],
    [[[500], [502], [504], [200]], [2, 4, 8], 'ok'],
    [[[500], [500], [500], [500], [500], [200]], [2, 4, 8, 16], FAILED],
    [[[503], [503], [503], [503], [503], [503], [200]], [5, 15, 45, 120, 300], { status: 503 }],
    [[[429], [429], [429], [429], [429], [200]], [2, 4, 8, 16], { status: 429 }],
    [[[503, '30'], [200]], [30], 'ok'],
    [[[503, '1'], [200]], [5], 'ok'],
    [Array.from({ length: 6 }, () => [503, '20'] as const), [20, 20, 45, 120, 300], { status: 503 }],
    [Array.from({ length: 5 }, () => [429, '1'] as const), [1, 1, 1, 1], { status: 429 }],
    [[[429, '1'], [429, '60'], [429], [200]], [1, 60, 8], 'ok'],
    [[[429, '121'], [200]], [], { status: 429, retryAfter: 121 }],
    [[null, null, [200]], [2, 4], 'ok'],
    [[null, null, null, null, null], [2, 4, 8, 16], { status: 0, code: 'unreachable', requestId: null }],
    ...[400, 401, 402, 403, 404, 409, 415, 422].map((status) => [[[status], [200]], [], { status }] as const),
    [[[307], [200]], [], { status: 307, code: 'redirected' }],
  ];
  it.each(policy)('%j: waits of %j s, %j', async (answers, expected, outcome) => {
    const { client, sent, waits } = clientOf(answers);
    const result = client.publish({ text: 'a' });
    if (outcome === 'ok') expect(await result).toEqual({ ok: true });
    else await expect(result).rejects.toMatchObject(outcome);
    expect(waits).toEqual(expected);
    expect(sent).toHaveLength(expected.length + 1);
    // Every attempt is the same post, with the same key.
    expect(new Set(sent.map(({ headers, body }) => `${headers['idempotency-key']} ${body}`)).size).toBe(1);
    expect(sent[0]!.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
  });

  it('gives up where the caller does not want to wait', async () => {
    const seen: unknown[] = [];
    const wait = (ms: number, error: GatewayError): Promise<void> => {
      seen.push([ms, error.status, error.route]);
      return Promise.reject(new Error('no time'));
    };
    const { client, sent } = clientOf([[503], [200]], { wait });
    await expect(client.publish({ text: 'a' })).rejects.toThrow('no time');
    expect(seen).toEqual([[5_000, 503, 'POST /v1/webhooks/slug']]);
    expect(sent).toHaveLength(1);
  });

  it('waits for longer than two minutes where the caller wants to', async () => {
    const { client, waits } = clientOf([[429, '3600'], [200]], { longestWait: Infinity });
    expect(await client.publish({ text: 'a' })).toEqual({ ok: true });
    expect(waits).toEqual([3_600]);
  });

  it('sends JSON as it was written', async () => {
    const { client, sent } = clientOf([[200]]);
    await client.publish(new JsonText('{ "text":  "a" }\n'));
    expect(sent[0]!.body).toBe('{ "text":  "a" }\n');
  });

  it('repeats a cancellation, and believes a 404', async () => {
    const { client, sent, waits } = clientOf([[500], [404]]);
    await expect(client.cancel('post_1')).rejects.toMatchObject({ status: 404 });
    expect(waits).toEqual([2]);
    expect(sent.map(({ url }) => url)).toEqual(
      Array.from({ length: 2 }, () => 'https://gateway.example/v1/webhooks/slug/posts/post_1'),
    );
  });

  it('finds the sandbox from the URL of an endpoint', async () => {
    const { client, sent } = clientOf([[200]]);
    await client.sandbox({ text: 'a' });
    expect(sent[0]!.url).toBe('https://gateway.example/v1/sandbox/test');
  });
});
