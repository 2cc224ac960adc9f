import { createOkPublisher } from '../../../src/platforms/ok/descriptor.js';
import type { SendContext, Step } from '../../../src/platforms/publisher.js';
import type { Fault } from '../../../stand-ins/kit/control.js';
import { until } from '../../e2e/until.js';
import { APPLICATION, TOKEN } from '../../stand-ins/ok/stand-in.js';
import { holdTimers, releaseTimers } from '../../support/held-timers.js';
import { CHANNEL, contextFor, post, startOk } from './ok-harness.js';

let ok: Awaited<ReturnType<typeof startOk>>;
beforeEach(async () => {
  ok = await startOk();
});
afterEach(() => ok.stop());
afterEach(releaseTimers);

const step = (of = post()): Step => ok.publisher.render(of, CHANNEL).steps.at(-1)!;
const send = (more: Partial<SendContext> = {}, of = post()) => ok.publisher.send(step(of), contextFor(more));
const accepted = async () => (await ok.control.readLedger()).length;

describe('a published post', () => {
  it('has its id and URL, and a valid signature for any content', async () => {
    const text = 'Ёлки & "pines" + 100 % = 🌲\n\\ §';
    const outcome = await send({}, post({ text }));
    const [entry] = await ok.control.readLedger();
    const id = entry?.message_id;
    expect(entry?.text).toBe(text);
    expect(outcome).toEqual({
      kind: 'done',
      result: { topic_id: id },
      messageIds: [id],
      urls: [`https://ok.ru/group/70/topic/${id}`],
    });
  });

  it.each([
    ['a number', '154000000000001', '154000000000001'],
    ['beyond the range of a number', '"15400000000000123456"', '15400000000000123456'],
  ])('has the id from the response: %s', async (_, body, id) => {
    await ok.control.addFault({ mode: 'answer', status: 200, body });
    expect(await send()).toMatchObject({ kind: 'done', messageIds: [id] });
  });
});

const refusal = (error_code: number, error_msg = 'words') => ({
  body: { error_code, error_msg, error_data: null },
  status: 200,
});
const HTML = '<html><body>502 Bad Gateway</body></html>';
type Case = readonly [what: string, fault: Partial<Fault>, outcome: object, accepted: number];

