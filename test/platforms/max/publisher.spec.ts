import fc from 'fast-check';
import { createMaxPublisher } from '../../../src/platforms/max/descriptor.js';
import type { SendContext } from '../../../src/platforms/publisher.js';
import type { Fault } from '../../../stand-ins/kit/control.js';
import { until } from '../../e2e/until.js';
import { CHAT, startStandIn, TOKEN } from '../../stand-ins/max/stand-in.js';
import { holdTimers, releaseTimers } from '../../support/held-timers.js';
import { anyTextWithEntities } from '../../support/payload-properties.js';
import { mediaFolder } from '../media-files.js';
import { postOf, publishPost } from '../publish-post.js';
import { startSink } from '../sink.js';

let max: Awaited<ReturnType<typeof startStandIn>>;
let files: Awaited<ReturnType<typeof mediaFolder>>;
let publisher: ReturnType<typeof createMaxPublisher>;
beforeEach(async () => {
  max = await startStandIn();
  files = await mediaFolder();
  publisher = createMaxPublisher({ apiUrl: `${max.url}/` });
});
afterEach(async () => {
  releaseTimers();
  await max.stop();
  await publisher.close();
  expect(files.lent()).toBe(0);
  await files.remove();
});

const channel = { id: 'tgt_1', address: { chat_id: CHAT }, settings: {} };
const contextWith = (more: Partial<SendContext> = {}): SendContext => ({
  credentials: { access_token: TOKEN },
  channel,
  results: {},
  key: 'key',
  waits: {},
  media: files.lending([]),
  signal: new AbortController().signal,
  ...more,
});
const ahoy = postOf({ text: 'Ahoy' });
const stepOf = (post = ahoy) => publisher.render(post, channel).steps[0]!;
const send = (more: Partial<SendContext> = {}, by = publisher) => by.send(stepOf(), contextWith(more));
const accepted = async () => (await max.control.readLedger()).length;

const media = (type: 'photo' | 'video' | 'audio', name: string) => ({ type, url: `https://media.example/${name}` });
const publishFiles = async (names: readonly string[], more: Partial<SendContext> = {}, text = 'Look') => {
  const types = { jpg: 'photo', mp4: 'video', mp3: 'audio' } as const;
  const post = postOf({ text, media: names.map((name) => media(types[name.split('.')[1] as 'jpg'], name)) });
  const paths = await Promise.all(names.map((name) => files.make(name)));
  return publishPost(publisher, post, channel, contextWith({ media: files.lending(paths), ...more }));
};

describe('a published post', () => {
  it('has its id and its URL', async () => {
    const outcome = await send();
    const [entry] = await max.control.readLedger();
    const mid = entry?.message_id;
    expect(outcome).toEqual({
      kind: 'done',
      result: { mid },
      messageIds: [mid],
      urls: [`https://max.ru/c/${CHAT}/1`],
    });
  });

  it('is sent to the current address of the channel', async () => {
    await publisher.send(stepOf(), contextWith({ channel: { ...channel, address: { chat_id: '-5' } } }));
    expect(await max.control.readLedger({ channel: '-5' })).toHaveLength(1);
  });

  it.each(['photos', 'token'])('accepts both forms of an image upload: %s', async (image) => {
    await max.control.request('POST', 'uploads', { image });
    expect((await publishFiles(['a.jpg'])).outcome).toMatchObject({ kind: 'done' });
    expect((await max.control.readLedger())[0]?.media).toMatchObject([{ type: 'photo', name: 'a.jpg' }]);
  });
});

