import fc from 'fast-check';
import type { PlatformPost, SendContext, Step } from '../../../src/platforms/publisher.js';
import { createTelegramPublisher } from '../../../src/platforms/telegram/descriptor.js';
import type { Fault } from '../../../stand-ins/kit/control.js';
import { until } from '../../e2e/until.js';
import { startStandIn, TOKEN } from '../../stand-ins/telegram/stand-in.js';
import { holdTimers, releaseTimers } from '../../support/held-timers.js';
import { anyTextWithEntities } from '../../support/payload-properties.js';
import { noMedia } from '../media-files.js';

let telegram: Awaited<ReturnType<typeof startStandIn>>;
let publisher: ReturnType<typeof createTelegramPublisher>;
beforeEach(async () => {
  telegram = await startStandIn();
  publisher = createTelegramPublisher({ apiUrl: `${telegram.url}/` });
});
afterEach(async () => {
  releaseTimers();
  await telegram.stop();
  await publisher.close();
});

const post = (more: Partial<PlatformPost> = {}): PlatformPost => ({
  text: 'Ahoy',
  entities: [],
  media: [],
  buttons: [],
  isAdvertisement: false,
  ...more,
});
const channelAt = (chat_id: string) => ({ id: 'tgt_1', address: { chat_id }, settings: {} });
const contextFor = (chat_id: string, more: Partial<SendContext> = {}): SendContext => ({
  credentials: { bot_token: TOKEN },
  channel: channelAt(chat_id),
  results: {},
  key: 'key',
  waits: {},
  media: noMedia,
  signal: new AbortController().signal,
  ...more,
});
const stepFor = (chat_id = '@harbour', of = post()): Step => publisher.render(of, channelAt(chat_id)).steps[0]!;
const send = (more: Partial<SendContext> = {}, chat_id = '@harbour') =>
  publisher.send(stepFor(chat_id), contextFor(chat_id, more));
const accepted = async () => (await telegram.control.readLedger()).length;

describe('a published post', () => {
  it.each([
    ['@harbour', 'https://t.me/harbour/1'],
    ['-1001234567890', 'https://t.me/c/1234567890/1'],
  ])('in %s has its id and URL', async (chat_id, url) => {
    expect(await send({}, chat_id)).toEqual({
      kind: 'done',
      result: { message_id: '1', chat_id },
      messageIds: ['1'],
      urls: [url],
    });
  });

  it('in a group without a public URL has only an id', async () => {
    expect(await send({}, '-4321')).toMatchObject({ kind: 'done', messageIds: ['1'], urls: [] });
  });

  it('is sent to the current address of the channel, not to the one it was rendered for', async () => {
    await publisher.send(stepFor('-1'), contextFor('-1002'));
    expect(await telegram.control.readLedger({ channel: '-1002' })).toHaveLength(1);
  });
});

describe('a refusal by Telegram (networks.md §3)', () => {
  it('for a chat that became a supergroup returns the new address, and the post is sent there', async () => {
    await telegram.control.request('POST', 'chats', { chat_id: '-4321', migrated_to: -1004321 });
    const moved = await send({}, '-4321');
    expect(moved).toEqual({
      kind: 'moved',
      address: { chat_id: '-1004321' },
      platform_says: 'Bad Request: group chat was upgraded to a supergroup chat',
    });
    expect(await publisher.send(stepFor('-4321'), contextFor('-1004321'))).toMatchObject({ kind: 'done' });
  });

  it('for flood control returns the exact delay', async () => {
    await telegram.control.request('POST', 'rate-limit', { chat_per_minute: 1 });
    await send();
    const outcome = await send();
    const { items } = await telegram.control.listCalls();
    expect(items.at(-1)?.status).toBe(429);
    expect(outcome).toMatchObject({ kind: 'retry', named: true, error: { category: 'rate_limit' } });
    expect(outcome.kind === 'retry' && (outcome.afterMs ?? 0) % 1_000).toBe(0);
    expect(outcome.kind === 'retry' && outcome.afterMs).toBeGreaterThan(1_000);
  });

  it.each([
    ['kicked', 'forbidden'],
    ['left', 'forbidden'],
    ['missing', 'chat_not_found'],
    ['no_rights', 'no_right_to_post'],
  ])('for a chat from which the bot is %s', async (state, code) => {
    await telegram.control.request('POST', 'chats', { chat_id: '@harbour', state });
    expect(await send()).toMatchObject({ kind: 'needs_attention', error: { code, source: 'telegram' } });
  });

  it('for a revoked token does not contain the token', async () => {
    await telegram.control.request('POST', 'tokens', { token: TOKEN });
    expect(await send()).toMatchObject({ kind: 'needs_attention', error: { code: 'unauthorized' } });
  });

  it.each(['', 'nonsense', '123456', '123456:../../x', `${TOKEN}/getMe?`])(
    'comes without a call for a malformed token: %p',
    async (bot_token) => {
      const outcome = await send({ credentials: { bot_token } });
      expect(outcome).toMatchObject({ kind: 'needs_attention', error: { code: 'malformed_token', source: 'gateway' } });
      expect((await telegram.control.listCalls()).total).toBe(0);
    },
  );
});

