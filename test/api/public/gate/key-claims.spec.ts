import fc from 'fast-check';
import { type Claimed, KeyClaims, keyId } from '../../../../src/commands/post/key-claims.js';
import { originOfRequest } from '../../../../src/commands/origin.js';
import { catalogue } from '../../../../src/domain/catalogue.js';
import { type Answered, claimedKeys } from '../../../../src/domain/post/post.decider.js';
import type { PostAccepted } from '../../../../src/domain/post/post.events.js';
import { EventCodec } from '../../../../src/event-store/codec.js';
import { MemoryEventStore, MemoryLog } from '../../../../src/event-store/memory/memory-event-store.js';
import { Streams } from '../../../../src/event-store/aggregate-store.js';
import { type Choose, everyGame, type Option, Turns } from './turns.js';

const T = Date.UTC(2025, 2, 14, 12);
const DAY = 24 * 3_600_000;
const ENDPOINT = 'ep_1';
const codec = new EventCodec(catalogue);

/** A request's keys, the header's first. A, B and C are in the order of their streams' names. */
type Keys = readonly [string] | readonly [string, string];
const [A, B, C] = ['one', 'two', 'three', 'four', 'five']
  .toSorted((a, b) => (keyId(ENDPOINT, a) < keyId(ENDPOINT, b) ? -1 : 1))
  .slice(0, 3) as [string, string, string];

const acceptance = (postId: string, [key, externalId]: Keys, acceptedAt: number): PostAccepted['data'] => ({
  ...{ postId, acceptedAt, endpointId: ENDPOINT, ownerId: 'own_1', key, externalId: externalId ?? null, traceId: null },
  ...{ bodyHash: postId, payload: { text: postId }, parts: null, targets: [] },
  request: { ip: '192.0.2.7', userAgent: null, route: 'publish', payloadBytes: 1, latencyMs: 1 },
});

/** A request to publish, as the gate and the command make it: look, then claim. */
const request = async (claims: KeyClaims, postId: string, keys: Keys, at: number): Promise<Claimed> => {
  const seen = await claims.look(ENDPOINT, keys, at);
  if (seen.replay) return { outcome: 'replay', replay: seen.replay };
  const command = { type: 'AcceptPost', data: acceptance(postId, keys, at) } as const;
  return claims.claim(seen, postId, command, originOfRequest(`endpoint:${ENDPOINT}`, `req_${postId}`));
};

const answeredIn = (claimed: Claimed): Answered => (claimed.outcome === 'replay' ? claimed.replay : claimed.answered);

const accepted = (log: MemoryLog): PostAccepted['data'][] =>
  log.events.filter(({ type }) => type === 'PostAccepted').map((event) => codec.decode<PostAccepted>(event).data);

/** Plays requests that run side by side, then checks all that is promised. @param before requests that have ended */
const play = async (
  requests: readonly Keys[],
  { maxDeaths = 0, before = [], at = T }: { maxDeaths?: number; before?: readonly Keys[]; at?: number },
  choose: Choose,
): Promise<boolean> => {
  const log = new MemoryLog();
  const direct = new KeyClaims(new Streams(new MemoryEventStore({ log }), codec));
  for (const [i, keys] of before.entries()) await request(direct, `before_${i}`, keys, T);
  const turns = new Turns(log, maxDeaths);
  const running = requests.map((keys, i) => {
    const claims = new KeyClaims(new Streams(turns.storeOf(i), codec), () => Promise.resolve());
    return request(claims, `post_${i}`, keys, at);
  });
  const results = await turns.play(running, choose);
  if (!results) return false;

  const posts = accepted(log).filter(({ acceptedAt }) => acceptedAt + DAY > at);
  const claimed = posts.flatMap(claimedKeys);
  expect(new Set(claimed).size).toBe(claimed.length); // no key has two posts
  results.forEach((result, i) => {
    if (!result) return;
    const stored = posts.find(({ postId }) => postId === answeredIn(result).answer.postId);
    expect(stored).toBeDefined(); // no answer without its post
    if (result.outcome === 'accepted') expect(stored!.postId).toBe(`post_${i}`);
    else expect(claimedKeys(stored!).some((key) => (requests[i] as readonly string[]).includes(key))).toBe(true);
  });
  const survivors = results.flatMap((result, i) => (result ? [i] : []));
  for (const { postId } of posts) {
    // no post that its sender was not told of, unless the sender died
    const sender = survivors.find((i) => `post_${i}` === postId);
    if (sender !== undefined) expect(results[sender]!.outcome).toBe('accepted');
  }
  for (const key of new Set(requests.flat())) {
    // no key is blocked, and none forgotten
    const later = await request(direct, `later_${key}`, [key], at);
    expect(later.outcome).toBe(claimed.includes(key) ? 'replay' : 'accepted');
    expect(answeredIn(later).keys).toContain(key);
  }
  return true;
};

