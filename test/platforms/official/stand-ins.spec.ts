import type {
  PlatformChannel,
  PlatformPost,
  PublishedPost,
  Publisher,
  SendContext,
} from '../../../src/platforms/publisher.js';
import type { Fault } from '../../../stand-ins/kit/control.js';
import { USER_TOKEN } from '../../stand-ins/vk/stand-in.js';
import { editPost, publishForEdit } from '../edit-post.js';
import { mediaFolder } from '../media-files.js';
import { postOf, publishPost } from '../publish-post.js';
import { type MadePost, TWENTY_POSTS } from '../twenty-posts.js';
import { NETWORK_NAMES, type NetworkName, NETWORKS } from '../wire/networks.js';
import { observe, type Observed } from '../wire/observe.js';
import { startRelay } from '../wire/relay.js';
import { describeProblem, findShapeProblems, readDescription } from './shapes.js';

let files: Awaited<ReturnType<typeof mediaFolder>>;
beforeAll(async () => void (files = await mediaFolder()));
afterAll(() => files.remove());

const signal = new AbortController().signal;

/** Publishes all posts, looks one up, counts and deletes it, tests the channel, and does so with credentials that are wrong. */
const observeStandIn = async (name: NetworkName): Promise<readonly Observed[]> => {
  const { start, publisher: create, address, credentials, textLimit } = NETWORKS[name];
  const network = await start();
  const observed: Observed[] = [];
  const relay = await startRelay(network.url, {
    answered: async (call, answer) => {
      observed.push(await observe(name, call, answer));
      return true;
    },
  });
  const publisher = create(relay.url);
  const channel = { id: 'tgt_1', address, settings: {} };
  const context = { credentials, key: 'pub_1', waits: {}, signal };
  const known = { video: { width: 1_280, height: 720, duration: 9 }, cover: await files.makeCover() };
  try {
    for (const [key, made] of Object.entries({ ...TWENTY_POSTS, 'one-audio': ONE_AUDIO })) {
      const post = postOf(made(textLimit));
      const paths = await Promise.all(post.media.map(({ url }) => files.make(new URL(url).pathname.slice(1))));
      await publishPost(publisher, post, channel, { ...context, key, media: files.lending(paths, known) });
    }
    const step = publisher.render(postOf({ text: 'Look' }), channel).steps[0];
    const sending = { ...context, channel, results: {}, media: files.lending([]) };
    if (step) await publisher.lookUp?.(step, sending, { since: 0, before: new Set() });
    const sent = step && (await publisher.send(step, { ...sending, key: 'to delete' }));
    if (sent?.kind !== 'done') throw new Error(`${name} did not accept the post`);
    const published = { post: postOf({ text: 'Look' }), results: {}, messageIds: sent.messageIds };
    if (publisher.renderEdit)
      await editTwice(publisher, published, channel, { ...context, key: 'to edit', media: files.lending([]) });
    const message = { id: sent.messageIds[0]!, at: Date.now() };
    const deleting = { credentials, channel, signal, now: Date.now(), minuteMs: 60_000 };
    if (publisher.pin) expect(await publisher.pin(message, deleting)).toMatchObject({ kind: 'done', changed: true });
    const { refused } = DELETING[name];
    const counted = await publisher.readNumbers?.([message.id], { credentials, channel, signal });
    if (counted) expect(counted).toMatchObject({ kind: 'answered' });
    if (refused) await network.control.addFault({ mode: 'answer', ...refused });
    if (refused) expect(await publisher.deleteMessage!(message, deleting)).toMatchObject({ kind: 'refused' });
    expect(await publisher.deleteMessage!(message, deleting)).toEqual({ kind: 'deleted' });
    expect(await publisher.deleteMessage!(message, deleting)).toEqual({ kind: 'not_there' });
    const test = { credentials, channel, signal, awaitTurn: () => Promise.resolve() };
    for await (const check of publisher.test(test))
      expect(check).toMatchObject({ ok: !UNAVAILABLE.has(`${name} ${check.name}`) });
    // VK is asked for a community's rights and for a user's.
    const asUser = { ...test, credentials: { ...credentials, access_token: USER_TOKEN } };
    if (name === 'vk') for await (const _ of publisher.test(asUser));
    const wrong = Object.fromEntries(Object.keys(credentials).map((key) => [key, name === 'telegram' ? '1:x' : '1']));
    await network.control.request('POST', 'tokens', WRONG[name]);
    if (step) await publisher.send(step, { ...sending, credentials: wrong });
    for await (const _ of publisher.test({ ...test, credentials: wrong }));
  } finally {
    await publisher.close();
    await relay.stop();
    await network.stop();
  }
  return observed;
};

