import type { DeleteContext } from '../../../src/platforms/publisher.js';
import { createTelegramPublisher } from '../../../src/platforms/telegram/descriptor.js';
import type { Fault } from '../../../stand-ins/kit/control.js';
import { startStandIn, TOKEN } from '../../stand-ins/telegram/stand-in.js';
import { noMedia } from '../media-files.js';
import { postOf } from '../publish-post.js';

const CHAT = '@harbour';
const HOUR = 3_600_000;
let telegram: Awaited<ReturnType<typeof startStandIn>>;
let publisher: ReturnType<typeof createTelegramPublisher>;
beforeEach(async () => {
  telegram = await startStandIn();
  publisher = createTelegramPublisher({ apiUrl: `${telegram.url}/` });
});
afterEach(async () => {
  await telegram.stop();
  await publisher.close();
});

const channelAt = (chat_id: string) => ({ id: 'tgt_1', address: { chat_id }, settings: {} });
const send = async (chat_id = CHAT) => {
  const channel = channelAt(chat_id);
  const signal = new AbortController().signal;
  const sending = { credentials: { bot_token: TOKEN }, channel, results: {}, key: 'key', waits: {}, media: noMedia };
  await publisher.send(publisher.render(postOf({ text: 'Ahoy' }), channel).steps[0]!, { ...sending, signal });
};
const remove = (more: Partial<DeleteContext> = {}, id = '1', at = Date.now()) =>
  publisher.deleteMessage!(
    { id, at },
    {
      credentials: { bot_token: TOKEN },
      channel: channelAt(CHAT),
      signal: new AbortController().signal,
      now: Date.now(),
      minuteMs: 60_000,
      ...more,
    },
  );
const deleted = async () => (await telegram.control.listChanges()).map(({ message_id }) => message_id);
const answer = (error_code: number, description: string) => ({
  status: error_code,
  body: { ok: false, error_code, description },
});

