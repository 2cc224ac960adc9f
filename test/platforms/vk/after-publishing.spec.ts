import type { DeleteContext } from '../../../src/platforms/publisher.js';
import type { Fault } from '../../../stand-ins/kit/control.js';
import { COMMUNITY_TOKEN, USER_TOKEN } from '../../stand-ins/vk/stand-in.js';
import { CHANNEL, contextFor, post, publish, startVk, TEXT_ONLY_CHANNEL } from './vk-harness.js';

let vk: Awaited<ReturnType<typeof startVk>>;
beforeEach(async () => {
  vk = await startVk();
  await publish(vk.publisher, post(), contextFor());
});
afterEach(() => vk.stop());

const remove = (more: Partial<DeleteContext> = {}, id = '1') => {
  const { credentials, channel, signal } = contextFor();
  const context = { credentials, channel, signal, now: Date.now(), minuteMs: 60_000, ...more };
  return vk.publisher.deleteMessage!({ id, at: Date.now() }, context);
};
const deleted = async () => (await vk.control.listChanges()).map(({ message_id }) => message_id);
const asked = async () =>
  (await vk.control.listCalls()).items.map(({ method }) => method).filter((method) => method !== 'wall.post');
const refusal = (error_code: number, error_msg = 'words', error_subcode?: number) => ({
  status: 200,
  body: { error: { error_code, error_msg, ...(error_subcode !== undefined && { error_subcode }) } },
});
const refuse = (error_code: number, method = 'wall.delete', error_msg = 'words') =>
  vk.control.addFault({ mode: 'answer', method, ...refusal(error_code, error_msg) });
const withoutUserToken = { credentials: { access_token: COMMUNITY_TOKEN }, channel: TEXT_ONLY_CHANNEL };

