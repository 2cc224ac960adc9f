import type { DeleteContext } from '../../../src/platforms/publisher.js';
import type { Fault } from '../../../stand-ins/kit/control.js';
import { TOKEN } from '../../stand-ins/ok/stand-in.js';
import { CHANNEL, contextFor, post, publish, startOk } from './ok-harness.js';

let ok: Awaited<ReturnType<typeof startOk>>;
let topic: string;
beforeEach(async () => {
  ok = await startOk();
  const { outcome } = await publish(ok.publisher, post(), contextFor());
  topic = outcome?.kind === 'done' ? outcome.messageIds[0]! : '';
});
afterEach(() => ok.stop());

const remove = (more: Partial<DeleteContext> = {}, id = topic) => {
  const { credentials, channel, signal } = contextFor();
  const context = { credentials, channel, signal, now: Date.now(), minuteMs: 60_000, ...more };
  return ok.publisher.deleteMessage!({ id, at: Date.now() }, context);
};
const deleted = async () => (await ok.control.listChanges()).map(({ message_id }) => message_id);
const asked = async () =>
  (await ok.control.listCalls()).items.map(({ method }) => method).filter((method) => method !== 'mediatopic.post');
const refusal = (error_code: number, error_msg = 'words') => ({
  status: 200,
  body: { error_code, error_msg, error_data: null },
});
const refuse = (error_code: number, method = 'mediatopic.deleteTopic', error_msg = 'words') =>
  ok.control.addFault({ mode: 'answer', method, ...refusal(error_code, error_msg) });
const UNKNOWN = '154000000000999';
const LOOKED_UP = ['mediatopic.deleteTopic', 'mediatopic.getByIds'];

