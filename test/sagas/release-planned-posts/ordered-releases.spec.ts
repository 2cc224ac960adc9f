import { newCommandContext } from '../../../src/commands/command.js';
import { type EncodedChange, PlannedPosts } from '../../../src/commands/post/planned-posts.js';
import { catalogue } from '../../../src/domain/catalogue.js';
import type { PostAccepted } from '../../../src/domain/post/post.events.js';
import { AggregateStore, emptyAggregate } from '../../../src/event-store/aggregate-store.js';
import { EventCodec } from '../../../src/event-store/codec.js';
import { countAppendBytes, isFullPage } from '../../../src/event-store/port.js';
import { isRejection } from '../../../src/kernel/result.js';
import { appendReleases } from '../../../src/sagas/release-planned-posts/ordered-releases.js';
import { MemoryEventStore } from '../../support/memory-event-store.js';

const contextOf = (id: string) =>
  newCommandContext(
    { actor: 'operator', requestId: '', causationId: '', correlationId: '', clientAddress: null },
    id,
    1_000,
  );

/** Planned posts that are all due, by number; each has two targets, in channels that all of them share. */
const planPosts = async (count: number, isTogether: boolean) => {
  const store = new MemoryEventStore();
  if (!isTogether) Object.assign(store, { appendTogether: null });
  const aggregates = new AggregateStore(store, new EventCodec(catalogue));
  const posts = new PlannedPosts(aggregates);
  const placeOf = (n: number) => ({ postId: `post_${n}`, stream: `post-${n}`, revision: '0' });
  for (let n = 0; n < count; n++) {
    const data = {
      postId: `post_${n}`,
      acceptedAt: 0,
      plan: { publishAt: 500, requiresApproval: false, isReleased: false },
      targets: ['a', 'b'].map((channel) => ({ publicationId: `pub_${n}${channel}`, channelId: `tgt_${channel}` })),
    } as unknown as PostAccepted['data'];
    const events = [{ type: 'PostAccepted', data }] as const;
    const encoded = await aggregates.encodeEvents(
      `post-${n}`,
      events,
      emptyAggregate({ initial: null }),
      contextOf('accept'),
    );
    await store.append(`post-${n}`, 'noStream', encoded.events);
  }
  const encodeRelease = async (n: number): Promise<EncodedChange> => {
    const loaded = (await posts.load(placeOf(n)))!;
    const change = await posts.encode(loaded, { type: 'ReleasePost', at: 1_000 }, contextOf(`release ${n}`));
    if (isRejection(change)) throw new Error(change.rejection);
    return change;
  };
  const cancelOne = (n: number) =>
    posts.execute(
      placeOf(n),
      { type: 'CancelPlanned', at: 900, publicationIds: [`pub_${n}a`], ifRevision: null },
      contextOf(`cancel ${n}`),
    );
  const readReleased = async () => {
    const released: string[] = [];
    for (let after = -1n; ;) {
      const page = await store.readAll({ after, limit: 1_000, types: ['PostReleased'] });
      released.push(...page.map(({ stream }) => stream));
      if (!isFullPage(page, 1_000)) return released;
      after = page.at(-1)!.position;
    }
  };
  const release = async (from = 0): Promise<string[]> => {
    const released: string[] = [];
    const numbers = Array.from({ length: count - from }, (_, n) => from + n);
    const encoded = await Promise.all(numbers.map(encodeRelease));
    return appendAll(encoded, released);
  };
  const appendAll = async (
    encoded: readonly EncodedChange[],
    released: string[] = [],
    refused: string[] = [],
  ): Promise<string[]> => {
    await appendReleases(posts, encoded, () => true, {
      onReleased: ({ loaded }) => released.push(loaded.stream),
      onRefused: ({ loaded }) => refused.push(loaded.stream),
    });
    return released;
  };
  return { posts, encodeRelease, cancelOne, readReleased, release, appendAll };
};

const streams = (...numbers: number[]): string[] => numbers.map((n) => `post-${n}`);

describe.each([
  ['that appends to several streams together', true],
  ['that does not', false],
])('releases in a store %s', (_, isTogether) => {
  it('stand in their order', async () => {
    const { release, readReleased } = await planPosts(7, isTogether);
    expect(await release()).toEqual(streams(0, 1, 2, 3, 4, 5, 6));
    expect(await readReleased()).toEqual(streams(0, 1, 2, 3, 4, 5, 6));
  });

  it.each([0, 3, 6])('stop before post %i, which was changed meanwhile and is still due', async (changed) => {
    const { encodeRelease, cancelOne, readReleased, release, appendAll } = await planPosts(7, isTogether);
    const numbers = [0, 1, 2, 3, 4, 5, 6];
    const encoded = await Promise.all(numbers.map(encodeRelease));
    await cancelOne(changed);
    expect(await appendAll(encoded)).toEqual(streams(...numbers.slice(0, changed)));
    await release(changed);
    expect(await readReleased()).toEqual(streams(...numbers));
  });

  it('are appended in waves of at most 4 MiB, however large all of them are', async () => {
    const { posts, encodeRelease, readReleased, appendAll } = await planPosts(100, isTogether);
    const numbers = Array.from({ length: 100 }, (_, n) => n);
    const filler = JSON.stringify('x'.repeat(700_000));
    const encoded = (await Promise.all(numbers.map(encodeRelease))).map((change) => ({
      ...change,
      encoded: change.encoded.map((event) => ({ ...event, data: filler })),
    }));
    const waves: number[] = [];
    const appendTogether = posts.appendTogether.bind(posts);
    posts.appendTogether = (changes) => {
      waves.push(changes.reduce((sum, change) => sum + countAppendBytes(change.encoded), 0));
      return appendTogether(changes);
    };
    const refused: string[] = [];
    expect(await appendAll(encoded, [], refused)).toEqual(streams(...numbers));
    expect(refused).toEqual([]);
    expect((await readReleased()).toSorted()).toEqual(streams(...numbers).toSorted());
    expect(Math.max(0, ...waves)).toBeLessThanOrEqual(4 * 1_048_576);
    expect(waves.length).toBe(isTogether ? 20 : 0);
  });

  it('leave out a post that the store cannot take, and no other', async () => {
    const { encodeRelease, readReleased, appendAll } = await planPosts(5, isTogether);
    const encoded = await Promise.all([0, 1, 2, 3, 4].map(encodeRelease));
    const [event] = encoded[2]!.encoded;
    const tooLarge = { ...encoded[2]!, encoded: [{ ...event!, data: JSON.stringify('x'.repeat(1_100_000)) }] };
    const refused: string[] = [];
    expect(await appendAll(encoded.with(2, tooLarge), [], refused)).toEqual(streams(0, 1, 3, 4));
    expect(refused).toEqual(streams(2));
    expect(await readReleased()).toEqual(streams(0, 1, 3, 4));
  });

  it('stop once the lease is lost', async () => {
    const { encodeRelease, readReleased } = await planPosts(2, isTogether);
    const encoded = await Promise.all([0, 1].map(encodeRelease));
    await appendReleases({ canAppendTogether: isTogether } as never, encoded, () => false, {
      onReleased: () => undefined,
      onRefused: () => undefined,
    });
    expect(await readReleased()).toEqual([]);
  });
});
