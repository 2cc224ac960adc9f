import type { SendContext, Step } from '../../../src/platforms/publisher.js';
import { createVkPublisher } from '../../../src/platforms/vk/descriptor.js';
import type { Fault } from '../../../stand-ins/kit/control.js';
import { until } from '../../e2e/until.js';
import { COMMUNITY_TOKEN, USER_TOKEN } from '../../stand-ins/vk/stand-in.js';
import { holdTimers, releaseTimers } from '../../support/held-timers.js';
import { CHANNEL, contextFor, post, startVk } from './vk-harness.js';

let vk: Awaited<ReturnType<typeof startVk>>;
beforeEach(async () => {
  vk = await startVk();
});
afterEach(() => vk.stop());
afterEach(releaseTimers);

const step = (of = post()): Step => vk.publisher.render(of, CHANNEL).steps.at(-1)!;
const send = (more: Partial<SendContext> = {}, of = post()) => vk.publisher.send(step(of), contextFor(more));
const accepted = async () => (await vk.control.readLedger()).length;
const HOUR = 3_600_000;

describe('a published post', () => {
  it('has its id and URL', async () => {
    expect(await send()).toEqual({
      kind: 'done',
      result: { post_id: '1' },
      messageIds: ['1'],
      urls: ['https://vk.com/wall-7_1'],
    });
  });

  it('is published once for a key, however often it is sent', async () => {
    await send();
    expect(await send({ waits: { slow_down: 1 } })).toMatchObject({ messageIds: ['1'] });
    expect(await send({ key: 'pub_2' })).toMatchObject({ messageIds: ['2'] });
    expect(await accepted()).toBe(2);
  });

  it('is marked as an advertisement', async () => {
    await send({}, post({ isAdvertisement: true }));
    expect((await vk.control.listCalls()).items[0]?.request).toMatchObject({ mark_as_ads: '1' });
  });
});

const refusal = (error_code: number, error_msg = 'words') => ({
  body: { error: { error_code, error_msg } },
  status: 200,
});
const HTML = '<html><body>502 Bad Gateway</body></html>';
type Case = readonly [what: string, fault: Partial<Fault>, outcome: object, accepted: number];