describe('a refusal by MAX (networks.md §3)', () => {
  it.each([
    ['missing', 'chat_not_found'],
    ['denied', 'forbidden'],
  ])('for a chat that is %s', async (state, code) => {
    await max.control.request('POST', 'chats', { chat_id: CHAT, state });
    expect(await send()).toMatchObject({ kind: 'needs_attention', error: { code, source: 'max' } });
  });

  it('for a revoked token', async () => {
    await max.control.request('POST', 'tokens', { token: TOKEN });
    expect(await send()).toMatchObject({ kind: 'needs_attention', error: { code: 'unauthorized' } });
  });

  it('for too many calls, as a web page, keeps its words (D-35)', async () => {
    await max.control.addFault({ ...answer(429, '<p>Wait a moment</p>'), method: 'POST /messages' });
    expect(await send()).toMatchObject({ kind: 'retry', named: true, error: { platform_says: 'Wait a moment' } });
  });

  it.each(['', 'two words', 'line\nfeed', 'ключ'])(
    'comes without a call for a malformed token: %p',
    async (access_token) => {
      const outcome = await send({ credentials: { access_token } });
      expect(outcome).toMatchObject({ kind: 'needs_attention', error: { code: 'malformed_token', source: 'gateway' } });
      expect((await max.control.listCalls()).total).toBe(0);
    },
  );

  it('for too many calls returns the exact delay', async () => {
    await max.control.request('POST', 'rate-limit', { chat_per_second: 1 });
    const realNow = Date.now;
    const at = Date.now();
    Date.now = () => at; // on a busy machine more than the second of the limit may pass between two calls
    const both = async () => [await send(), await send()];
    const outcomes = await both().finally(() => (Date.now = realNow));
    expect(outcomes).toMatchObject([{ kind: 'done' }, { kind: 'retry', named: true, afterMs: 1_000 }]);
  });

  it.each([
    [0, 1_000],
    [1, 2_000],
    [2, 4_000],
    [6, 64_000],
    [7, 120_000],
    [60, 120_000],
  ])('for an attachment that is not ready, after %i such delays, is retried after %i ms', async (times, afterMs) => {
    const waits = { too_many_requests: 3, attachment_not_ready: times };
    await max.control.request('POST', 'not-ready', { times: 1 });
    const { outcome, results } = await publishFiles(['a.mp4'], { waits });
    expect(outcome).toMatchObject({ kind: 'retry', named: true, afterMs, error: { code: 'attachment_not_ready' } });
    const again = await publishFiles(['a.mp4'], { waits, results });
    expect(again.outcome).toMatchObject({ kind: 'done' });
    expect((await max.control.listCalls({ method: 'upload' })).items).toHaveLength(1);
  });
});

const HTML = '<html><body>502 Bad Gateway</body></html>';
const refusal = (code: string, message = '') => ({ code, message });
type Case = readonly [what: string, fault: Partial<Fault> & Pick<Fault, 'mode'>, outcome: object, accepted: number];
const answer = (status: number, body: unknown = null, headers = {}) =>
  ({ mode: 'answer', status, body, headers }) as const;
const accepts = (status: number, body: unknown) => ({ mode: 'accept_then_answer', status, body }) as const;
const doubt = (code: string) => ({ kind: 'in_doubt', error: { code } });

