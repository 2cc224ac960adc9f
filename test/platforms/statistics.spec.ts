import type { NumbersContext, Publisher } from '../../src/platforms/publisher.js';
import { COMMUNITY_TOKEN, USER_TOKEN } from '../stand-ins/vk/stand-in.js';
import { postOf, publishPost } from './publish-post.js';
import { NETWORKS } from './wire/networks.js';

type NetworkName = 'vk' | 'max' | 'ok';
const NAMES: readonly NetworkName[] = ['vk', 'max', 'ok'];
const signal = new AbortController().signal;
const none = { views: null, reactions: null, comments: null, shares: null };

/** Publishes two posts, whose numbers the control sets. */
const start = async (name: NetworkName) => {
  const { start: open, publisher: create, address, credentials } = NETWORKS[name];
  const network = await open();
  const publisher = create(network.url);
  const channel = { id: 'tgt_1', address, settings: {} };
  const ids: string[] = [];
  for (const key of ['pub_1', 'pub_2']) {
    const media = () => Promise.reject(new Error('no media'));
    const context = { credentials, key, waits: {}, signal, media };
    const { outcome } = await publishPost(publisher, postOf({ text: key }), channel, context);
    if (outcome?.kind !== 'done') throw new Error(`${name} did not accept the post`);
    ids.push(...outcome.messageIds);
  }
  const chat = (await network.control.readLedger())[0]!.channel;
  const set = (message_id: string, counts: object) =>
    network.control.request('POST', 'statistics', { channel: chat, message_id, ...counts });
  await set(ids[0]!, { views: 120, likes: 7, comments: 3, shares: 0 });
  await set(ids[1]!, { views: 5, likes: 0, comments: 0, shares: 1 });
  const read = (messageIds: readonly string[], more: Partial<NumbersContext> = {}) =>
    publisher.readNumbers!(messageIds, { credentials, channel, signal, ...more });
  const remove = (id: string) =>
    publisher.deleteMessage!(
      { id, at: Date.now() },
      { credentials, channel, signal, now: Date.now(), minuteMs: 60_000 },
    );
  const stop = async () => {
    await (publisher as Publisher & { close(): Promise<void> }).close();
    await network.stop();
  };
  return { control: network.control, publisher, credentials, channel, chat, ids, set, read, remove, stop };
};