describe('a response of VK (networks.md §3)', () => {
  const wait = (afterMs: number) => ({ kind: 'retry', named: true, afterMs, error: { category: 'rate_limit' } });
  const cases: readonly Case[] = [
    ['6', refusal(6), wait(1_000), 0],
    ['9', refusal(9), wait(300_000), 0],
    ['29', refusal(29), wait(900_000), 0],
    ['43', refusal(43), wait(60_000), 0],
    [
      '214 of the day',
      refusal(214, 'Access to adding post denied: you can only add 50 posts a day'),
      wait(24 * HOUR),
      0,
    ],
    ...[100, 214, 219, 222, 224].map((code): Case => [String(code), refusal(code), { kind: 'failed' }, 0]),
    ['an unknown one', refusal(12_345), { kind: 'failed', error: { category: 'payload', code: 'refused' } }, 0],
    ['a method that VK does not know', refusal(3), { kind: 'failed', error: { category: 'internal' } }, 0],
    ...[5, 14, 17, 18, 27, 28, 37, 1051, 1117, 3300].map((code): Case => [
      String(code),
      refusal(code),
      { kind: 'needs_attention', error: { category: 'credentials', source: 'vk', platform_says: 'words' } },
      0,
    ]),
    ...[7, 15, 40, 203].map((code): Case => [
      String(code),
      refusal(code),
      { kind: 'needs_attention', error: { category: 'channel', source: 'vk', platform_says: 'words' } },
      0,
    ]),
    [
      '15 with the subcode of a missing right',
      { status: 200, body: { error: { error_code: 15, error_subcode: 1133, error_msg: 'words' } } },
      { kind: 'needs_attention', error: { category: 'credentials', code: 'not_permitted' } },
      0,
    ],
    ...[1, 10, 36].map((code): Case => [
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
    [
      '200 with half a body',
      { mode: 'accept_then_answer', status: 200, body: '{"response":{"po' },
      { kind: 'in_doubt' },
      1,
    ],
    ['200 without an id', { mode: 'accept_then_answer', status: 200, body: { response: {} } }, { kind: 'in_doubt' }, 1],
    ['200 with null', { mode: 'accept_then_answer', status: 200, body: { response: null } }, { kind: 'in_doubt' }, 1],
    ['403 in HTML', { status: 403, body: HTML }, { kind: 'retry', named: false }, 0],
    [
      '429',
      { status: 429, body: '', headers: { 'retry-after': '9' } },
      { kind: 'retry', named: true, afterMs: 9_000 },
      0,
    ],
  ];
  it.each(cases)('%s', async (_, fault, outcome, accepts) => {
    await vk.control.addFault({ mode: 'answer', ...fault });
    expect(await send()).toMatchObject(outcome);
    expect(await accepted()).toBe(accepts);
    expect((await vk.control.listCalls()).total).toBe(1);
  });

  it('with an implied delay: the delay grows each time, up to a limit', async () => {
    const waits: unknown[] = [];
    for (const slow_down of [0, 1, 2, 9]) {
      await vk.control.addFault({ mode: 'answer', ...refusal(9) });
      const outcome = await send({ waits: { too_many_requests: 7, slow_down } });
      waits.push(outcome.kind === 'retry' && outcome.afterMs);
    }
    expect(waits).toEqual([300_000, 600_000, 1_200_000, 4 * HOUR]);
  });

  it('about 50 posts on the wall today: the next one waits a day', async () => {
    await vk.control.request('POST', 'groups', { group_id: '7', daily_limit: 1 });
    await send();
    expect(await send({ key: 'pub_2' })).toMatchObject({ kind: 'retry', named: true, afterMs: 24 * HOUR });
  });

  it.each([
    ['a revoked token', COMMUNITY_TOKEN, 'unauthorized'],
    ['a VK ID token', 'vk2.a.token', 'wrong_kind_of_token'],
    ['none', '', 'access_token_missing'],
  ])('%s', async (_, access_token, code) => {
    await vk.control.request('POST', 'tokens', { token: COMMUNITY_TOKEN, kind: 'revoked' });
    const outcome = await send({ credentials: { access_token } });
    expect(outcome).toMatchObject({ kind: 'needs_attention', error: { code } });
  });

  it('that echoes a token: the outcome does not contain it', async () => {
    const words = `no access for ${COMMUNITY_TOKEN} nor ${USER_TOKEN}`;
    for (const code of [5, 9, 10, 100]) {
      await vk.control.addFault({ mode: 'answer', ...refusal(code, words) });
      const outcome = await send();
      expect(outcome).toMatchObject({ error: { platform_says: 'no access for *** nor ***' } });
    }
  });
});

describe('a call without a response', () => {
  it.each([
    ['hang', 0],
    ['accept_then_hang', 1],
  ] as const)('in time (%s) is in doubt', async (mode, accepts) => {
    const impatient = createVkPublisher({ apiUrl: vk.url, timeoutMs: 2_000 });
    await vk.control.addFault({ mode });
    const letPass = holdTimers(2_000);
    const outcome = impatient.send(step(), contextFor());
    await until('the call has arrived', async () => (await vk.control.listCalls()).total === 1);
    await until('it is executed', async () => (await accepted()) === accepts);
    letPass();
    expect(await outcome).toMatchObject({
      kind: 'in_doubt',
      error: { code: 'timed_out' },
    });
    expect(await accepted()).toBe(accepts);
    await vk.stop();
    await impatient.close();
    vk = await startVk();
  });

  it('may be retried if the port is closed: nothing was sent', async () => {
    const offline = createVkPublisher({ apiUrl: vk.url });
    await vk.stop();
    const outcome = await offline.send(step(), contextFor());
    expect(outcome).toMatchObject({ kind: 'retry', named: false, error: { code: 'not_sent', source: 'gateway' } });
    await offline.close();
    vk = await startVk();
  });
});

describe('the look-up of a send in doubt on the wall (D-25, D-41)', () => {
  const lookUp = (since: number, more: Partial<SendContext> = {}, of = post(), before: readonly string[] = []) =>
    vk.publisher.lookUp!(step(of), contextFor(more), { since, before: new Set(before) });

  it('finds it if the wall has its text since the attempt began', async () => {
    const since = Date.now();
    await vk.control.addFault({ mode: 'accept_then_drop' });
    expect(await send({}, post({ text: 'Tide [id1|at] six' }))).toMatchObject({ kind: 'in_doubt' });
    expect(await lookUp(since, {}, post({ text: 'Tide [id1|at] six' }))).toEqual({
      kind: 'sent',
      outcome: { kind: 'done', result: { post_id: '1' }, messageIds: ['1'], urls: ['https://vk.com/wall-7_1'] },
    });
  });

  it('reports that it was not sent if the wall has only other texts, or the same text from before', async () => {
    await send({}, post({ text: 'Other' }));
    expect(await lookUp(Date.now())).toEqual({ kind: 'not_sent' });
    await send({ key: 'pub_2' });
    expect(await lookUp(Date.now() + 60_000)).toEqual({ kind: 'not_sent' });
  });

  it('is not misled by the same words posted just before it, or before an earlier post', async () => {
    await send();
    await send({ key: 'pub_2' });
    expect(await lookUp(Date.now(), {}, post(), ['2'])).toEqual({ kind: 'not_sent' });
    // A second older than the attempt, however late the answer is: without VK's own clock nothing shifts the dates.
    const date = Math.floor(Date.now() / 1_000);
    const items = ['2', '1'].map((id) => ({ id: Number(id), date, text: 'Ahoy' }));
    const wall = { status: 200, headers: { date: 'unknown' }, body: { response: { items } } };
    await vk.control.addFault({ mode: 'answer', method: 'wall.get', ...wall });
    expect(await lookUp((date + 1) * 1_000)).toEqual({ kind: 'unknown' });
    await send({ key: 'pub_3' });
    expect(await lookUp(Date.now(), {}, post(), ['2'])).toMatchObject({ outcome: { messageIds: ['3'] } });
  });

  it('ignores a pinned post, which comes first whatever its age', async () => {
    await send({ key: 'pub_2' }, post({ text: 'Pinned' }));
    const since = Date.now();
    await vk.control.addFault({ mode: 'accept_then_drop' });
    await send();
    const date = Math.floor(Date.now() / 1_000);
    const items = [
      { id: 1, date: date - 86_400, text: 'Pinned', is_pinned: 1 },
      { id: 2, date, text: 'Ahoy' },
    ];
    await vk.control.addFault({ mode: 'answer', method: 'wall.get', status: 200, body: { response: { items } } });
    expect(await lookUp(since, {}, post(), ['1'])).toMatchObject({ kind: 'sent', outcome: { messageIds: ['2'] } });
  });

  it('of a send that may be long ago ignores later posts and posts of others, and needs no results of uploads (D-80)', async () => {
    for (const key of ['pub_1', 'pub_2', 'pub_3']) await send({ key });
    const lookUpAll = (until: number, others: readonly string[]) =>
      vk.publisher.lookUp!(step(), contextFor(), { since: 0, before: new Set(), until, others: new Set(others) });
    expect(await lookUpAll(Date.now(), ['1'])).toMatchObject({ outcome: { messageIds: ['2'] } });
    expect(await lookUpAll(Date.now(), ['1', '2', '3'])).toEqual({ kind: 'not_sent' });
    expect(await lookUpAll(Date.now() - 60_000, [])).toEqual({ kind: 'not_sent' });
    const [last] = (await vk.control.listCalls({ method: 'wall.get' })).items.slice(-1);
    expect(last!.request['count']).toBe('100');
    const photo = { type: 'photo' as const, url: 'https://example.com/a.jpg' };
    const rendered = vk.publisher.render(post({ media: [photo] }), {
      ...CHANNEL,
      address: { ...CHANNEL.address, uploads: 'user' },
    });
    const lookUpPhoto = () =>
      vk.publisher.lookUp!(rendered.steps.at(-1)!, contextFor(), { since: 0, before: new Set(), until: Date.now() });
    expect(await lookUpPhoto()).toEqual({ kind: 'not_sent' });
    const items = [{ id: 9, date: Math.floor(Date.now() / 1_000), text: 'Ahoy', attachments: [{ type: 'photo' }] }];
    await vk.control.addFault({ mode: 'answer', method: 'wall.get', status: 200, body: { response: { items } } });
    expect(await lookUpPhoto()).toMatchObject({ outcome: { messageIds: ['9'] } });
  });

  it('is inconclusive if the wall cannot be read, or the post may be on a later page', async () => {
    expect(await lookUp(0, { credentials: { access_token: COMMUNITY_TOKEN } })).toEqual({ kind: 'unknown' });
    await vk.control.addFault({ mode: 'drop_before_accepting' });
    expect(await lookUp(0)).toEqual({ kind: 'unanswered' });
    for (let n = 0; n < 50; n++) await send({ key: `pub_${n}` }, post({ text: `Number ${n}` }));
    expect(await lookUp(0)).toEqual({ kind: 'unknown' });
  });
});