const cases: readonly Case[] = [
  ['dropped before it was read', { mode: 'drop_before_accepting' }, doubt('connection_lost'), 0],
  ['dropped after it was accepted', { mode: 'accept_then_drop' }, doubt('connection_lost'), 1],
  ['500', accepts(500, refusal('internal')), doubt('server_error'), 1],
  ['503', answer(503), doubt('server_error'), 0],
  ['502 in HTML', accepts(502, HTML), doubt('unreadable_answer'), 1],
  ['504 without a body', answer(504, ''), doubt('unreadable_answer'), 0],
  ['200 in HTML', accepts(200, HTML), doubt('unreadable_answer'), 1],
  ['200 without a body', accepts(200, ''), doubt('unreadable_answer'), 1],
  [
    '200 with half a body',
    { ...accepts(200, { message: { body: { mid: 'x' } } }), cut_at: 9 },
    doubt('connection_lost'),
    1,
  ],
  ['200 without a message', accepts(200, {}), doubt('unreadable_answer'), 1],
  ['200 with null', accepts(200, 'null'), doubt('unreadable_answer'), 1],
  ['200 without an id', accepts(200, { message: { body: {} } }), doubt('unreadable_answer'), 1],
  [
    '200 success false',
    answer(200, { success: false, message: 'no' }),
    { kind: 'failed', error: { source: 'max', platform_says: 'no' } },
    0,
  ],
  [
    '200 success false, with a code',
    answer(200, { success: false, ...refusal('chat.denied') }),
    { kind: 'needs_attention' },
    0,
  ],
  ['429', answer(429, null, { 'retry-after': '7' }), { kind: 'retry', named: true, afterMs: 7_000 }, 0],
  ['429 without a time', answer(429), { kind: 'retry', named: true, afterMs: null }, 0],
  ['429 in HTML', answer(429, HTML, { 'retry-after': '9' }), { kind: 'retry', named: true, afterMs: 9_000 }, 0],
  [
    '400 proto.payload',
    answer(400, refusal('proto.payload', 'text: too long')),
    { kind: 'failed', error: { code: 'bad_request', category: 'payload' } },
    0,
  ],
  [
    '400 for a video',
    answer(400, refusal('errors.process.attachment.video.not.supported')),
    { kind: 'failed', error: { code: 'media_refused', category: 'media' } },
    0,
  ],
  [
    '400 for a button',
    answer(400, refusal('proto.payload', 'buttons: url')),
    { kind: 'failed', error: { code: 'bad_button' } },
    0,
  ],
  ['401', answer(401), { kind: 'needs_attention', error: { code: 'unauthorized' } }, 0],
  ['403', answer(403), { kind: 'needs_attention', error: { code: 'forbidden' } }, 0],
  ['404', answer(404), { kind: 'needs_attention', error: { code: 'chat_not_found', category: 'channel' } }, 0],
  [
    '404 of an unknown call',
    answer(404, refusal('not.found')),
    { kind: 'failed', error: { code: 'method_not_found' } },
    0,
  ],
  ['413', answer(413), { kind: 'failed', error: { code: 'media_too_large' } }, 0],
  ['403 in HTML', answer(403, HTML), { kind: 'retry', named: false }, 0],
  ['a redirect', answer(302, '', { location: '/elsewhere' }), { kind: 'retry', named: false }, 0],
];

describe('a message that fails', () => {
  it.each(cases)('%s', async (_, fault, outcome, accepts) => {
    await max.control.addFault(fault);
    expect(await send()).toMatchObject(outcome);
    expect(await accepted()).toBe(accepts);
    expect((await max.control.listCalls()).total).toBe(1);
  });

  it('is in doubt if there is no response in time', async () => {
    const impatient = createMaxPublisher({ apiUrl: max.url, timeoutMs: 250 });
    await max.control.addFault({ mode: 'accept_then_hang' });
    const letPass = holdTimers(250);
    const outcome = send({}, impatient);
    await until('MAX has accepted it', async () => (await accepted()) === 1);
    letPass();
    expect(await outcome).toMatchObject(doubt('timed_out'));
    await max.stop();
    await impatient.close();
    max = await startStandIn();
  });

  it('is not sent if the port is closed', async () => {
    const { url } = max;
    await max.stop();
    const offline = createMaxPublisher({ apiUrl: url });
    expect(await send({}, offline)).toMatchObject({ kind: 'retry', named: false, error: { code: 'not_sent' } });
    await offline.close();
    max = await startStandIn();
  });

  it('has an outcome without the token, even if a response echoes it', async () => {
    await max.control.addFault(answer(400, refusal('proto.payload', `bad ${TOKEN}`)));
    const outcome = await send();
    expect(outcome).toMatchObject({ error: { platform_says: 'proto.payload: bad ***' } });
    expect(JSON.stringify(await max.control.listCalls())).not.toContain(TOKEN);
  });
});

