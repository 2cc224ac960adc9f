import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, createManagement, GatewayError, verifyWebhook } from '../../clients/typescript/src/index.js';
import { createChannel, createEndpoint, createOwner, createProject } from '../api/management/management-harness.js';
import { type ManagementHarness, OPERATOR_KEY, startHarness } from '../api/management/management-harness.js';
import { until } from '../e2e/until.js';
import { UNLIMITED } from '../support/test-environment.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const ROOT = join(import.meta.dirname, '../..');

it('has the types of the documentation as it is: npm run openapi', () => {
  const options = { cwd: ROOT, encoding: 'utf8', maxBuffer: 10_000_000 } as const;
  const types = execFileSync(process.execPath, ['scripts/write-client-types.js', '--print'], options);
  expect(types).toBe(readFileSync(join(ROOT, 'clients/typescript/src/schema.ts'), 'utf8'));
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
    expect(await client.post(accepted.id!)).toMatchObject({
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

  it('manages with typed paths, bodies and answers', async () => {
    const manage = createManagement({ url: `${harness.url}/`, key: OPERATOR_KEY });
    const owner = await manage.post('/owners', { body: { name: 'Bo', plan: 'pro' }, idempotencyKey: 'owner-bo' });
    // The stored answer to the same key: a key is shown once.
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
    });
    await expect(own.get('/projections')).rejects.toMatchObject({ status: 403 });
    // @ts-expect-error -- an id is missing
    await expect(own.get('/projects/{id}')).rejects.toThrow('needs path: { id }');
    // @ts-expect-error -- there is no such plan
    await expect(manage.post('/owners', { body: { name: 'Bo', plan: 'gold' } })).rejects.toMatchObject({ status: 422 });
    expect(await manage.get('/history/log/checkpoint')).toMatch(/^.*\/history\n\d+\n/);
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
        ['webhook-signature', undefined, 'signature'], // the signature of the body alone does not suffice
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
const clientOf = (answers: readonly (readonly [status: number, retryAfter?: string] | null)[]) => {
  const sent: { url: string; headers: Record<string, string>; body: string | undefined }[] = [];
  const waits: number[] = [];
  const client = createClient({
    ...{ url: 'https://gateway.example/v1/webhooks/slug', token: 'token' },
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
    [[[500], [500], [500], [500], [200]], [2, 4, 8], FAILED],
    [[[503], [503], [503], [503], [200]], [5, 15, 45], { status: 503 }],
    [[[503, '30'], [200]], [30], 'ok'],
    [[[503, '1'], [200]], [5], 'ok'],
    [[[429, '1'], [429, '60'], [429], [200]], [1, 60, 8], 'ok'],
    [[[429, '121'], [200]], [], { status: 429, retryAfter: 121 }],
    [[null, null, [200]], [2, 4], 'ok'],
    [[null, null, null, null], [2, 4, 8], { status: 0, code: 'unreachable', requestId: null }],
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

  it('finds the sandbox beside an endpoint, also below a path', async () => {
    const { client, sent } = clientOf([[200]]);
    await client.sandbox({ text: 'a' });
    expect(sent[0]!.url).toBe('https://gateway.example/v1/sandbox/test');
  });
});