describe("a post's deletion (networks.md §10)", () => {
  it("is done with the user's token, and the post is gone for readers", async () => {
    expect(await remove()).toEqual({ kind: 'deleted' });
    const { items } = await vk.control.listCalls({ method: 'wall.delete' });
    expect(items.map(({ request }) => request)).toMatchObject([{ owner_id: '-7', post_id: '1' }]);
    expect(await vk.control.listChanges({ channel: '7' })).toMatchObject([{ kind: 'deleted', message_id: '1' }]);
    expect((await vk.call('wall.get', { owner_id: '-7' })).response).toMatchObject({ count: 0, items: [] });
    const { response } = await vk.call('wall.getById', { posts: '-7_1,-7_2' });
    expect(response).toMatchObject({ items: [{ id: 1, is_deleted: true }] });
  });

  it('is done with the one token, if that is a user’s', async () => {
    expect(await remove({ credentials: { access_token: USER_TOKEN } })).toEqual({ kind: 'deleted' });
  });

  it('of a post that is not there, or not there any more', async () => {
    expect(await remove({}, '7')).toEqual({ kind: 'not_there' });
    await remove();
    expect(await remove()).toEqual({ kind: 'not_there' });
  });

  it("needs a user's token: a community's is refused", async () => {
    expect(await remove(withoutUserToken)).toMatchObject({
      kind: 'refused',
      error: { code: 'user_token_needed', category: 'credentials', source: 'vk' },
    });
    expect(await deleted()).toEqual([]);
  });

  it('without any token makes no call', async () => {
    expect(await remove({ credentials: {} })).toMatchObject({
      kind: 'needs_attention',
      error: { code: 'access_token_missing' },
    });
    expect(await asked()).toEqual([]);
  });

  it('is refused without the role, and says what to do', async () => {
    await vk.control.request('POST', 'groups', { group_id: '7', state: 'not_manager' });
    const outcome = await remove();
    expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'no_right_to_delete', category: 'channel' } });
    expect(outcome.kind === 'refused' && outcome.error.message).toMatch(/editor.*by hand/);
    expect(await asked()).toEqual(['wall.delete', 'wall.getById']);
  });

  it.each([7, 703])('%d is refused without a look-up', async (code) => {
    await refuse(code);
    expect(await remove()).toMatchObject({
      kind: 'refused',
      error: { code: 'no_right_to_delete', platform_says: 'words' },
    });
    expect(await asked()).toEqual(['wall.delete']);
  });

  it.each([20, 27, 28, 1051])('%d needs another token', async (code) => {
    await refuse(code);
    expect(await remove()).toMatchObject({ kind: 'refused', error: { code: 'user_token_needed' } });
  });

  it.each([
    [15, 'no_right_to_delete'],
    [100, 'refused'],
    [210, 'no_right_to_delete'],
  ])('%d is refused if the post is there', async (code, expected) => {
    await refuse(code, 'wall.delete', 'One of the parameters was invalid: owner_id');
    expect(await remove()).toMatchObject({ kind: 'refused', error: { code: expected } });
    expect(await asked()).toEqual(['wall.delete', 'wall.getById']);
    expect((await vk.control.listCalls({ method: 'wall.getById' })).items[0]?.request).toMatchObject({ posts: '-7_1' });
  });

  it.each([15, 100, 210])('%d for a post that was deleted, or never was: it is not there', async (code) => {
    await remove();
    await refuse(code);
    expect(await remove()).toEqual({ kind: 'not_there' });
    await refuse(code);
    expect(await remove({}, '7')).toEqual({ kind: 'not_there' });
  });

  it('that cannot be looked up stays refused, and stops no posts', async () => {
    await refuse(210);
    await refuse(27, 'wall.getById');
    expect(await remove()).toMatchObject({ kind: 'refused', error: { code: 'no_right_to_delete' } });
    await refuse(210);
    await refuse(6, 'wall.getById');
    expect(await remove()).toMatchObject({ kind: 'retry', named: true, afterMs: 1_000 });
  });

  it('with the subcode of a missing right names the right', async () => {
    await vk.control.addFault({ mode: 'answer', method: 'wall.delete', ...refusal(15, 'words', 1133) });
    const outcome = await remove();
    expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'no_right_to_delete' } });
    expect(outcome.kind === 'refused' && outcome.error.message).toContain('the right "wall"');
  });

  it.each([5, 14, 17, 37, 1117])("%d about the user's token does not stop posts (D-71)", async (code) => {
    await refuse(code);
    const outcome = await remove();
    expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'user_token_needed' } });
    expect(outcome.kind === 'refused' && outcome.error.message).toContain('upload_token');
    await refuse(code);
    expect(await remove(withoutUserToken)).toMatchObject({
      kind: 'needs_attention',
      error: { category: 'credentials' },
    });
  });

  it('203 about the account of the user’s token does not stop posts (D-71)', async () => {
    await refuse(203);
    expect(await remove()).toMatchObject({ kind: 'refused', error: { code: 'no_right_to_delete' } });
    await refuse(203);
    expect(await remove(withoutUserToken)).toMatchObject({ kind: 'needs_attention', error: { category: 'channel' } });
  });

  it('27 of a community that revoked its token concerns posts too', async () => {
    await refuse(27, 'wall.delete', 'group revoke access for this token');
    expect(await remove(withoutUserToken)).toMatchObject({ kind: 'needs_attention', error: { code: 'unauthorized' } });
  });

  it('in an unknown community concerns posts too', async () => {
    await refuse(125);
    expect(await remove()).toMatchObject({ kind: 'needs_attention', error: { code: 'chat_not_found' } });
  });

  const HTML = '<html><body>502 Bad Gateway</body></html>';
  const cases: readonly (readonly [what: string, fault: Partial<Fault>, outcome: object, deleted: number])[] = [
    ['104', refusal(104), { kind: 'not_there' }, 0],
    ['6', refusal(6), { kind: 'retry', named: true, afterMs: 1_000 }, 0],
    ['9', refusal(9), { kind: 'retry', named: true, afterMs: 300_000 }, 0],
    ['8', refusal(8), { kind: 'refused', error: { code: 'refused', category: 'platform' } }, 0],
    ['12345', refusal(12_345), { kind: 'refused', error: { code: 'refused', platform_says: 'words' } }, 0],
    ...[1, 10, 36].map((code) => [String(code), refusal(code), { kind: 'retry', named: false }, 0] as const),
    ['502 in HTML', { status: 502, body: HTML }, { kind: 'retry' }, 0],
    ['403 in HTML', { status: 403, body: HTML }, { kind: 'retry' }, 0],
    ['429', { status: 429, body: '', headers: { 'retry-after': '9' } }, { kind: 'retry', afterMs: 9_000 }, 0],
    ['another answer than 1', { status: 200, body: { response: 0 } }, { kind: 'retry', named: false }, 0],
    ['no answer before', { mode: 'drop_before_accepting' }, { kind: 'retry', named: false, afterMs: null }, 0],
    ['no answer after', { mode: 'accept_then_drop' }, { kind: 'retry', named: false, afterMs: null }, 1],
  ];
  it.each(cases)('%s', async (_, fault, outcome, count) => {
    await vk.control.addFault({ mode: 'answer', method: 'wall.delete', ...fault });
    expect(await remove()).toMatchObject(outcome);
    expect(await deleted()).toHaveLength(count);
    expect(await asked()).toEqual(['wall.delete']);
  });

  it('makes no call without the lease', async () => {
    expect(await remove({ holdsLease: () => false })).toMatchObject({ kind: 'retry', error: { code: 'lease_lost' } });
    expect(await asked()).toEqual([]);
  });
});

it("the forecast is certain with a user's token, and says what is missing without", () => {
  expect(vk.publisher.canDelete!(CHANNEL, 1, 2, 3)).toEqual({ withdraw: true, until: null, text: null });
  const without = vk.publisher.canDelete!(TEXT_ONLY_CHANNEL, null, 2, 3);
  expect(without).toMatchObject({ withdraw: null, until: null });
  expect(without.text).toContain('upload_token');
});