describe("a message's deletion (networks.md §10)", () => {
  it('is done, and the message is gone for readers', async () => {
    await send();
    await send();
    expect(await remove({}, '2')).toEqual({ kind: 'deleted' });
    const { items } = await telegram.control.listCalls({ method: 'deleteMessage' });
    expect(items.map(({ request }) => request)).toEqual([{ chat_id: CHAT, message_id: 2 }]);
    expect(await telegram.control.listChanges({ channel: CHAT })).toMatchObject([{ kind: 'deleted', message_id: '2' }]);
    const { posts } = (await (await fetch(`${telegram.url}/wall.json?after=2`)).json()) as {
      posts: { seq: number; html: string }[];
    };
    expect(posts).toMatchObject([{ seq: 2, html: expect.stringContaining('class="post deleted"') as string }]);
  });

  it('of a message that is not there, or not there any more', async () => {
    await send();
    expect(await remove({}, '7')).toEqual({ kind: 'not_there' });
    await remove();
    expect(await remove()).toEqual({ kind: 'not_there' });
  });

  it("of another bot's message in a group: it is not there for this bot (D-70)", async () => {
    await send('-4321');
    const other = { credentials: { bot_token: `8${TOKEN}` }, channel: channelAt('-4321') };
    expect(await remove(other)).toEqual({ kind: 'not_there' });
    expect(await remove({ channel: channelAt('-4321') })).toEqual({ kind: 'deleted' });
  });

  it('is refused after 48 hours, which the minute scales', async () => {
    await send();
    await telegram.control.request('POST', 'minute', { ms: 0.000_1 });
    const at = Date.now() - 48 * HOUR;
    expect(await remove({}, '1', at)).toMatchObject({
      kind: 'refused',
      error: { code: 'too_old', source: 'telegram', platform_says: "Bad Request: message can't be deleted" },
    });
    expect(await remove({ minuteMs: 60_001 }, '1', at)).toMatchObject({ error: { code: 'no_right_to_delete' } });
    expect(await remove({ minuteMs: 1 }, '1', Date.now() - 2_880)).toMatchObject({ error: { code: 'too_old' } });
    await telegram.control.request('POST', 'minute', { ms: 60_000 });
    expect(await remove({}, '1', at)).toEqual({ kind: 'deleted' });
  });

  it('is refused without the right, and says what to do', async () => {
    await send();
    await telegram.control.request('POST', 'chats', { chat_id: CHAT, may_delete: false });
    const outcome = await remove();
    expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'no_right_to_delete', category: 'channel' } });
    expect(outcome.kind === 'refused' && outcome.error.message).toMatch(/right to delete messages.*by hand/);
    expect(await deleted()).toEqual([]);
  });

  it('waits as long as Telegram says', async () => {
    await send();
    await telegram.control.request('POST', 'rate-limit', { bot_per_second: 1 });
    await remove({}, '7');
    expect(await remove()).toMatchObject({ kind: 'retry', named: true, afterMs: 1_000 });
    expect(await deleted()).toEqual([]);
  });

  it('does not count as a message to the chat', async () => {
    await telegram.control.request('POST', 'rate-limit', { chat_per_minute: 1 });
    await send();
    expect(await remove()).toEqual({ kind: 'deleted' });
  });

  it.each(['kicked', 'left', 'missing', 'no_rights'])('where the bot is %s concerns posts too', async (state) => {
    await send();
    await telegram.control.request('POST', 'chats', { chat_id: CHAT, state });
    expect(await remove()).toMatchObject({ kind: 'needs_attention', error: { category: 'channel' } });
  });

  it('with a revoked token concerns posts too, and does not tell the token', async () => {
    await telegram.control.request('POST', 'tokens', { token: TOKEN });
    const outcome = await remove();
    expect(outcome).toMatchObject({ kind: 'needs_attention', error: { code: 'unauthorized' } });
    expect(JSON.stringify(outcome)).not.toContain(TOKEN);
  });

  it('with a malformed token makes no call', async () => {
    expect(await remove({ credentials: { bot_token: 'x' } })).toMatchObject({ error: { code: 'malformed_token' } });
    expect((await telegram.control.listCalls()).total).toBe(0);
  });

  it('in a group that became a supergroup is refused', async () => {
    await send('-4321');
    await telegram.control.request('POST', 'chats', { chat_id: '-4321', migrated_to: -1004321 });
    expect(await remove({ channel: channelAt('-4321') })).toMatchObject({
      kind: 'refused',
      error: { code: 'chat_changed' },
    });
  });

  const cases: readonly (readonly [what: string, fault: Partial<Fault>, outcome: object, deleted: number])[] = [
    ['message to delete not found', answer(400, 'Bad Request: message to delete not found'), { kind: 'not_there' }, 0],
    [
      "message can't be deleted for everyone",
      answer(400, "Bad Request: message can't be deleted for everyone"),
      { kind: 'refused', error: { code: 'no_right_to_delete' } },
      0,
    ],
    [
      'MESSAGE_DELETE_FORBIDDEN',
      answer(403, 'Forbidden: MESSAGE_DELETE_FORBIDDEN'),
      { kind: 'refused', error: { code: 'no_right_to_delete' } },
      0,
    ],
    [
      'another refusal',
      answer(400, 'Bad Request: something new'),
      { kind: 'refused', error: { code: 'refused', platform_says: 'Bad Request: something new' } },
      0,
    ],
    [
      'a method that is not known',
      answer(404, 'Not Found: method not found'),
      { kind: 'refused', error: { code: 'refused', category: 'platform' } },
      0,
    ],
    ['500', answer(500, 'Internal Server Error'), { kind: 'retry', named: false }, 0],
    ['502 in HTML', { status: 502, body: '<html>Bad Gateway</html>' }, { kind: 'retry' }, 0],
    ['403 in HTML', { status: 403, body: '<html>Forbidden</html>' }, { kind: 'retry' }, 0],
    ['an answer without a result', { status: 200, body: { ok: true } }, { kind: 'retry' }, 0],
    ['no answer before', { mode: 'drop_before_accepting' }, { kind: 'retry', named: false, afterMs: null }, 0],
    ['no answer after', { mode: 'accept_then_drop' }, { kind: 'retry', named: false, afterMs: null }, 1],
  ];
  it.each(cases)('%s', async (_, fault, outcome, count) => {
    await send();
    await telegram.control.addFault({ mode: 'answer', method: 'deleteMessage', ...fault });
    expect(await remove()).toMatchObject(outcome);
    expect(await deleted()).toHaveLength(count);
  });

  it('without an answer is repeated, and finds nothing', async () => {
    await send();
    await telegram.control.addFault({ mode: 'accept_then_drop', method: 'deleteMessage' });
    expect(await remove()).toMatchObject({ kind: 'retry' });
    expect(await remove()).toEqual({ kind: 'not_there' });
  });

  it('makes no call without the lease or after a stop', async () => {
    await send();
    expect(await remove({ holdsLease: () => false })).toMatchObject({ kind: 'retry', error: { code: 'lease_lost' } });
    expect(await remove({ signal: AbortSignal.abort() })).toMatchObject({ kind: 'retry', error: { code: 'aborted' } });
    expect(await deleted()).toEqual([]);
  });
});

describe('the forecast', () => {
  it('ends 48 hours after publication', () => {
    const until = (now: number, minuteMs = 60_000) => publisher.canDelete!(channelAt(CHAT), 1_000, now, minuteMs);
    expect(until(1_000)).toEqual({ withdraw: true, until: 1_000 + 48 * HOUR, text: null });
    expect(until(1_000 + 48 * HOUR)).toMatchObject({ withdraw: false, until: 1_000 + 48 * HOUR });
    expect(until(1_000 + 48 * HOUR).text).toMatch(/48 hours.*by hand/);
    expect(until(1_000, 1)).toMatchObject({ until: 1_000 + 2_880 });
  });

  it('has no end before publication', () => {
    expect(publisher.canDelete!(channelAt(CHAT), null, 0, 1)).toEqual({ withdraw: true, until: null, text: null });
  });
});