describe('the look-up of a send in doubt (networks.md §4, D-25)', () => {
  const lookUp = (since: number, post = ahoy, before: readonly (string | undefined)[] = []) =>
    publisher.lookUp!(publisher.render(post, channel).steps.at(-1)!, contextWith(), {
      since,
      before: new Set(before.filter((id) => id !== undefined)),
    });

  it.each([
    ['plain', ahoy],
    ['formatted', postOf({ text: 'a <b> & "c"', entities: [{ type: 'bold', offset: 0, length: 5 }] })],
    ['with buttons', postOf({ text: 'x', buttons: [[{ text: 'b', url: 'https://example.com/' }]] })],
  ])('finds it: %s', async (_, post) => {
    const since = Date.now();
    await max.control.addFault({ mode: 'accept_then_drop' });
    expect(await publisher.send(stepOf(post), contextWith())).toMatchObject({ kind: 'in_doubt' });
    const [entry] = await max.control.readLedger();
    expect(await lookUp(since, post)).toMatchObject({ kind: 'sent', outcome: { messageIds: [entry?.message_id] } });
  });

  it('of a send that may be long ago ignores later messages and messages of others (D-80)', async () => {
    for (let n = 0; n < 12; n++) await max.post({ text: n < 2 ? 'Ahoy' : 'Other' });
    const ids = (await max.control.readLedger()).map(({ message_id }) => message_id);
    const lookUpAll = (until: number, others: readonly string[]) =>
      publisher.lookUp!(publisher.render(ahoy, channel).steps.at(-1)!, contextWith(), {
        since: 0,
        before: new Set(),
        until,
        others: new Set(others),
      });
    expect(await lookUpAll(Date.now(), [ids[0]!])).toMatchObject({ outcome: { messageIds: [ids[1]] } });
    expect(await lookUpAll(Date.now(), ids.slice(0, 2))).toEqual({ kind: 'not_sent' });
    expect(await lookUpAll(Date.now() - 60_000, [])).toEqual({ kind: 'not_sent' });
  });

  it('reports that it is not there', async () => {
    await max.control.addFault({ mode: 'drop_before_accepting' });
    await send();
    expect(await lookUp(Date.now())).toEqual({ kind: 'not_sent' });
  });

  it('does not mistake an earlier post with the same words for it', async () => {
    await send();
    expect(await lookUp(Date.now() + 60_000)).toEqual({ kind: 'not_sent' });
  });

  it('does not mistake a message of an earlier step for it', async () => {
    const { outcome } = await publishFiles(['a.mp3', 'b.mp3'], {}, '');
    expect(outcome).toMatchObject({ kind: 'done' });
    const post = postOf({ media: [media('audio', 'a.mp3'), media('audio', 'b.mp3')] });
    const sent = (await max.control.readLedger()).map(({ message_id }) => message_id);
    expect(await lookUp(Date.now() - 60_000, post, sent)).toEqual({ kind: 'not_sent' });
  });

  it('is not misled by the same words posted just before it, or before an earlier message', async () => {
    await max.post({ text: 'Ahoy' }); // by another sender
    await send();
    const [, known] = await max.control.readLedger();
    const since = Date.now() - 1_000; // the clocks differ
    expect(await lookUp(since, ahoy, [known?.message_id])).toEqual({ kind: 'not_sent' });
    await max.control.addFault({ mode: 'accept_then_drop' });
    await send();
    const [, , ours] = await max.control.readLedger();
    const outcome = { messageIds: [ours?.message_id] };
    expect(await lookUp(since, ahoy, [known?.message_id])).toMatchObject({ kind: 'sent', outcome });
  });

  it.each([
    ['MAX adds the preview of a link', 'Ahoy', [{ type: 'share' }]],
    ['MAX changes white space and invisible characters', ' A\u200bho\n\ny ', []],
  ])('finds it although %s', async (_, text, attachments) => {
    const at = Date.now();
    const found = { timestamp: at, body: { mid: 'mid.1', text, attachments } };
    await max.control.addFault({ ...answer(200, { messages: [found] }), method: 'GET /messages' });
    expect(await lookUp(at - 1_000)).toMatchObject({ outcome: { messageIds: ['mid.1'] } });
  });

  it('is inconclusive about the same words that were posted as the attempt began', async () => {
    await max.post({ text: 'Ahoy' });
    const [entry] = await max.control.readLedger();
    // Without MAX's own clock nothing shifts the times, however late the answer is.
    const { body } = await max.call('GET', `/messages?chat_id=${CHAT}`);
    await max.control.addFault({ ...answer(200, body, { date: 'unknown' }), method: 'GET /messages' });
    expect(await lookUp(Date.parse(entry!.at) + 1_500)).toEqual({ kind: 'unknown' });
  });

  it('is inconclusive if one of the newer messages cannot be read', async () => {
    const known = { timestamp: Date.now() - 60_000, body: { mid: 'mid.1', text: 'earlier' } };
    const list = (...messages: readonly object[]) =>
      max.control.addFault({ ...answer(200, { messages }), method: 'GET /messages' });
    await list({ body: null }, known);
    expect(await lookUp(Date.now(), ahoy, ['mid.1'])).toEqual({ kind: 'unknown' });
    await list(known, { body: null });
    expect(await lookUp(Date.now(), ahoy, ['mid.1'])).toEqual({ kind: 'not_sent' });
  });

  it('is inconclusive if the newest ten messages do not reach back far enough', async () => {
    for (let n = 0; n < 10; n++) await max.post({ text: `later ${n}` });
    expect(await lookUp(Date.now() - 60_000)).toEqual({ kind: 'unknown' });
    expect(await lookUp(Date.now() + 60_000)).toEqual({ kind: 'not_sent' });
  });

  it('is unanswered while MAX does not respond', async () => {
    await max.control.addFault({ ...answer(500), method: 'GET /messages' });
    expect(await lookUp(Date.now())).toEqual({ kind: 'unanswered' });
    await max.control.addFault({ ...answer(403), method: 'GET /messages' });
    expect(await lookUp(Date.now())).toEqual({ kind: 'unknown' });
  });
});

