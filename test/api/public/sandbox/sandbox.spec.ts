import { createHmac } from 'node:crypto';
import { gif, png, webp } from '../../../media/make-images.js';
import { makeVideo, webm } from '../../../media/make-videos.js';
import { sparse, TestHost } from '../../../media/test-host.js';
import { type Answer, type TestChannel, type TestEndpoint, TestGateway } from '../gateway.js';

let gateway: TestGateway;
let host: TestHost;
let owner: string;
let channel: TestChannel;
let project: string;
let endpoint: TestEndpoint;
beforeAll(async () => {
  gateway = await TestGateway.start({ ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' });
  host = await TestHost.start();
  owner = await gateway.createOwner();
  channel = await gateway.createChannel(owner);
  project = await gateway.createProject(owner, [channel]);
  endpoint = await gateway.createEndpoint(owner, [project], { mode: 'test' });
});
afterAll(async () => {
  await host.stop();
  await gateway.stop();
});

const createChannelOn = (platform: string, credentials: object, settings = {}): Promise<{ id: string }> =>
  gateway.manage('POST', '/channels', { owner_id: owner, platform, name: platform, credentials, settings });
/** Creates a VK channel that may upload. */
const createVkChannel = () => createChannelOn('vk', { access_token: 'T', upload_token: 'U', group_id: '5' });
const createMaxChannel = () => createChannelOn('max', { access_token: 'T', chat_id: '-7' });
const createOkChannel = (settings?: object) =>
  createChannelOn('ok', { application_key: 'K', application_secret: 'S', access_token: 'T', group_id: '5' }, settings);

/** A text of the maximum length. */
const longText = `${'word '.repeat(4_000).slice(0, 15_894)}.`;

describe('a payload that would be published (publish-api.md: POST /v1/sandbox/test)', () => {
  it('passes, and is previewed for telegram, vk and max', async () => {
    const { status, body } = await endpoint.sandbox({
      text: 'Ahoy',
      entities: [{ type: 'bold', offset: 0, length: 4 }],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ok: true,
      would_create_post: true,
      validation: { schema: 'passed', media: [], entities: 'passed' },
    });
    expect(Object.keys(body.preview)).toEqual(['telegram', 'vk', 'max']);
    for (const preview of Object.values<Answer['body']>(body.preview))
      expect(preview).toMatchObject({ text_after_trim: 'Ahoy', trimmed_chars: 0, requests: expect.any(Array) });
  });

  it('shows the calls that publishing then makes, to the channel of the post (D-38)', async () => {
    const live = await gateway.createEndpoint(owner, [project]);
    const payload = {
      text: 'Read on',
      entities: [{ type: 'italic', offset: 0, length: 4 }],
      buttons: [[{ text: 'More', url: 'https://example.com/more' }]],
    };
    const { requests } = (await live.sandbox(payload)).body.preview.telegram;
    await live.post('', payload);
    await gateway.waitForText(channel.chatId, 'Read on');
    const [call] = (await gateway.telegram.listCalls({ method: 'sendMessage' })).items;
    const called = { step: 'message', method: 'sendMessage', request: call!.request };
    expect(requests).toEqual([{ ...called, target_id: channel.id }]);
  });

  it.each([
    ['telegram', 4_096],
    ['max', 4_000],
  ])('is trimmed for %s between words, and the answer says by how much (D-23, D-44)', async (platform, limit) => {
    const preview = (await endpoint.sandbox({ text: longText })).body.preview[platform];
    const text: string = preview.text_after_trim;
    expect(text.length).toBeLessThanOrEqual(limit);
    expect(text.length).toBeGreaterThan(limit - 66);
    expect(text).toMatch(/ word…$/);
    expect(preview.trimmed_chars).toBe(longText.length - (text.length - 1));
    expect(preview.warnings).toContainEqual({ code: 'text_trimmed', message: expect.any(String) });
  });

  it('is not trimmed for vk', async () => {
    const bound = await gateway.createEndpoint(owner, [await gateway.createProject(owner, [await createVkChannel()])]);
    const { vk } = (await bound.sandbox({ text: longText })).body.preview;
    expect(vk).toMatchObject({ text_after_trim: longText, trimmed_chars: 0, warnings: [] });
  });

  it('causes warnings about content that a network does not support (D-22)', async () => {
    const buttons = [[{ text: 'More', url: 'https://example.com/more' }]];
    const bound = await gateway.createEndpoint(owner, [await gateway.createProject(owner, [await createVkChannel()])]);
    const { vk } = (await bound.sandbox({ text: 'Ahoy', buttons })).body.preview;
    expect(vk.warnings).toEqual([{ code: expect.stringMatching(/button/), message: expect.any(String) }]);
  });

  it('is previewed for the fourth network if the endpoint has a channel there (D-4), with that channel’s settings', async () => {
    const bound = await gateway.createEndpoint(owner, [
      await gateway.createProject(owner, [channel, await createOkChannel({ text_limit: 100 })]),
    ]);
    const { preview } = (await bound.sandbox({ text: longText })).body;
    expect(Object.keys(preview)).toEqual(['telegram', 'vk', 'max', 'ok']);
    expect(preview.ok.text_after_trim.length).toBeLessThanOrEqual(100);
    expect(JSON.stringify(preview.ok.requests)).not.toMatch(/"(K|S|T)"/);
  });

  it('would create no post if no project is bound', async () => {
    const unbound = await gateway.createEndpoint(owner, [], { mode: 'test' });
    expect((await unbound.sandbox({ text: 'Ahoy', targets: [{ id: 'tgt_none' }] })).body).toMatchObject({
      ok: true,
      would_create_post: false,
    });
  });

  it('leaves no trace: no post, no publication, no quota, no entry in the log (D-44)', async () => {
    const before = await gateway.manage('GET', `/posts?endpoint_id=${endpoint.id}`);
    expect((await endpoint.sandbox({ text: 'Ahoy' }, { 'idempotency-key': 'sandbox' })).status).toBe(200);
    expect((await endpoint.sandbox({ text: 'Ahoy' }, { 'idempotency-key': 'sandbox' })).status).toBe(200);
    expect((await endpoint.sandbox('{')).status).toBe(400);
    expect(await gateway.manage('GET', `/posts?endpoint_id=${endpoint.id}`)).toEqual(before);
    expect((await gateway.manage('GET', `/endpoints/${endpoint.id}/requests`)).items).toEqual([]);
  });
});

describe('the calls of a preview (D-38)', () => {
  const matchWarning = (code: string, more: object = {}) => ({ code, message: expect.any(String), ...more });

  it('are empty on networks that the post does not go to, and the texts are shown all the same', async () => {
    const [vk, ok] = [await createVkChannel(), await createOkChannel()];
    const all = await gateway.createEndpoint(owner, [await gateway.createProject(owner, [channel, vk, ok])]);
    const { body } = await all.sandbox({ text: 'only vk', targets: [{ id: vk.id }] });
    const unpublished = {
      text_after_trim: 'only vk',
      trimmed_chars: 0,
      requests: [],
      warnings: [matchWarning('no_target')],
      can: expect.objectContaining({ withdraw: true, withdraw_until: null }),
    };
    expect(body.would_create_post).toBe(true);
    const others = { telegram: unpublished, max: unpublished, ok: unpublished };
    expect(body.preview).toEqual({
      ...others,
      vk: {
        ...unpublished,
        requests: [expect.objectContaining({ step: 'post', method: 'wall.post', target_id: vk.id })],
        warnings: [],
      },
    });
    expect(body.preview.telegram.warnings[0].message).toMatch(/none of the post's targets is there/);
    expect(body.preview.max.warnings[0].message).toMatch(/has no channel there/);
  });

  it('are empty on every network if no project is bound', async () => {
    const unbound = await gateway.createEndpoint(owner, [], { mode: 'test' });
    for (const preview of Object.values<Answer['body']>((await unbound.sandbox({ text: 'Ahoy' })).body.preview))
      expect(preview).toMatchObject({ text_after_trim: 'Ahoy', requests: [], warnings: [{ code: 'no_target' }] });
  });

  it('omit a disabled channel, with a warning', async () => {
    const [disabled, enabled] = [await gateway.createChannel(owner), await gateway.createChannel(owner)];
    await gateway.manage('PATCH', `/channels/${disabled.id}`, { enabled: false });
    const both = await gateway.createEndpoint(owner, [await gateway.createProject(owner, [disabled, enabled])]);
    const disabledWarning = matchWarning('channel_disabled', { target_id: disabled.id });
    const targeted = (await both.sandbox({ text: 'Ahoy', targets: [{ id: disabled.id }] })).body;
    expect(targeted).toMatchObject({
      would_create_post: true,
      preview: { telegram: { text_after_trim: 'Ahoy', trimmed_chars: 0, requests: [] } },
    });
    expect(targeted.preview.telegram.warnings).toEqual([disabledWarning]);
    const { telegram } = (await both.sandbox({ text: 'Ahoy' })).body.preview;
    expect(telegram.requests).toMatchObject([{ target_id: enabled.id, request: { chat_id: enabled.chatId } }]);
    expect(telegram.warnings).toEqual([disabledWarning]);
    const { telegram: other } = (await both.sandbox({ text: 'Ahoy', targets: [{ id: enabled.id }] })).body.preview;
    expect(other.warnings).toEqual([]);
  });

  it('are those of every channel of the post, as its project processes it, in the order of the channels', async () => {
    const [plain, signed, filtered] = [
      await gateway.createChannel(owner),
      await gateway.createChannel(owner),
      await gateway.createChannel(owner),
    ];
    const withProcessing = async (one: TestChannel, processing: object) => {
      const id = await gateway.createProject(owner, [one, plain]);
      await gateway.manage('PATCH', `/projects/${id}`, { processing });
      return id;
    };
    const all = await gateway.createEndpoint(owner, [
      await gateway.createProject(owner, [plain]),
      await withProcessing(signed, { signature: { text: 'Acme' } }),
      await withProcessing(filtered, { filters: [{ mode: 'exclude', words: ['Ahoy'] }] }),
    ]);
    const payload = { text: `Ahoy ${'x'.repeat(5_000)}` };
    const { telegram } = (await all.sandbox(payload)).body.preview;
    const calls = telegram.requests.map(({ target_id, request }: Answer['body']) => [target_id, request.chat_id]);
    expect(calls).toEqual([
      [plain.id, plain.chatId],
      [signed.id, signed.chatId],
    ]);
    const [first, second] = telegram.requests.map(({ request }: Answer['body']) => request.text);
    expect(telegram.text_after_trim).toBe(first);
    expect(second).toMatch(/…\n\nAcme$/);
    expect(telegram.warnings).toEqual([
      matchWarning('text_trimmed', { target_id: plain.id }),
      matchWarning('text_trimmed', { target_id: signed.id }),
      matchWarning('filtered', { target_id: filtered.id }),
    ]);
    await all.post('', payload);
    await gateway.waitForText(plain.chatId, first);
    await gateway.waitForText(signed.chatId, second);
  });

  it('show a warning once that all channels have', async () => {
    const channels = [await createVkChannel(), await createVkChannel()];
    const both = await gateway.createEndpoint(owner, [await gateway.createProject(owner, channels)]);
    const buttons = [[{ text: 'More', url: 'https://example.com/more' }]];
    const { vk } = (await both.sandbox({ text: 'Ahoy', buttons })).body.preview;
    expect(vk.requests.map(({ target_id }: Answer['body']) => target_id)).toEqual(channels.map(({ id }) => id));
    expect(vk.warnings).toEqual([matchWarning('buttons_ignored')]);
  });
});

describe('a payload that publishing would reject (D-44)', () => {
  it.each<[string, object | string, number, object]>([
    ['invalid JSON', '{"text": ', 400, { schema: 'failed', entities: 'not_checked', media: [] }],
    ['a wrong type', { text: 5 }, 422, { schema: 'failed', entities: 'passed', media: [] }],
    ['nothing to publish', {}, 422, { schema: 'failed', entities: 'passed', media: [] }],
    [
      'an entity outside the text',
      { text: 'Ahoy', entities: [{ type: 'bold', offset: 2, length: 9 }] },
      400,
      { schema: 'passed', entities: 'failed', media: [] },
    ],
    [
      'a document, and a medium that is not https',
      {
        media: [
          { type: 'document', url: 'https://example.com/a.pdf' },
          { type: 'photo', url: 'https://example.com/b.png' },
          { type: 'photo', url: 'ftp://example.com/c.png' },
        ],
      },
      400,
      {
        schema: 'passed',
        entities: 'passed',
        media: [
          { url: 'https://example.com/a.pdf', size_mb: null, ok: false },
          { url: 'https://example.com/b.png', size_mb: null, ok: true },
          { url: 'ftp://example.com/c.png', size_mb: null, ok: false },
        ],
      },
    ],
    [
      'more than 5 MB',
      `{"text": "${'x'.repeat(5_242_880)}"}`,
      400,
      { schema: 'failed', entities: 'not_checked', media: [] },
    ],
    [
      'a duplicate key, and a wrong type',
      '{"text": 5, "metadata": {"a": 1, "a": 2}}',
      422,
      { schema: 'failed', entities: 'not_checked', media: [] },
    ],
    [
      'both kinds of problems',
      { text: 'Ahoy', entities: [{ type: 'bold', offset: 2, length: 9 }], trace_id: 5 },
      422,
      { schema: 'failed', entities: 'failed', media: [] },
    ],
  ])('with %s has the status and the messages of publishing', async (_, payload, status, validation) => {
    const live = await gateway.createEndpoint(owner, [project]);
    const [sandbox, published] = [await live.sandbox(payload), await live.post('', payload)];
    expect(sandbox.status).toBe(status);
    expect(published.status).toBe(status);
    const { ok, errors, code, details } = published.body;
    const rejection = { ok, errors, code, details, validation, warnings: [] };
    const request_id = sandbox.headers.get('x-request-id');
    expect(sandbox.body).toEqual({ ...rejection, request_id, would_create_post: false });
  });

  it('with unknown targets alone is 422 invalid_targets', async () => {
    expect(await endpoint.sandbox({ text: 'Ahoy', targets: [{ id: 'tgt_none' }] })).toMatchObject({
      status: 422,
      body: { ok: false, code: 'invalid_targets', would_create_post: false, validation: { schema: 'passed' } },
    });
  });

  it('with a key that is too long is 422', async () => {
    expect((await endpoint.sandbox({ text: 'Ahoy' }, { 'idempotency-key': 'k'.repeat(129) })).status).toBe(422);
  });
});

describe('media (D-24)', () => {
  it('are probed: size and real type', async () => {
    const image = Buffer.concat([png(10, 10), Buffer.alloc(1_572_864)]);
    const url = host.serve('/a.png', image);
    const { status, body } = await endpoint.sandbox({ media: [{ type: 'photo', url }] });
    expect(status).toBe(200);
    expect(body.validation.media).toEqual([{ url, size_mb: Number((image.length / 1_048_576).toFixed(3)), ok: true }]);
    expect(host.bytesSent).toBeLessThan(image.length);
  });

  it('with certain problems are rejected with 400, each problem reported', async () => {
    const [right, wrong, none] = [host.serve('/b.png', png(10, 10)), host.serve('/b.gif', gif()), `${host.origin}/no`];
    const media = [right, wrong, none].map((url) => ({ type: 'photo', url }));
    const { status, body } = await endpoint.sandbox({ text: 'Ahoy', media });
    expect(status).toBe(400);
    expect(body).toMatchObject({ ok: false, would_create_post: false, validation: { schema: 'passed' } });
    expect(body.validation.media.map(({ ok }: { ok: boolean }) => ok)).toEqual([true, false, false]);
    expect(body.details.map(({ path }: { path: string }) => path)).toEqual(['media[1].url', 'media[2].url']);
  });

  it('that a network does not accept are links in its preview, as readers would see them (D-22, D-38)', async () => {
    const all = await gateway.createEndpoint(owner, [
      await gateway.createProject(owner, [channel, await createVkChannel()]),
    ]);
    const large = host.serve('/large.mp4', sparse(60 * 1_048_576, makeVideo({ seconds: 3 })));
    const { status, body } = await all.sandbox({ text: 'Ahoy', media: [{ type: 'video', url: large }] });
    expect(status).toBe(200);
    const { telegram, max, vk } = body.preview;
    expect(telegram).toMatchObject({
      text_after_trim: `Ahoy\n\n${large}`,
      requests: [{ method: 'sendMessage' }],
      warnings: [{ code: 'media_as_link' }],
    });
    expect([max.text_after_trim, vk.text_after_trim]).toEqual(['Ahoy', 'Ahoy']); // 250 MB, 2 GB
    const ribbon = host.serve('/ribbon.png', png(3_000, 100));
    const { preview } = (await all.sandbox({ media: [{ type: 'photo', url: ribbon }] })).body;
    expect([preview.telegram, preview.max, preview.vk].map(({ text_after_trim }) => text_after_trim)).toEqual([
      ...[ribbon, '', ribbon], // a ratio of 30 where 20 is the most
    ]);
    expect(preview.vk.requests).toMatchObject([{ method: 'wall.post' }]);
  });

  it('that have to be re-encoded cause warnings, and are uploaded all the same (D-22)', async () => {
    const channels = [channel, await createVkChannel(), await createMaxChannel()];
    const all = await gateway.createEndpoint(owner, [await gateway.createProject(owner, channels)]);
    const [fits, small, wide] = [
      host.serve('/fits.png', png(10, 10)),
      host.serve('/small.webp', webp(10, 10)),
      host.serve('/wide.png', png(8_000, 3_000)),
    ];
    const media = [fits, small, wide].map((url) => ({ type: 'photo', url }));
    const { telegram, max, vk } = (await all.sandbox({ media })).body.preview;
    const listFitted = (preview: Answer['body']): string[] =>
      preview.warnings.map(({ code, message }: Answer['body']) => `${code} ${/media\[\d\]/.exec(message)![0]}`);
    expect(listFitted(telegram)).toEqual(['photo_fitted media[1]', 'photo_fitted media[2]']);
    expect(listFitted(max)).toEqual(['photo_fitted media[1]', 'photo_fitted media[2]']);
    expect(listFitted(vk)).toEqual(['photo_fitted media[1]']); // 14,000 pixels of both sides together
    expect(vk.requests).toHaveLength(3 * 3 + 1);
    expect(max.requests).toHaveLength(3 * 2 + 1);
  });

  it('are shown by their real type, not by their address (D-22)', async () => {
    const url = host.serve('/film', webm(3));
    const { telegram } = (await endpoint.sandbox({ media: [{ type: 'video', url }] })).body.preview;
    expect(telegram.requests).toMatchObject([{ method: 'sendDocument' }]);
    expect(telegram.warnings).toMatchObject([{ code: 'media_as_document' }]);
  });

  it('of a host that is unavailable have a note, and are no error', async () => {
    const url = host.on('/down.png', (_, response) => response.writeHead(503).end());
    const { status, body } = await endpoint.sandbox({ media: [{ type: 'photo', url }] });
    expect(status).toBe(200);
    expect(body.validation.media).toEqual([{ url, size_mb: null, ok: true, note: expect.stringContaining('503') }]);
  });
});

describe('access to the sandbox (D-12)', () => {
  it('is granted by a token, live or test, on any plan', async () => {
    for (const plan of ['free', 'mini', 'business']) {
      const planOwner = await gateway.createOwner(plan);
      const test = await gateway.createEndpoint(planOwner, [], { mode: 'test' });
      expect((await test.sandbox({ text: 'Ahoy' })).status).toBe(200);
      expect((await test.post('', { text: 'Ahoy' })).status).toBe(401);
    }
    expect((await (await gateway.createEndpoint(owner, [project])).sandbox({ text: 'Ahoy' })).status).toBe(200);
  });

  it.each([['Bearer service_test_unknown'], ['Basic dGVzdA=='], ['']])(
    'is denied with the credentials "%s"',
    async (authorization) => {
      const refused = await endpoint.sandbox({ text: 'Ahoy' }, { authorization });
      const elsewhere = await endpoint.post('', { text: 'Ahoy' }, { authorization });
      expect(refused.status).toBe(401);
      expect({ ...refused.body, request_id: '' }).toEqual({ ...elsewhere.body, request_id: '' });
    },
  );

  it('requires the same checks: allowlist, timestamp, signature', async () => {
    const outside = await gateway.createEndpoint(owner, [project], { mode: 'test', ip_allowlist: ['203.0.113.0/24'] });
    expect((await outside.sandbox({ text: 'Ahoy' })).status).toBe(401);
    const timed = await gateway.createEndpoint(owner, [project], { mode: 'test', require_timestamp: true });
    expect((await timed.sandbox({ text: 'Ahoy' })).status).toBe(401);
    const now = String(Math.round(Date.now() / 1_000));
    expect((await timed.sandbox({ text: 'Ahoy' }, { 'x-service-timestamp': now })).status).toBe(200);
    const signed = await gateway.createEndpoint(owner, [project], { mode: 'test', require_signature: true });
    const body = '{"text": "Ahoy"}';
    const signature = createHmac('sha256', signed.secret).update(body).digest('hex');
    expect((await signed.sandbox(body)).status).toBe(401);
    expect((await signed.sandbox(body, { 'x-service-client-signature': signature })).status).toBe(200);
  });

  it('requires JSON', async () => {
    expect((await endpoint.sandbox('{"text": "Ahoy"}', { 'content-type': 'text/plain' })).status).toBe(415);
  });

  it('is denied if the owner disabled the endpoint: 403', async () => {
    const off = await gateway.createEndpoint(owner, [project]);
    await gateway.manage('POST', `/endpoints/${off.id}/disable`);
    expect((await off.sandbox({ text: 'Ahoy' })).status).toBe(403);
  });

  it('is denied with a rotated token', async () => {
    const rotated = await gateway.createEndpoint(owner, [project], { mode: 'test' });
    await gateway.manage('POST', `/endpoints/${rotated.id}/rotate-token`);
    expect((await rotated.sandbox({ text: 'Ahoy' })).status).toBe(401);
  });
});

describe('with MEDIA_PROBE off', () => {
  it('no medium is fetched, and no size is known', async () => {
    const quiet = await TestGateway.start({ ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8', MEDIA_PROBE: 'off' });
    try {
      const test = await quiet.createEndpoint(await quiet.createOwner(), [], { mode: 'test' });
      const url = host.serve('/never.gif', gif());
      const { body } = await test.sandbox({ media: [{ type: 'photo', url }] });
      expect(body.validation.media).toEqual([{ url, size_mb: null, ok: true }]);
      expect(host.requests.map(({ path }) => path)).not.toContain('/never.gif');
    } finally {
      await quiet.stop();
    }
  });
});
