import { createMaxPublisher } from '../../../src/platforms/max/descriptor.js';
import type { DeleteContext } from '../../../src/platforms/publisher.js';
import type { Fault } from '../../../stand-ins/kit/control.js';
import { CHAT, startStandIn, TOKEN } from '../../stand-ins/max/stand-in.js';
import { noMedia } from '../media-files.js';
import { postOf } from '../publish-post.js';

const channel = { id: 'tgt_1', address: { chat_id: CHAT }, settings: {} };
const signal = new AbortController().signal;
let max: Awaited<ReturnType<typeof startStandIn>>;
let publisher: ReturnType<typeof createMaxPublisher>;
let mid: string;
beforeEach(async () => {
  max = await startStandIn();
  publisher = createMaxPublisher({ apiUrl: `${max.url}/` });
  const step = publisher.render(postOf({ text: 'Ahoy' }), channel).steps[0]!;
  const sending = { credentials: { access_token: TOKEN }, channel, results: {}, key: 'key', waits: {}, media: noMedia };
  const sent = await publisher.send(step, { ...sending, signal });
  mid = sent.kind === 'done' ? sent.messageIds[0]! : '';
});
afterEach(async () => {
  await max.stop();
  await publisher.close();
});

const remove = (more: Partial<DeleteContext> = {}, id = mid) =>
  publisher.deleteMessage!(
    { id, at: Date.now() },
    { credentials: { access_token: TOKEN }, channel, signal, now: Date.now(), minuteMs: 60_000, ...more },
  );
const deleted = async () => (await max.control.listChanges()).map(({ message_id }) => message_id);
const asked = async () =>
  (await max.control.listCalls()).items.map(({ method }) => method).filter((method) => method !== 'POST /messages');
const answer = (status: number, code: string, message = '') => ({ status, body: { code, message } });
const LOOKED_UP = ['DELETE /messages', 'GET /messages/{messageId}'];