/** What networks do not offer. */
const UNAVAILABLE: ReadonlySet<string> = new Set(['telegram statistics', 'ok edit']);

/** Edits a message, and one with a photo: first its caption, then the photo. */
const editTwice = async (
  publisher: Publisher,
  published: PublishedPost,
  channel: PlatformChannel,
  context: Omit<SendContext, 'results' | 'channel'>,
): Promise<void> => {
  const done = async (before: PublishedPost, more: Partial<PlatformPost>, using = context): Promise<PublishedPost> => {
    const { outcomes, published: after } = await editPost(publisher, before, postOf(more), channel, using);
    expect(Object.values(outcomes).at(-1)).toMatchObject({ kind: 'done', changed: true });
    return after;
  };
  await done(published, { text: 'Look again' });
  const photo = (name: string) => [{ type: 'photo' as const, url: `https://media.example/${name}.jpg` }];
  const lend = async (name: string) => ({
    ...context,
    key: 'photo',
    media: files.lending([await files.make(`${name}.jpg`)]),
  });
  const first = postOf({ text: 'Boat', media: photo('one') });
  const before = await publishForEdit(publisher, first, channel, await lend('one'));
  const next = await done(before, { text: 'Ship', media: photo('one') });
  await done(next, { text: 'Ship', media: photo('two') }, await lend('two'));
};

const ONE_AUDIO: MadePost = () => ({ media: [{ type: 'audio', url: 'https://media.example/horn.mp3' }] });

/** A refusal after which the publisher looks the message up; absent if the network has no look-up for it. */
const DELETING: Readonly<Record<NetworkName, { readonly refused?: Partial<Fault> }>> = {
  telegram: {},
  vk: {
    refused: {
      method: 'wall.delete',
      status: 200,
      body: { error: { inner_type: 'base_error', error_code: 15, error_msg: 'Access denied' } },
    },
  },
  max: { refused: { method: 'DELETE /messages', status: 200, body: { success: false, message: 'not now' } } },
  ok: { refused: { method: 'mediatopic.deleteTopic', status: 200, body: { success: false } } },
};

/** What makes each stand-in refuse the wrong credentials. */
const WRONG: Readonly<Record<NetworkName, object>> = {
  telegram: { token: '1:x', revoked: true },
  vk: { token: '1', kind: 'revoked' },
  max: { token: '1', revoked: true },
  ok: { token: '1', state: 'expired' },
};

describe.each(NETWORK_NAMES)("%s's stand-in", (network) => {
  const { answers, objects, parameters } = readDescription(network);
  let observed: readonly Observed[];
  beforeAll(async () => void (observed = await observeStandIn(network)));

  it('answers with every member that the network describes, under its name and with its type', () => {
    const problems = observed.flatMap(({ method, body, isRefusal }) =>
      findShapeProblems(body, isRefusal ? 'Error' : (answers[method] ?? 'nothing'), objects).map(
        (problem) => `${method}: ${describeProblem(problem, 'the network', 'the stand-in')}`,
      ),
    );
    expect([...new Set(problems)]).toEqual([]);
  });

  it('was asked everything that is described, and refused a call', () => {
    const asked = new Set(observed.map(({ method }) => method));
    expect([...asked].sort()).toEqual(Object.keys(answers).sort());
    expect(observed.some(({ isRefusal }) => isRefusal)).toBe(true);
  });

  it('gets only parameters that the network describes', () => {
    const unknown = observed.flatMap(({ method, parameters: sent }) =>
      sent
        .filter((name) => ![...(parameters['*'] ?? []), ...(parameters[method] ?? [])].includes(name))
        .map((name) => `${method} ${name}`),
    );
    expect([...new Set(unknown)]).toEqual([]);
  });
});
