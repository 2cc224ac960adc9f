import fc from 'fast-check';
import { originOfRequest } from '../../../../src/commands/command.js';
import { type KeyClaimResult, KeyClaims, keyIdOf } from '../../../../src/commands/post/key-claims.js';
import { catalogue } from '../../../../src/domain/catalogue.js';
import { type KeyClaim, listClaimedKeys } from '../../../../src/domain/post/post.decider.js';
import type { PostAccepted } from '../../../../src/domain/post/post.events.js';
import { AggregateStore } from '../../../../src/event-store/aggregate-store.js';
import { EventCodec } from '../../../../src/event-store/codec.js';
import { MemoryEventStore, MemoryLog } from '../../../support/memory-event-store.js';
import { type ChooseStep, exploreInterleavings, InterleavedProcesses, type Step } from './interleavings.js';

const T = Date.UTC(2025, 2, 14, 12);
const DAY = 24 * 3_600_000;
const ENDPOINT = 'ep_1';
const codec = new EventCodec(catalogue);

/** A request's keys, the header's first. A, B and C are in the order of their stream names. */
type Keys = readonly [string] | readonly [string, string];
const [A, B, C] = ['one', 'two', 'three', 'four', 'five']
  .toSorted((a, b) => (keyIdOf(ENDPOINT, a) < keyIdOf(ENDPOINT, b) ? -1 : 1))
  .slice(0, 3) as [string, string, string];

const createAcceptance = (postId: string, [key, externalId]: Keys, acceptedAt: number): PostAccepted['data'] => ({
  postId,
  acceptedAt,
  endpointId: ENDPOINT,
  ownerId: 'own_1',
  key,
  externalId: externalId ?? null,
  traceId: null,
  bodyHash: postId,
  payload: { text: postId },
  parts: null,
  targets: [],
  request: { ip: '192.0.2.7', userAgent: null, route: 'publish', payloadBytes: 1, latencyMs: 1 },
});

/** Makes a request to publish as the gate and the command do: look up, then claim. */
const requestPost = async (claims: KeyClaims, postId: string, keys: Keys, at: number): Promise<KeyClaimResult> => {
  const seen = await claims.lookUpKeys(ENDPOINT, keys, at);
  if (seen.replay) return { outcome: 'replay', replay: seen.replay };
  const command = { type: 'AcceptPost', data: createAcceptance(postId, keys, at) } as const;
  return claims.claimKeys(
    seen,
    postId,
    command,
    originOfRequest({ actor: `endpoint:${ENDPOINT}` }, { id: `req_${postId}`, clientAddress: '203.0.113.7' }),
  );
};

const readAnswered = (claimed: KeyClaimResult): KeyClaim =>
  claimed.outcome === 'replay' ? claimed.replay : claimed.claim;

const listAccepted = (log: MemoryLog): PostAccepted['data'][] =>
  log.events.filter(({ type }) => type === 'PostAccepted').map((event) => codec.decode<PostAccepted>(event).data);

/** Runs concurrent requests, then checks every guarantee. @param before requests that have ended */
const runAndCheck = async (
  requests: readonly Keys[],
  { maxDeaths = 0, before = [], at = T }: { maxDeaths?: number; before?: readonly Keys[]; at?: number },
  choose: ChooseStep,
): Promise<boolean> => {
  const log = new MemoryLog();
  const direct = new KeyClaims(new AggregateStore(new MemoryEventStore({ log }), codec));
  for (const [i, keys] of before.entries()) await requestPost(direct, `before_${i}`, keys, T);
  const processes = new InterleavedProcesses(log, maxDeaths);
  const running = requests.map((keys, i) => {
    const claims = new KeyClaims(new AggregateStore(processes.createStore(i), codec), () => Promise.resolve());
    return requestPost(claims, `post_${i}`, keys, at);
  });
  const results = await processes.runAll(running, choose);
  if (!results) return false;

  const posts = listAccepted(log).filter(({ acceptedAt }) => acceptedAt + DAY > at);
  const claimed = posts.flatMap(listClaimedKeys);
  expect(new Set(claimed).size).toBe(claimed.length); // no key has two posts
  results.forEach((result, i) => {
    if (!result) return;
    const stored = posts.find(({ postId }) => postId === readAnswered(result).answer.postId);
    expect(stored).toBeDefined(); // every answer has its post
    if (result.outcome === 'accepted') expect(stored!.postId).toBe(`post_${i}`);
    else expect(listClaimedKeys(stored!).some((key) => (requests[i] as readonly string[]).includes(key))).toBe(true);
  });
  const survivors = results.flatMap((result, i) => (result ? [i] : []));
  for (const { postId } of posts) {
    // every post was reported to its sender, unless the sender died
    const sender = survivors.find((i) => `post_${i}` === postId);
    if (sender !== undefined) expect(results[sender]!.outcome).toBe('accepted');
  }
  for (const key of new Set(requests.flat())) {
    // no key is blocked, and none is lost
    const later = await requestPost(direct, `later_${key}`, [key], at);
    expect(later.outcome).toBe(claimed.includes(key) ? 'replay' : 'accepted');
    expect(readAnswered(later).keys).toContain(key);
  }
  return true;
};

