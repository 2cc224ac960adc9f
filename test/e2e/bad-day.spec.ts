import { createHmac, randomUUID } from 'node:crypto';
import { jpeg } from '../media/make-images.js';
import { TestHost } from '../media/test-host.js';
import { shareHarness } from './e2e-harness.js';
import { OPERATOR_KEY } from './management-client.js';
import { until } from './until.js';

/** Fields that the steps read, of any answer. */
interface Body {
  readonly id: string;
  readonly key: string;
  readonly slug: string;
  readonly token: string;
  readonly signing_secret: string;
  readonly state: string;
  readonly reason: string;
  readonly items: readonly Body[];
  readonly publications: readonly Body[];
  readonly warnings: readonly object[];
  readonly attention: { readonly platform_says: string };
  readonly waiting_for: { readonly rule: string; readonly text: string; readonly blocked_by: string } | null;
  readonly why: { readonly figures: { readonly skew_seconds: number } };
}

/** An answer with a JSON body. */
interface Answer {
  readonly status: number;
  readonly body: Body;
}

/** An endpoint, and the chat that it posts to. */
interface Outlet {
  readonly endpoint: Body;
  readonly project: Body;
  readonly channel: Body;
  readonly chatId: string;
}

/** Longer than any test, while a backlog's spacing of one minute passes quickly. */
const [MANY_MINUTES, MINUTE_MS] = [1_440, 200];
const TOKEN = `1001:${'t'.repeat(35)}`;

/** Sends a request; an object is sent as JSON. */
const send = async (
  method: string,
  url: string,
  key: string,
  body?: object | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> => {
  const answer = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: (text === '' ? null : JSON.parse(text)) as Body };
};

/**
 * The troubles of one day, with only an owner's key. Each step reads the API's own words for the cause and the remedy
 * and follows them.
 */