const name = (keys: Keys): string => keys.map((key) => ({ [A]: 'A', [B]: 'B', [C]: 'C' })[key]).join('/');
const titled = (pairs: readonly (readonly [Keys, Keys])[]) =>
  pairs.map(([one, two]) => [`${name(one)} and ${name(two)}`, one, two] as const);

const PAIRS: readonly (readonly [Keys, Keys])[] = [
  [[A], [A]],
  [[A, B], [A]],
  [[A, B], [B]],
  [[B, A], [A]],
  [[B, A], [B]],
  [
    [A, B],
    [A, B],
  ],
  [
    [A, B],
    [B, A],
  ],
  [
    [A, B],
    [B, C],
  ],
  [
    [A, C],
    [B, C],
  ],
  [
    [B, C],
    [A, C],
  ],
  [
    [A, B],
    [A, C],
  ],
];

/** Two requests that share the key that sorts last have thousands of orders. */
const SHORT = process.env.TEST_LONG
  ? PAIRS
  : PAIRS.filter(([one, two]) => !(one.includes(C as never) && two.includes(C as never)));

describe('in every order of their steps, two requests', () => {
  it.each(titled(SHORT))('%s lose no post, and no key has two', async (_, one, two) => {
    expect(await everyGame((choose) => play([one, two], {}, choose))).toBeGreaterThan(1);
  });
});

describe('in every order, with a death before or after every append, two requests', () => {
  it.each(titled(SHORT))('%s block no key either', async (_, one, two) => {
    expect(await everyGame((choose) => play([one, two], { maxDeaths: 1 }, choose))).toBeGreaterThan(1);
  });
});

describe('of three requests with any keys, in any order, with deaths', () => {
  const keys = fc.constantFrom<Keys>([A], [B], [C], [A, B], [B, A], [B, C], [C, B], [A, C], [C, A]);

  it('no post is lost, no key has two, none is blocked, and all come to an end', async () => {
    const requests = fc.array(keys, { minLength: 3, maxLength: 3 });
    const before = fc.array(keys, { maxLength: 2 });
    const at = fc.constantFrom(T, T + DAY - 1, T + DAY, T + 2 * DAY);
    const choices = fc.infiniteStream(fc.nat(1_000));
    await fc.assert(
      fc.asyncProperty(requests, before, at, fc.nat(3), choices, async (three, two, when, maxDeaths, numbers) => {
        const next = numbers[Symbol.iterator]();
        const choose = (options: readonly Option[]) => options[(next.next().value as number) % options.length]!;
        await play(three, { before: two, at: when, maxDeaths }, choose);
      }),
      { numRuns: process.env.TEST_LONG ? 20_000 : 700 },
    );
  });
});

describe('a key', () => {
  const fresh = () => new KeyClaims(new Streams(new MemoryEventStore(), codec));

  it('of either kind makes a later request a replay of the post that claimed it', async () => {
    const claims = fresh();
    await request(claims, 'post_1', [A, B], T);
    for (const keys of [[A], [B], [B, A], [A, C], [C, B]] as const) {
      const repeated = await request(claims, 'post_2', keys, T + DAY - 1);
      expect([repeated.outcome, answeredIn(repeated).answer.postId]).toEqual(['replay', 'post_1']);
    }
    expect((await request(claims, 'post_2', [C], T)).outcome).toBe('accepted'); // no replay claims anything
  });

  it('is free again after 24 hours, each of two for itself', async () => {
    const claims = fresh();
    await request(claims, 'post_1', [A, B], T);
    expect((await request(claims, 'post_2', [B], T + DAY)).outcome).toBe('accepted');
    expect((await request(claims, 'post_3', [A], T + DAY)).outcome).toBe('accepted');
    expect(answeredIn(await request(claims, 'post_4', [B, A], T + DAY)).answer.postId).toBe('post_2');
  });

  it('costs one read and one append where it is the only one', async () => {
    const store = new MemoryEventStore();
    const calls: string[] = [];
    const watched = new Proxy(store, {
      get(target, called: keyof MemoryEventStore) {
        calls.push(called);
        return target[called].bind(target);
      },
    });
    await request(new KeyClaims(new Streams(watched, codec)), 'post_1', [A], T);
    expect(calls).toEqual(['readStream', 'append']);
  });
});