describe('a file of 100 MB', () => {
  it('is streamed: it is never complete in memory', async () => {
    const sink = await startSink();
    const path = await files.make('big.mp4', 100 * 1_048_576);
    const step = publisher.render(postOf({ media: [media('video', 'big.mp4')] }), channel).steps[0]!;
    const streaming = createMaxPublisher({ apiUrl: sink.url });
    const outcome = await streaming.send(step, contextWith({ media: files.lending([path]) }));
    expect(outcome).toEqual({ kind: 'done', result: { payload: { token: 'early' } }, messageIds: [], urls: [] });
    expect(sink.received()).toBe(sink.promised());
    expect(sink.received()).toBeGreaterThan(100 * 1_048_576);
    expect(sink.grown()).toBeLessThan(64 * 1_048_576);
    await streaming.close();
    await sink.stop();
  });
});

describe('the rendering of any post', () => {
  it('is accepted, and is in the channel word for word', async () => {
    const url = fc.constantFrom(
      'https://example.com/?a=1&b="2"',
      'tg://resolve?domain=x',
      'tg://user?id=1',
      'nonsense',
    );
    const button = fc.record({ text: fc.string({ minLength: 1 }).map((text) => `b${text}`), url });
    const anyPost = fc.record({
      content: anyTextWithEntities,
      url,
      buttons: fc.array(fc.array(button, { maxLength: 8 }), { maxLength: 8 }),
      repeat: fc.constantFrom(1, 1, 1, 60),
      linked: fc.boolean(),
    });
    let sent = 0;
    await fc.assert(
      fc.asyncProperty(anyPost, async ({ content, url: link, buttons, repeat, linked }) => {
        const post = postOf({
          text: content.text.repeat(repeat),
          entities: content.entities.map((entity) => ({ ...entity, url: link })),
          buttons,
          media: linked ? [media('video', 'big.mp4')] : [],
        });
        const results: SendContext['results'] = linked ? { 'upload-0': { link: 'media_too_large' } } : {};
        const { steps, warnings, textAfterTrim, trimmedChars } = publisher.render(post, channel, results);
        expect(textAfterTrim.length).toBeLessThanOrEqual(4_000);
        const step = steps.find(({ visible }) => visible);
        if (!step) return expect(warnings.map(({ code }) => code)).toContain('nothing_to_send');
        if (trimmedChars > 0) expect(textAfterTrim.startsWith(post.text.slice(0, -trimmedChars))).toBe(true);
        expect(await publisher.send(step, contextWith({ results }))).toMatchObject({ kind: 'done' });
        const [entry] = (await max.control.readLedger({ after: sent++ })).slice(-1);
        expect(entry?.text).toBe(textAfterTrim);
      }),
      { numRuns: process.env['TEST_LONG'] ? 3_000 : 300, seed: 20_261_121 },
    );
  });
});