describe('a bad day of an owner', () => {
  const onBadDay = shareHarness(async (harness) => {
    const telegram = await harness.startTelegram();
    const { url } = await harness.startGateway({
      ...(await harness.createDatabase()),
      DATA_DIR: await harness.createFolder(),
      TELEGRAM_API_URL: telegram.url,
      ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8',
      MINUTE_MS: String(MINUTE_MS),
    });
    const host = await TestHost.start();
    harness.addCleanup(() => host.stop());

    const owner = await until('an owner', async () => {
      const { status, body } = await send('POST', `${url}/manage/v1/owners`, OPERATOR_KEY, {
        name: 'Olga',
        plan: 'pro',
      });
      return status === 201 && body;
    });
    const manage = (method: string, path: string, body?: object): Promise<Answer> =>
      send(method, `${url}/manage/v1${path}`, owner.key, method === 'POST' ? (body ?? {}) : body);
    const create = async (path: string, body: object) => {
      const answer = await manage('POST', path, body);
      expect(answer).toMatchObject({ status: 201 });
      return answer.body;
    };
    /** Creates a channel with its project and endpoint. */
    const createEndpoint = async (chatId: string, settings: object = {}): Promise<Outlet> => {
      const credentials = { bot_token: TOKEN, chat_id: chatId };
      const channel = await create('/channels', { platform: 'telegram', name: `Channel ${chatId}`, credentials });
      const project = await create('/projects', { name: `Project ${chatId}`, channel_ids: [channel.id] });
      const endpoint = await create('/endpoints', {
        project_ids: [project.id],
        mode: 'live',
        min_interval: 0,
        ...settings,
      });
      return { channel, project, endpoint, chatId };
    };
    const publish = ({ endpoint }: Outlet, payload: object | string, headers = {}) =>
      send('POST', `${url}/v1/webhooks/${endpoint.slug}`, endpoint.token, payload, {
        'idempotency-key': randomUUID(),
        ...headers,
      });
    const readWall = async ({ chatId }: Outlet) =>
      (await telegram.control.readLedger({ channel: chatId })).map(({ text }) => text);
    /** Returns the first publication of a post, once it fulfils a condition. */
    const waitForPublication = (postId: string, isExpected: (publication: Body) => boolean) =>
      until(`a publication of ${postId}`, async () => {
        const { body } = await manage('GET', `/posts/${postId}`);
        return isExpected(body.publications[0]!) && body.publications[0];
      });
    return { url, telegram, host, manage, create, createEndpoint, publish, readWall, waitForPublication };
  });

  onBadDay('finds a removed bot, re-admits it and goes on in order', async (day) => {
    const outlet = await day.createEndpoint('-1001');
    await day.telegram.control.request('POST', 'chats', { chat_id: outlet.chatId, state: 'kicked' });
    const first = await day.publish(outlet, { text: 'first' });
    const second = await day.publish(outlet, { text: 'second' });
    expect([first.status, second.status]).toEqual([200, 200]);

    // The network's words come from another read model than the rule.
    const isExplained = ({ waiting_for }: Body) =>
      waiting_for?.rule === 'needs_attention' && /kicked/.test(waiting_for.text);
    await day.waitForPublication(first.body.id, isExplained);
    const { body: listed } = await day.manage('GET', '/channels?status=needs_attention');
    expect(listed.items.map(({ id }) => id)).toEqual([outlet.channel.id]);
    const { attention } = listed.items[0]!;
    expect(attention.platform_says).toMatch(/bot was kicked/);
    expect(JSON.stringify(attention)).toContain(`/channels/${outlet.channel.id}/retry`);
    const failed = await day.manage('POST', `/channels/${outlet.channel.id}/test`);
    expect(failed).toMatchObject({ status: 200, body: { ok: false } });

    await day.telegram.control.request('POST', 'chats', { chat_id: outlet.chatId, state: 'member' });
    expect(await day.manage('POST', `/channels/${outlet.channel.id}/test`)).toMatchObject({ body: { ok: true } });
    const retried = await day.manage('POST', `/channels/${outlet.channel.id}/retry`);
    expect(retried).toMatchObject({ status: 200, body: { status: 'ok', attention: null } });
    await day.waitForPublication(second.body.id, ({ state }) => state === 'published');
    expect(await day.readWall(outlet)).toEqual(['first', 'second']);
  });

  onBadDay('cancels a post whose photo has gone, so that the next one goes', async (day) => {
    const outlet = await day.createEndpoint('-1002');
    const url = day.host.serve('/photo.jpg', jpeg(640, 480), { headers: { 'content-type': 'image/jpeg' } });
    await day.manage('POST', `/channels/${outlet.channel.id}/pause`, { minutes: MANY_MINUTES });
    const stuck = await day.publish(outlet, { text: 'with a photo', media: [{ type: 'photo', url }] });
    const next = await day.publish(outlet, { text: 'next' });
    expect([stuck.status, next.status]).toEqual([200, 200]);
    day.host.on('/photo.jpg', (_, response) => response.writeHead(503).end());
    await day.manage('POST', `/channels/${outlet.channel.id}/resume`);

    const stuckIn = await day.waitForPublication(stuck.body.id, (p) => p.waiting_for?.rule === 'retry');
    expect(stuckIn.waiting_for!.text).toMatch(/attempt \d+ of \d+/i);
    expect(stuckIn.waiting_for!.text).toContain('503');
    const behind = await day.waitForPublication(next.body.id, (p) => p.waiting_for?.rule === 'earlier_publication');
    const head = behind.waiting_for!.blocked_by;
    await until('the head is queued', async () => {
      const { body } = await day.manage('GET', `/publications/${head}`);
      return body.id === head && body.state === 'queued'; // publishing in the middle of an attempt
    });

    const cancelled = await until('the cancellation', async () => {
      const answer = await day.manage('POST', `/publications/${head}/cancel`);
      return answer.status === 200 && answer.body; // 409 in the middle of an attempt
    });
    expect(cancelled).toMatchObject({ state: 'dismissed', waiting_for: null });
    await day.waitForPublication(next.body.id, ({ state }) => state === 'published');
    expect(await day.readWall(outlet)).toEqual(['next']);
  });

  onBadDay('finds typing errors in the sandbox and in the answer of a post', async (day) => {
    const outlet = await day.createEndpoint('-1003');
    const post = { text: 'Good morning', medai: [], ad_pause_minuts: 5 };
    const sandbox = await send('POST', `${day.url}/v1/sandbox/test`, outlet.endpoint.token, post);
    expect(sandbox.status).toBe(200);
    expect(sandbox.body.warnings).toEqual([
      { code: 'unknown_field', path: 'medai', message: expect.stringContaining('media') },
      { code: 'unknown_field', path: 'ad_pause_minuts', message: expect.stringContaining('ad_pause_minutes') },
    ]);
    const { status, body } = await day.publish(outlet, {
      medai: [{ type: 'photo', url: 'https://example.com/a.jpg' }],
    });
    expect([400, 422]).toContain(status);
    expect(JSON.stringify(body)).toMatch(/medai.*media/);
  });

  onBadDay('learns from the request log why a request was answered with 401', async (day) => {
    const outlet = await day.createEndpoint('-1004', { require_signature: true, require_timestamp: true });
    const body = JSON.stringify({ text: 'signed' });
    const now = Math.floor(Date.now() / 1_000);
    const sign = (secret: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    const secret = outlet.endpoint.signing_secret;
    const headers = (signature: string | null, timestamp: number) => ({
      'x-service-timestamp': String(timestamp),
      ...(signature !== null && { 'x-service-client-signature': signature }),
    });
    const wrong = [headers(null, now), headers(sign('another secret'), now), headers(sign(secret), now + 600)];
    const answers: Answer[] = [];
    for (const each of wrong) answers.push(await day.publish(outlet, body, each));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);

    const logged = await until('three logged requests', async () => {
      const { body: log } = await day.manage('GET', `/endpoints/${outlet.endpoint.id}/requests?status=401`);
      return log.items.length === 3 && log.items;
    });
    const [skewed, bad, missing] = logged as [Body, Body, Body];
    expect([missing.reason, bad.reason]).toEqual(['signature_missing', 'bad_signature']);
    expect(skewed.why.figures.skew_seconds).toBeGreaterThan(500);
    expect((await day.publish(outlet, body, headers(sign(secret), now))).status).toBe(200);
  });

  onBadDay('deletes the wrong project and creates it again', async (day) => {
    const outlet = await day.createEndpoint('-1005');
    const refused = await day.manage('DELETE', `/projects/${outlet.project.id}`);
    expect(refused.status).toBe(409);
    expect(JSON.stringify(refused.body)).toContain(outlet.endpoint.id);
    expect(JSON.stringify(refused.body)).toContain('cascade=true');
    expect(await day.manage('DELETE', `/projects/${outlet.project.id}?cascade=true`)).toMatchObject({ status: 204 });
    expect((await day.manage('GET', `/projects/${outlet.project.id}`)).status).toBe(404);

    const project = await day.create('/projects', { name: 'Again', channel_ids: [outlet.channel.id] });
    await day.manage('PATCH', `/endpoints/${outlet.endpoint.id}`, { project_ids: [project.id] });
    const post = await day.publish(outlet, { text: 'after the mistake' });
    await day.waitForPublication(post.body.id, ({ state }) => state === 'published');
    expect(await day.readWall(outlet)).toEqual(['after the mistake']);
  });

  onBadDay('cancels a post that should not have been sent', async (day) => {
    const outlet = await day.createEndpoint('-1006');
    await day.manage('POST', `/projects/${outlet.project.id}/pause`, { minutes: MANY_MINUTES });
    const mistake = await day.publish(outlet, { text: 'a mistake' });
    const right = await day.publish(outlet, { text: 'right' });
    const cancelled = await day.manage('POST', `/posts/${mistake.body.id}/cancel`);
    expect(cancelled).toMatchObject({ status: 200, body: { cancelled: 1, publications: [{ state: 'dismissed' }] } });
    await day.manage('POST', `/projects/${outlet.project.id}/resume`);
    await day.waitForPublication(right.body.id, ({ state }) => state === 'published');
    expect(await day.readWall(outlet)).toEqual(['right']);
    expect(await day.manage('POST', `/posts/${mistake.body.id}/cancel`)).toMatchObject({ status: 409 });
  });
});