describe("a message's deletion (networks.md §10)", () => {
  it('is done, and the message is gone for readers', async () => {
    expect(await remove()).toEqual({ kind: 'deleted' });
    expect(await max.control.listChanges({ channel: CHAT })).toMatchObject([{ kind: 'deleted', message_id: mid }]);
    const headers = { authorization: TOKEN };
    const list = await fetch(`${max.url}/messages?chat_id=${CHAT}`, { headers });
    expect(await list.json()).toEqual({ messages: [] });
    const one = await fetch(`${max.url}/messages/${mid}`, { headers });
    expect([one.status, await one.json()]).toMatchObject([404, { code: 'message.not.found' }]);
  });

  it('of a message that is not there, or not there any more', async () => {
    const [form, chat] = mid.split('.');
    expect(await remove({}, `${form}.${chat}.7`)).toEqual({ kind: 'not_there' });
    await remove();
    expect(await remove()).toEqual({ kind: 'not_there' });
    expect(await remove({}, 'of another form/ä')).toEqual({ kind: 'not_there' });
  });

  it('is refused without the right, and says what to do', async () => {
    await max.control.request('POST', 'chats', { chat_id: CHAT, may_delete: false });
    const outcome = await remove();
    expect(outcome).toMatchObject({
      kind: 'refused',
      error: { code: 'no_right_to_delete', category: 'channel', source: 'max' },
    });
    expect(outcome.kind === 'refused' && outcome.error.message).toMatch(/right to delete messages.*by hand/);
    expect(await deleted()).toEqual([]);
    expect(await asked()).toEqual(['DELETE /messages']);
  });

  it.each(['missing', 'denied', 'removed'])('in a chat that is %s concerns posts too', async (state) => {
    await max.control.request('POST', 'chats', { chat_id: CHAT, state });
    expect(await remove()).toMatchObject({ kind: 'needs_attention', error: { category: 'channel' } });
  });

  it('with a revoked token concerns posts too, and does not tell the token', async () => {
    await max.control.request('POST', 'tokens', { token: TOKEN });
    const outcome = await remove();
    expect(outcome).toMatchObject({ kind: 'needs_attention', error: { code: 'unauthorized' } });
    expect(JSON.stringify(outcome)).not.toContain(TOKEN);
  });

  it('with a malformed token makes no call', async () => {
    expect(await remove({ credentials: { access_token: ' ' } })).toMatchObject({ error: { code: 'malformed_token' } });
    expect(await asked()).toEqual([]);
  });

  it('waits as long as MAX says', async () => {
    await max.control.addFault({
      mode: 'answer',
      method: 'DELETE /messages',
      ...answer(429, 'too.many.requests'),
      headers: { 'retry-after': '4' },
    });
    expect(await remove()).toMatchObject({ kind: 'retry', named: true, afterMs: 4_000 });
  });

  it.each<readonly [string, Partial<Fault>]>([
    ['success: false', { status: 200, body: { success: false, message: 'words' } }],
    ['400', answer(400, 'proto.payload', 'words')],
    ['404 in other words', answer(404, 'not.found', 'words')],
    ['an unknown code', answer(400, 'something.new', 'words')],
  ])('%s is refused if the message is there, else it is not there', async (_, fault) => {
    await max.control.addFault({ mode: 'answer', method: 'DELETE /messages', times: 2, ...fault });
    expect(await remove()).toMatchObject({
      kind: 'refused',
      error: { code: 'refused', platform_says: expect.stringContaining('words') as string },
    });
    expect(await asked()).toEqual(LOOKED_UP);
    const [form, chat] = mid.split('.');
    expect(await remove({}, `${form}.${chat}.7`)).toEqual({ kind: 'not_there' });
  });

  it('that cannot be looked up stays refused, and stops no posts', async () => {
    await max.control.addFault({
      mode: 'answer',
      method: 'DELETE /messages',
      times: 3,
      ...answer(400, 'something.new'),
    });
    const lookUp = (fault: Partial<Fault>) =>
      max.control.addFault({ mode: 'answer', method: 'GET /messages/{messageId}', ...fault });
    await lookUp(answer(403, 'chat.denied', 'error.chat.denied'));
    expect(await remove()).toMatchObject({ kind: 'refused', error: { code: 'refused' } });
    await lookUp(answer(404, 'chat.not.found'));
    expect(await remove()).toMatchObject({ kind: 'refused', error: { code: 'refused' } });
    await lookUp({ mode: 'drop_before_accepting' });
    expect(await remove()).toMatchObject({ kind: 'retry', named: false });
  });

  const HTML = '<html><body>502 Bad Gateway</body></html>';
  const cases: readonly (readonly [what: string, fault: Partial<Fault>, outcome: object, deleted: number])[] = [
    ['404 message.not.found', answer(404, 'message.not.found'), { kind: 'not_there' }, 0],
    ['403 access.denied', answer(403, 'access.denied'), { error: { code: 'no_right_to_delete' } }, 0],
    ['500', answer(500, 'internal'), { kind: 'retry', named: false }, 0],
    ['502 in HTML', { status: 502, body: HTML }, { kind: 'retry' }, 0],
    ['404 in HTML', { status: 404, body: HTML }, { kind: 'retry' }, 0],
    ['an answer without success', { status: 200, body: {} }, { kind: 'retry', named: false }, 0],
    ['no answer before', { mode: 'drop_before_accepting' }, { kind: 'retry', named: false, afterMs: null }, 0],
    ['no answer after', { mode: 'accept_then_drop' }, { kind: 'retry', named: false, afterMs: null }, 1],
  ];
  it.each(cases)('%s', async (_, fault, outcome, count) => {
    await max.control.addFault({ mode: 'answer', method: 'DELETE /messages', ...fault });
    expect(await remove()).toMatchObject(outcome);
    expect(await deleted()).toHaveLength(count);
    expect(await asked()).toEqual(['DELETE /messages']);
  });

  it('makes no call without the lease', async () => {
    expect(await remove({ holdsLease: () => false })).toMatchObject({ kind: 'retry', error: { code: 'lease_lost' } });
    expect(await asked()).toEqual([]);
  });
});

it('the forecast has no end', () => {
  expect(publisher.canDelete!(channel, 1, 2, 3)).toEqual({ withdraw: true, until: null, text: null });
});
