import { createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLI_MESSAGES } from '../../src/cli/messages.js';
import { freePort } from '../support/free-port.js';
import { breakOff, json, runCommand, runWith } from './gateway-double.js';

const ACCEPTED = { ok: true, id: 'post_1', accepted_at: '2026-01-01T00:00:00.000Z' };
const BUSY = json(429, { ok: false, code: 'rate_limited', errors: ['Too many posts.'] }, { 'retry-after': '1' });
const TO = ['--endpoint', 'slug', '--token', 'acme_live_x', '--idempotency-key', 'k'];
const AGAIN = CLI_MESSAGES.repeatWithKey({ key: 'k' });

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'crosspost-send-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('crosspost send', () => {
  it('sends a file byte for byte, signed, and again after as long as the gateway asks', async () => {
    const file = join(folder, 'post.json');
    const sent = '{ "text": "Grüße",\n  "metadata": { "chat": 12345678901234567890 } }\n';
    await writeFile(file, sent);
    const command = ['send', ...TO, '--signing-secret', 's', '--file', file];
    const { code, output, errors, received } = await runWith([BUSY, json(200, ACCEPTED)], ...command);
    expect([code, output]).toEqual([0, `${JSON.stringify(ACCEPTED)}\n`]);
    expect(errors).toBe('rate_limited: Too many posts.\nNext attempt in 1 s.');
    const signature = createHmac('sha256', 's').update(sent).digest('hex');
    expect(received).toHaveLength(2);
    for (const { route, body, headers } of received) {
      expect([route, body]).toEqual(['POST /v1/webhooks/slug', sent]);
      expect(headers).toMatchObject({
        authorization: 'Bearer acme_live_x',
        'content-type': 'application/json',
        'idempotency-key': 'k',
        'user-agent': 'crosspost',
        'x-acme-client-signature': `sha256=${signature}`,
      });
      expect(Math.abs(Number(headers['x-acme-timestamp']) - Date.now() / 1_000)).toBeLessThan(300);
    }
  });

  it('sends again after an answer that broke off', async () => {
    const { code, errors, received } = await runWith(
      [breakOff('{"ok":'), json(202, ACCEPTED)],
      ...['send', ...TO, '--text', 'a'],
    );
    expect(code).toBe(0);
    expect(errors).toMatch(/^The connection to the gateway was lost \(.+\)\.\nNext attempt in 2 s\.$/);
    expect(received.map(({ body }) => body)).toEqual(['{"text":"a"}', '{"text":"a"}']);
    expect(received.map(({ headers }) => headers['idempotency-key'])).toEqual(['k', 'k']);
  });

  it('says what the gateway refuses, once', async () => {
    const errors = ['text is too long', 'media is no list', 'text is too long'];
    const refusal = json(422, { ok: false, code: 'invalid_payload', errors });
    expect(await runWith([refusal], 'send', ...TO, '--text', 'a')).toMatchObject({
      code: 1,
      output: '',
      errors: 'invalid_payload: text is too long\n  media is no list',
      received: { length: 1 },
    });
  });

  it.each([
    [503, json(503, { code: 'rejected_paused', errors: ['It is off.'] }), 'rejected_paused: It is off.'],
    [429, BUSY, 'rate_limited: Too many posts.'],
    [
      502,
      { status: 502, body: '<html>', headers: { 'content-type': 'text/html' } },
      'http_502: POST /v1/webhooks/slug answered 502 without a reason',
    ],
  ])('does not repeat the post after %i with --no-retry, and says how to', async (_, answer, said) => {
    const command = ['send', ...TO, '--no-retry', '--text', 'a'];
    expect(await runWith([answer], ...command)).toMatchObject({
      code: 1,
      output: '',
      errors: `${AGAIN}\n${said}`,
      received: { length: 1 },
    });
  });

  it('ends at once with 3 if no gateway answers', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    expect(await runCommand(url, ['send', ...TO, '--text', 'a'])).toEqual({
      code: 3,
      output: '',
      errors: `${AGAIN}\n${CLI_MESSAGES.notReachable({ url, reason: 'ECONNREFUSED' })}`,
    });
  });

  it('finds the slug of an id, takes a URL, and waits for the publications', async () => {
    const publication = { id: 'pub_1', platform: 'vk', target_id: 'tgt_1' };
    const post = (state: string) =>
      json(200, { id: 'post_1', publications: [{ ...publication, state, message_ids: ['7'] }] });
    const byId = ['send', '--endpoint', 'ep_1', '--token', 't', '--text', 'a', '--wait'];
    const waited = await runWith(
      [json(200, { id: 'ep_1', slug: 'abc' }), json(200, ACCEPTED), post('queued'), post('published')],
      ...byId,
    );
    expect(waited).toMatchObject({ code: 0, errors: '0 %  pub_1  vk  tgt_1  queued' });
    expect(JSON.parse(waited.output)).toMatchObject({ publications: [{ state: 'published' }] });
    expect(waited.received.map(({ route }) => route)).toEqual([
      'GET /manage/v1/endpoints/ep_1',
      'POST /v1/webhooks/abc',
      'GET /manage/v1/posts/post_1',
      'GET /manage/v1/posts/post_1',
    ]);
    const byUrl = ['send', '--endpoint', '{url}/below/v1/webhooks/abc', '--token', 't', '--text', 'a'];
    expect((await runWith([json(200, ACCEPTED)], ...byUrl)).received.map(({ route }) => route)).toEqual([
      'POST /below/v1/webhooks/abc',
    ]);
  });
});