describe("a topic's deletion (networks.md §10)", () => {
  it('is done, and the topic is gone for readers', async () => {
    expect(await remove()).toEqual({ kind: 'deleted' });
    const { items } = await ok.control.listCalls({ method: 'mediatopic.deleteTopic' });
    expect(items.map(({ request }) => request)).toMatchObject([{ gid: '70', topic_id: topic, delete_id: topic }]);
    expect(await ok.control.listChanges({ channel: '70' })).toMatchObject([{ kind: 'deleted', message_id: topic }]);
  });

  it('is done in the other words', async () => {
    await ok.control.addFault({ mode: 'accept_then_answer', status: 200, body: { success: true } });
    expect(await remove()).toEqual({ kind: 'deleted' });
    expect(await deleted()).toEqual([topic]);
  });

  it('of a topic that is not there, or not there any more', async () => {
    expect(await remove({}, UNKNOWN)).toEqual({ kind: 'not_there' });
    await remove();
    expect(await remove()).toEqual({ kind: 'not_there' });
    expect(await asked()).toEqual([...LOOKED_UP, 'mediatopic.deleteTopic', ...LOOKED_UP]);
  });

  it('is refused without the role, and says what to do', async () => {
    await ok.control.request('POST', 'groups', { group_id: '70', state: 'no_member' });
    const outcome = await remove();
    expect(outcome).toMatchObject({
      kind: 'refused',
      error: { code: 'no_right_to_delete', category: 'channel', source: 'ok' },
    });
    expect(outcome.kind === 'refused' && outcome.error.message).toMatch(/moderator.*by hand/);
    expect(await asked()).toEqual(['mediatopic.deleteTopic']);
  });

  it('is refused without the token’s right', async () => {
    await ok.control.request('POST', 'tokens', { token: TOKEN, state: 'no_rights' });
    expect(await remove()).toMatchObject({ kind: 'refused', error: { code: 'no_right_to_delete' } });
  });

  it.each([10, 50, 200])('%d is refused without a look-up', async (code) => {
    await refuse(code);
    expect(await remove()).toMatchObject({
      kind: 'refused',
      error: { code: 'no_right_to_delete', platform_says: 'words' },
    });
    expect(await asked()).toEqual(['mediatopic.deleteTopic']);
  });

  it.each<readonly [string, Partial<Fault>]>([
    ['4', refusal(4)],
    ['100', refusal(100)],
    ['300', refusal(300)],
    ['an unknown code', refusal(12_345)],
    ['false', { status: 200, body: 'false' }],
    ['success: false', { status: 200, body: { success: false } }],
  ])('%s is refused if the topic is there, else it is not there', async (_, fault) => {
    await ok.control.addFault({ mode: 'answer', method: 'mediatopic.deleteTopic', times: 2, ...fault });
    expect(await remove()).toMatchObject({ kind: 'refused', error: { code: 'refused', category: 'platform' } });
    expect(await asked()).toEqual(LOOKED_UP);
    expect((await ok.control.listCalls({ method: 'mediatopic.getByIds' })).items[0]?.request).toMatchObject({
      topic_ids: topic,
    });
    expect(await remove({}, UNKNOWN)).toEqual({ kind: 'not_there' });
  });

  it.each<readonly [string, object | string]>([
    ['{}', {}],
    ['[]', '[]'],
    ['no topics', { media_topics: null }],
  ])('is not there after the look-up %s', async (_, body) => {
    await refuse(300);
    await ok.control.addFault({ mode: 'answer', method: 'mediatopic.getByIds', status: 200, body });
    expect(await remove()).toEqual({ kind: 'not_there' });
  });

  it('that cannot be looked up stays refused, and stops no posts', async () => {
    for (const _ of [1, 2, 3]) await refuse(300);
    await refuse(10, 'mediatopic.getByIds');
    expect(await remove()).toMatchObject({ kind: 'refused', error: { code: 'refused' } });
    await refuse(2, 'mediatopic.getByIds');
    expect(await remove()).toMatchObject({ kind: 'retry', named: true, afterMs: 5_000 });
    await ok.control.addFault({ mode: 'answer', method: 'mediatopic.getByIds', status: 200, body: 'true' });
    expect(await remove()).toMatchObject({ kind: 'refused', error: { code: 'refused' } });
  });

  it.each([
    [102, 'token_expired'],
    [103, 'unauthorized'],
    [104, 'bad_signature'],
    [160, 'chat_not_found'],
  ])('%d concerns posts too', async (error, code) => {
    await refuse(error);
    expect(await remove()).toMatchObject({ kind: 'needs_attention', error: { code } });
  });

  it('without credentials makes no call', async () => {
    expect(await remove({ credentials: {} })).toMatchObject({
      kind: 'needs_attention',
      error: { code: 'credentials_missing' },
    });
    expect(await asked()).toEqual([]);
  });

  const HTML = '<html><body>502 Bad Gateway</body></html>';
  const cases: readonly (readonly [what: string, fault: Partial<Fault>, outcome: object, deleted: number])[] = [
    ['2', refusal(2), { kind: 'retry', named: true, afterMs: 5_000 }, 0],
    ['8', refusal(8), { kind: 'retry', named: true, afterMs: 300_000 }, 0],
    ...[1, 9999].map((code) => [String(code), refusal(code), { kind: 'retry', named: false }, 0] as const),
    ['502 in HTML', { status: 502, body: HTML }, { kind: 'retry' }, 0],
    ['403 in HTML', { status: 403, body: HTML }, { kind: 'retry' }, 0],
    ['429', { status: 429, body: '', headers: { 'retry-after': '9' } }, { kind: 'retry', afterMs: 9_000 }, 0],
    ['another answer than true', { status: 200, body: '"154"' }, { kind: 'retry', named: false }, 0],
    ['no answer before', { mode: 'drop_before_accepting' }, { kind: 'retry', named: false, afterMs: null }, 0],
    ['no answer after', { mode: 'accept_then_drop' }, { kind: 'retry', named: false, afterMs: null }, 1],
  ];
  it.each(cases)('%s', async (_, fault, outcome, count) => {
    await ok.control.addFault({ mode: 'answer', method: 'mediatopic.deleteTopic', ...fault });
    expect(await remove()).toMatchObject(outcome);
    expect(await deleted()).toHaveLength(count);
    expect(await asked()).toEqual(['mediatopic.deleteTopic']);
  });

  it('makes no call without the lease', async () => {
    expect(await remove({ holdsLease: () => false })).toMatchObject({ kind: 'retry', error: { code: 'lease_lost' } });
    expect(await asked()).toEqual([]);
  });
});

it('the forecast has no end', () => {
  expect(ok.publisher.canDelete!(CHANNEL, 1, 2, 3)).toEqual({ withdraw: true, until: null, text: null });
});