describe.each(NAMES)('the numbers of posts on %s', (name) => {
  let network: Awaited<ReturnType<typeof start>>;
  beforeEach(async () => void (network = await start(name)));
  afterEach(() => network.stop());

  const first = name === 'max' ? { ...none, views: 120 } : { views: 120, reactions: 7, comments: 3, shares: 0 };
  const second = name === 'max' ? { ...none, views: 5 } : { views: 5, reactions: 0, comments: 0, shares: 1 };
  const answer = (...messages: readonly (readonly [string, object])[]) => ({
    kind: 'answered',
    messages: new Map(messages),
  });

  it('are those that the network gives; others are null', async () => {
    const [one, two] = network.ids as [string, string];
    if (name === 'ok') {
      expect(await network.read([one])).toEqual(answer([one, { kind: 'counted', numbers: first }]));
      return;
    }
    const { counts: before } = await network.control.listCalls();
    expect(await network.read([one, two])).toEqual(
      answer([one, { kind: 'counted', numbers: first }], [two, { kind: 'counted', numbers: second }]),
    );
    const { counts } = await network.control.listCalls();
    const total = (all: Readonly<Record<string, number>>) => Object.values(all).reduce((sum, each) => sum + each, 0);
    expect(total(counts) - total(before)).toBe(1);
  });

  it('grow, and are never null', async () => {
    const other = await start(name);
    const [one] = other.ids as [string];
    await other.set(one, { views: 121 });
    expect(await other.read([one])).toEqual(answer([one, { kind: 'counted', numbers: { ...first, views: 121 } }]));
    await other.stop();
  });

  it('are gone with the message', async () => {
    const [one, two] = network.ids as [string, string];
    await network.remove(two);
    expect(await network.read([two])).toEqual(answer([two, { kind: 'gone' }]));
    expect(await network.read([one])).toEqual(answer([one, { kind: 'counted', numbers: first }]));
  });

  it('wait as long as the network asks', async () => {
    const { ids, control } = network;
    const body = { vk: { error: { error_code: 6, error_msg: 'Too many' } }, ok: { error_code: 8, error_msg: 'slow' } };
    const fault =
      name === 'max'
        ? { status: 429, body: { code: 'too.many.requests', message: '' }, headers: { 'retry-after': '7' } }
        : { status: 200, body: body[name] };
    await control.addFault({ mode: 'answer', ...fault });
    const asked = await network.read([ids[0]!]);
    expect(asked).toMatchObject({ kind: 'retry', error: { source: name } });
    if (name === 'max') expect(asked).toMatchObject({ afterMs: 7_000 });
  });

  it('are asked for again where no answer came', async () => {
    await network.control.addFault({ mode: 'accept_then_drop' });
    expect(await network.read([network.ids[0]!])).toMatchObject({ kind: 'retry', afterMs: null });
  });

  it('are not available where the network refuses, which says what would help', async () => {
    const { ids, control } = network;
    const body = {
      vk: { error: { error_code: 15, error_msg: 'Access denied' } },
      max: { code: 'chat.denied', message: 'error.chat.denied' },
      ok: { error_code: 10, error_msg: 'PERMISSION_DENIED' },
    }[name];
    await control.addFault({ mode: 'answer', status: name === 'max' ? 403 : 200, body });
    const read = await network.read([ids[0]!]);
    const text = { vk: /editor/, max: /add it to the chat/, ok: /administrators and moderators/ }[name];
    expect(read).toEqual(answer([ids[0]!, { kind: 'unavailable', text: expect.stringMatching(text) }]));
  });

  it('are not available where the network refuses without a known reason', async () => {
    const body = {
      vk: { error: { error_code: 4_321, error_msg: 'No' } },
      max: { code: 'no', message: 'No' },
      ok: { error_code: 4_321, error_msg: 'No' },
    }[name];
    await network.control.addFault({ mode: 'answer', status: name === 'max' ? 400 : 200, body });
    const read = await network.read([network.ids[0]!]);
    expect(read).toEqual(
      answer([network.ids[0]!, { kind: 'unavailable', text: expect.stringMatching(/refuses to tell/) }]),
    );
  });
});

it('VK shows numbers to a user only', async () => {
  const vk = await start('vk');
  const [one] = vk.ids as [string];
  expect(await vk.read([one], { credentials: { access_token: COMMUNITY_TOKEN } })).toEqual({
    kind: 'answered',
    messages: new Map([[one, { kind: 'unavailable', text: expect.stringMatching(/upload_token/) }]]),
  });
  expect(await vk.read([one], { credentials: { access_token: USER_TOKEN } })).toMatchObject({ kind: 'answered' });
  await vk.stop();
});

it('MAX counts views in channels only', async () => {
  const max = await start('max');
  const [one] = max.ids as [string];
  const body = { messages: [{ body: { mid: one, seq: 1, text: '' }, timestamp: 1, recipient: {} }] };
  await max.control.addFault({ mode: 'answer', status: 200, body });
  expect(await max.read([one])).toEqual({
    kind: 'answered',
    messages: new Map([[one, { kind: 'unavailable', text: expect.stringMatching(/channels only/) }]]),
  });
  await max.stop();
});

it('Telegram says why it gives none', () => {
  const telegram = NETWORKS.telegram.publisher('http://127.0.0.1:9');
  expect(['readNumbers' in telegram, telegram.noNumbers]).toEqual([
    false,
    "Telegram's Bot API gives bots no numbers for a post.",
  ]);
  return (telegram as Publisher & { close(): Promise<void> }).close();
});