const HTML = '<html><body>502 Bad Gateway</body></html>';
const ok = (result: unknown) => ({ ok: true, result });
type Case = readonly [what: string, fault: Partial<Fault> & Pick<Fault, 'mode'>, outcome: object, accepted: number];

const cases: readonly Case[] = [
  [
    'dropped before it is read',
    { mode: 'drop_before_accepting' },
    { kind: 'in_doubt', error: { code: 'connection_lost' } },
    0,
  ],
  [
    'dropped after it is accepted',
    { mode: 'accept_then_drop' },
    { kind: 'in_doubt', error: { code: 'connection_lost' } },
    1,
  ],
  ['500', { mode: 'accept_then_answer', status: 500 }, { kind: 'in_doubt', error: { code: 'server_error' } }, 1],
  ['502 in JSON', { mode: 'answer', status: 502 }, { kind: 'in_doubt', error: { code: 'server_error' } }, 0],
  [
    '502 in HTML',
    { mode: 'accept_then_answer', status: 502, body: HTML },
    { kind: 'in_doubt', error: { code: 'unreadable_answer' } },
    1,
  ],
  [
    '504 without a body',
    { mode: 'answer', status: 504, body: '' },
    { kind: 'in_doubt', error: { code: 'unreadable_answer' } },
    0,
  ],
  [
    '200 in HTML',
    { mode: 'accept_then_answer', status: 200, body: HTML },
    { kind: 'in_doubt', error: { code: 'unreadable_answer' } },
    1,
  ],
  ['200 without a body', { mode: 'accept_then_answer', status: 200, body: '' }, { kind: 'in_doubt' }, 1],
  [
    '200 with half a body',
    { mode: 'accept_then_answer', status: 200, body: ok({ message_id: 1 }), cut_at: 9 },
    { kind: 'in_doubt' },
    1,
  ],
  [
    '200 with broken JSON',
    { mode: 'accept_then_answer', status: 200, body: '{"ok":true,"resu' },
    { kind: 'in_doubt' },
    1,
  ],
  ['200 with null', { mode: 'accept_then_answer', status: 200, body: 'null' }, { kind: 'in_doubt' }, 1],
  ['200 without ok', { mode: 'accept_then_answer', status: 200, body: {} }, { kind: 'in_doubt' }, 1],
  ['200 without a message id', { mode: 'accept_then_answer', status: 200, body: ok({}) }, { kind: 'in_doubt' }, 1],
  ['200 with no message', { mode: 'accept_then_answer', status: 200, body: ok(null) }, { kind: 'in_doubt' }, 1],
  ['200 with an empty album', { mode: 'accept_then_answer', status: 200, body: ok([]) }, { kind: 'in_doubt' }, 1],
  [
    '429',
    {
      mode: 'answer',
      status: 429,
      body: {
        ok: false,
        error_code: 429,
        description: 'Too Many Requests: retry after 7',
        parameters: { retry_after: 7 },
      },
    },
    { kind: 'retry', named: true, afterMs: 7_000 },
    0,
  ],
  [
    '429 in HTML',
    { mode: 'answer', status: 429, body: HTML, headers: { 'retry-after': '9' } },
    { kind: 'retry', named: true, afterMs: 9_000 },
    0,
  ],
  ['403 in HTML', { mode: 'answer', status: 403, body: HTML }, { kind: 'retry', named: false }, 0],
  [
    '404 of the Bot API',
    { mode: 'answer', status: 404 },
    { kind: 'needs_attention', error: { code: 'bot_not_found' } },
    0,
  ],
  [
    'a redirect',
    { mode: 'answer', status: 302, body: '', headers: { location: '/elsewhere' } },
    { kind: 'retry', named: false },
    0,
  ],
];