const name = (keys: Keys): string => keys.map((key) => ({ [A]: 'A', [B]: 'B', [C]: 'C' })[key]).join('/');
const addTitles = (pairs: readonly (readonly [Keys, Keys])[]) =>
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

/** Two requests that share the key that sorts last have thousands of interleavings. */
const SHORT = process.env.TEST_LONG
  ? PAIRS
  : PAIRS.filter(([one, two]) => !(one.includes(C as never) && two.includes(C as never)));

describe('two requests in every interleaving', () => {
  it.each(addTitles(SHORT))('with the keys %s lose no post, and no key gets two posts', async (_, one, two) => {
    expect(await exploreInterleavings((choose) => runAndCheck([one, two], {}, choose))).toBeGreaterThan(1);
  });
});

describe('two requests in every interleaving, with a death before or after every append', () => {
  it.each(addTitles(SHORT))('with the keys %s block no key', async (_, one, two) => {
    expect(await exploreInterleavings((choose) => runAndCheck([one, two], { maxDeaths: 1 }, choose))).toBeGreaterThan(
      1,
    );
  });
});

describe('three requests with any keys, in any interleaving, with deaths', () => {
  const keys = fc.constantFrom<Keys>([A], [B], [C], [A, B], [B, A], [B, C], [C, B], [A, C], [C, A]);

  it('lose no post, give no key two posts, block no key, and end', async () => {
    const requests = fc.array(keys, { minLength: 3, maxLength: 3 });
    const before = fc.array(keys, { maxLength: 2 });
    const at = fc.constantFrom(T, T + DAY - 1, T + DAY, T + 2 * DAY);
    const choices = fc.infiniteStream(fc.nat(1_000));
    await fc.assert(
      fc.asyncProperty(requests, before, at, fc.nat(3), choices, async (three, two, when, maxDeaths, numbers) => {
        const next = numbers[Symbol.iterator]();
        const choose = (options: readonly Step[]) => options[(next.next().value as number) % options.length]!;
        await runAndCheck(three, { before: two, at: when, maxDeaths }, choose);
      }),
      { numRuns: process.env.TEST_LONG ? 20_000 : 400 },
    );
  });
});

describe('a key', () => {
  const createClaims = () => new KeyClaims(new AggregateStore(new MemoryEventStore(), codec));

  it('of either kind makes a later request a replay of the post that claimed it', async () => {
    const claims = createClaims();
    await requestPost(claims, 'post_1', [A, B], T);
    for (const keys of [[A], [B], [B, A], [A, C], [C, B]] as const) {
      const repeated = await requestPost(claims, 'post_2', keys, T + DAY - 1);
      expect([repeated.outcome, readAnswered(repeated).answer.postId]).toEqual(['replay', 'post_1']);
    }
    expect((await requestPost(claims, 'post_2', [C], T)).outcome).toBe('accepted'); // a replay claims no key
  });

  it('is free again after 24 hours, each of two keys separately', async () => {
    const claims = createClaims();
    await requestPost(claims, 'post_1', [A, B], T);
    expect((await requestPost(claims, 'post_2', [B], T + DAY)).outcome).toBe('accepted');
    expect((await requestPost(claims, 'post_3', [A], T + DAY)).outcome).toBe('accepted');
    expect(readAnswered(await requestPost(claims, 'post_4', [B, A], T + DAY)).answer.postId).toBe('post_2');
  });

  it('costs one read and one append if it is the only one', async () => {
    const store = new MemoryEventStore();
    const calls: string[] = [];
    const recording = new Proxy(store, {
      get(target, called: 'append' | 'readStream') {
        calls.push(called);
        return target[called].bind(target);
      },
    });
    await requestPost(new KeyClaims(new AggregateStore(recording, codec)), 'post_1', [A], T);
    expect(calls).toEqual(['readStream', 'append']);
  });
});