describe('a response of OK (networks.md §3)', () => {
  const wait = (afterMs: number) => ({ kind: 'retry', named: true, afterMs, error: { category: 'rate_limit' } });
  const cases: readonly Case[] = [
    ['2', refusal(2), wait(5_000), 0],
    ['8', refusal(8), wait(300_000), 0],
    ['11', refusal(11), wait(60_000), 0],
    ...[100, 454, 500, 501, 502, 503, 504, 505, 511, 600, 601, 607, 3].map((code): Case => [
      String(code),
      refusal(code),
      { kind: 'failed', error: { source: 'ok', platform_says: 'words' } },
      0,
    ]),
    ...[10, 101, 102, 103, 104, 200, 210, 401, 453, 457, 900].map((code): Case => [
      String(code),
      refusal(code),
      { kind: 'needs_attention', error: { category: 'credentials', source: 'ok' } },
      0,
    ]),
    ...[9, 50, 160, 455, 456, 458].map((code): Case => [
      String(code),
      refusal(code),
      { kind: 'needs_attention', error: { category: 'channel', source: 'ok' } },
      0,
    ]),
    ...[1, 9_999].map((code): Case => [
      `${code}, though it was done`,
      { mode: 'accept_then_answer', ...refusal(code) },
      { kind: 'in_doubt' },
      1,
    ]),
    ['a dropped connection before the call is read', { mode: 'drop_before_accepting' }, { kind: 'in_doubt' }, 0],
    ['a dropped connection after the call is executed', { mode: 'accept_then_drop' }, { kind: 'in_doubt' }, 1],
    ['502 in HTML', { mode: 'accept_then_answer', status: 502, body: HTML }, { kind: 'in_doubt' }, 1],
    ['200 in HTML', { mode: 'accept_then_answer', status: 200, body: HTML }, { kind: 'in_doubt' }, 1],
    ['200 without a body', { mode: 'accept_then_answer', status: 200, body: '' }, { kind: 'in_doubt' }, 1],
    ['200 without an id', { mode: 'accept_then_answer', status: 200, body: {} }, { kind: 'in_doubt' }, 1],
    ['200 with null', { mode: 'accept_then_answer', status: 200, body: 'null' }, { kind: 'in_doubt' }, 1],
    ['200 with 0', { mode: 'accept_then_answer', status: 200, body: '0' }, { kind: 'in_doubt' }, 1],
    ['403 in HTML', { status: 403, body: HTML }, { kind: 'retry', named: false }, 0],
    [
      '429',
      { status: 429, body: '', headers: { 'retry-after': '9' } },
      { kind: 'retry', named: true, afterMs: 9_000 },
      0,
    ],
  ];
  it.each(cases)('%s', async (_, fault, outcome, accepts) => {
    await ok.control.addFault({ mode: 'answer', ...fault });
    expect(await send()).toMatchObject(outcome);
    expect(await accepted()).toBe(accepts);
    expect((await ok.control.listCalls()).total).toBe(1);
  });

  it('with an implied delay: the delay grows each time, up to a limit', async () => {
    const waits: unknown[] = [];
    for (const slow_down of [0, 1, 2, 11]) {
      await ok.control.addFault({ mode: 'answer', ...refusal(11) });
      const outcome = await send({ waits: { too_many_requests: 7, slow_down } });
      waits.push(outcome.kind === 'retry' && outcome.afterMs);
    }
    expect(waits).toEqual([60_000, 120_000, 240_000, 3_600_000]);
  });

  it.each([
    ['a secret of another application', { application_secret: 'x' }, 'bad_signature'],
    ['no token', { access_token: '' }, 'credentials_missing'],
    ['no application', { application_key: '' }, 'credentials_missing'],
  ])('to %s: the channel needs attention', async (_, wrong, code) => {
    const credentials = { ...APPLICATION, access_token: TOKEN, ...wrong };
    expect(await send({ credentials })).toMatchObject({ kind: 'needs_attention', error: { code } });
    expect(await accepted()).toBe(0);
  });

  it('to an expired token: the channel needs attention', async () => {
    await ok.control.request('POST', 'tokens', { token: TOKEN, state: 'expired' });
    expect(await send()).toMatchObject({ kind: 'needs_attention', error: { code: 'token_expired' } });
  });

  it("to a text over the group's own limit: the post fails, and the message says what to change", async () => {
    await ok.control.request('POST', 'limits', { text: 3 });
    expect(await send()).toMatchObject({ kind: 'failed', error: { code: 'too_long' } });
  });

  it('that echoes a credential: the outcome does not contain it', async () => {
    const words = `no access for ${TOKEN} of ${APPLICATION.application_key} and ${APPLICATION.application_secret}`;
    for (const code of [8, 102, 9_999, 100]) {
      await ok.control.addFault({ mode: 'answer', ...refusal(code, words) });
      expect(await send()).toMatchObject({ error: { platform_says: 'no access for *** of *** and ***' } });
    }
  });
});

describe('a call without a response', () => {
  it.each([
    ['hang', 0],
    ['accept_then_hang', 1],
  ] as const)('in time (%s) is in doubt', async (mode, accepts) => {
    const impatient = createOkPublisher({ apiUrl: ok.url, timeoutMs: 2_000 });
    await ok.control.addFault({ mode });
    const letPass = holdTimers(2_000);
    const outcome = impatient.send(step(), contextFor());
    await until('the call has arrived', async () => (await ok.control.listCalls()).total === 1);
    await until('it is executed', async () => (await accepted()) === accepts);
    letPass();
    expect(await outcome).toMatchObject({
      kind: 'in_doubt',
      error: { code: 'timed_out' },
    });
    expect(await accepted()).toBe(accepts);
    await ok.stop();
    await impatient.close();
    ok = await startOk();
  });

  it('may be retried if the port is closed: nothing was sent', async () => {
    const offline = createOkPublisher({ apiUrl: ok.url });
    await ok.stop();
    const outcome = await offline.send(step(), contextFor());
    expect(outcome).toMatchObject({ kind: 'retry', named: false, error: { code: 'not_sent', source: 'gateway' } });
    await offline.close();
    ok = await startOk();
  });
});