describe('a call that fails in transit', () => {
  it.each(cases)('%s', async (_, fault, outcome, accepts) => {
    await telegram.control.addFault(fault);
    expect(await send()).toMatchObject(outcome);
    expect(await accepted()).toBe(accepts);
    expect((await telegram.control.listCalls()).total).toBe(1);
  });

  it.each([
    ['hang', 0],
    ['accept_then_hang', 1],
  ] as const)('no answer in time (%s) is in doubt', async (mode, accepts) => {
    const impatient = createTelegramPublisher({ apiUrl: telegram.url, timeoutMs: 2_000 });
    await telegram.control.addFault({ mode });
    const letPass = holdTimers(2_000);
    const outcome = impatient.send(stepFor(), contextFor('@harbour'));
    await until('the call has arrived', async () => (await telegram.control.listCalls()).total === 1);
    await until('it is executed', async () => (await accepted()) === accepts);
    letPass();
    expect(await outcome).toMatchObject({ kind: 'in_doubt', error: { code: 'timed_out', category: 'network' } });
    expect(await accepted()).toBe(accepts);
    await telegram.stop();
    await impatient.close();
    telegram = await startStandIn();
  });

  it('is in doubt if it is aborted during the call, and not sent if it is aborted before', async () => {
    const controller = new AbortController();
    await telegram.control.addFault({ mode: 'hang' });
    const outcome = send({ signal: controller.signal });
    while ((await telegram.control.listCalls()).total === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    expect(await outcome).toMatchObject({ kind: 'in_doubt', error: { code: 'aborted' } });
    expect(await send({ signal: controller.signal })).toMatchObject({ kind: 'retry', named: false, afterMs: null });
    expect((await telegram.control.listCalls()).total).toBe(1);
  });

  it('may be retried if the port is closed: nothing was sent', async () => {
    const { url } = telegram;
    await telegram.stop();
    const offline = createTelegramPublisher({ apiUrl: url });
    expect(await offline.send(stepFor(), contextFor('@harbour'))).toMatchObject({
      kind: 'retry',
      named: false,
      afterMs: null,
      error: { code: 'not_sent', category: 'network', source: 'gateway' },
    });
    await offline.close();
    telegram = await startStandIn();
  });

  it('has an outcome without the token, even if a response echoes it', async () => {
    const description = `Bad Request: cannot POST /bot${TOKEN}/sendMessage`;
    await telegram.control.addFault({ mode: 'answer', status: 400, body: { ok: false, error_code: 400, description } });
    const outcome = await send();
    expect(outcome).toMatchObject({ error: { platform_says: 'Bad Request: cannot POST /bot***/sendMessage' } });
    expect(JSON.stringify(outcome)).not.toContain(TOKEN);
  });
});

describe('many channels at the same time', () => {
  it('get a thousand posts in a thousand chats, each once', async () => {
    const chats = Array.from({ length: 1_000 }, (_, n) => `-100${1_000_000_000 + n}`);
    const patient = createTelegramPublisher({ apiUrl: telegram.url, timeoutMs: 240_000 });
    const outcomes = await Promise.all(chats.map((chat) => patient.send(stepFor(chat), contextFor(chat))));
    await patient.close();
    expect(outcomes.filter(({ kind }) => kind === 'done')).toHaveLength(1_000);
    const entries = await telegram.control.readLedger();
    expect(new Set(entries.map(({ channel }) => channel)).size).toBe(1_000);
    expect(entries).toHaveLength(1_000);
  });
});

describe('the rendering of any post', () => {
  it('is accepted, and is in the channel with every entity on its words', async () => {
    const url = fc.constantFrom('https://example.com/', 'tg://resolve?domain=x', 'https://intranet/', 'nonsense');
    const anyPost = fc.record({
      content: anyTextWithEntities,
      url,
      emoji: fc.constantFrom('5368324170671202286', 'x'),
      buttons: fc.array(
        fc.array(fc.record({ text: fc.string({ minLength: 1 }).map((t) => `b${t}`), url }), { maxLength: 8 }),
        { maxLength: 8 },
      ),
      repeat: fc.constantFrom(1, 1, 1, 60),
    });
    let sent = 0;
    await fc.assert(
      fc.asyncProperty(anyPost, async ({ content, url: link, emoji, buttons, repeat }) => {
        const entities = content.entities.map((entity) => ({ ...entity, url: link, custom_emoji_id: emoji }));
        const made = post({ text: content.text.repeat(repeat), entities, buttons });
        const { steps, warnings, textAfterTrim } = publisher.render(made, channelAt('@any'));
        expect(textAfterTrim.length).toBeLessThanOrEqual(4_096);
        if (steps.length === 0) return expect(warnings.map(({ code }) => code)).toContain('nothing_to_send');
        const [step] = steps;
        const outcome = await publisher.send(step!, contextFor('@any'));
        expect(outcome).toEqual(expect.objectContaining({ kind: 'done' }));
        const [entry] = (await telegram.control.readLedger({ after: sent++ })).slice(-1);
        const wanted = (step!.request['entities'] ?? []) as { type: string; offset: number; length: number }[];
        const words = (text: string, { offset, length }: { offset: number; length: number }) =>
          text
            .slice(offset, offset + length)
            .replace(/[\u2028-\u202e\u030a\u0333\u033f]/g, '')
            .trim();
        const shown = wanted.map((entity) => words(textAfterTrim, entity)).filter((word) => word !== '');
        expect(entry?.entities.map((entity) => words(entry.text, entity)).filter((word) => word !== '')).toEqual(shown);
      }),
      { numRuns: process.env['TEST_LONG'] ? 3_000 : 300, seed: 20_261_121 },
    );
  });
});
