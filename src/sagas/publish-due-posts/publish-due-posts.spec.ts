import { silentLog } from '../../kernel/log.js';
import { GroupConcurrency } from '../engine/group-concurrency.js';
import { PublishDuePosts } from './publish-due-posts.js';

const leases = {
  workerId: 'worker',
  liveWorkers: ['worker'],
  stillHoldsLeasesOf: () => true,
  findHolder: () => null,
  release: async () => undefined,
  onRelease: () => undefined,
  onWorkers: () => undefined,
};

/** @param claim answers the query that claims channels */
const createSaga = (
  services: object,
  claim: (now: number, except: readonly string[]) => object,
  schedule: object,
): PublishDuePosts => {
  const concurrency = new GroupConcurrency(['telegram'], 1);
  const pool = {
    query: async ({
      values: [now, , , except],
    }: {
      values: readonly [number, unknown, unknown, readonly string[]];
    }) => ({
      rows: [{ key: null, group: null, owner: null, term: null, nextDue: null, keyCount: null, ...claim(now, except) }],
    }),
  };
  return new PublishDuePosts(pool as never, services as never, concurrency, schedule as never, {} as never);
};

it('rests by monotonic time: a clock that is set back by an hour stops no channel', async () => {
  const drain = new AbortController();
  let now = 10_000_000;
  let count = 0;
  const services = {
    clock: { now: () => now },
    log: silentLog,
    leases,
    notifications: { subscribe: () => () => true },
    progress: { waitFor: async () => true, waitForOwnVersions: async () => true },
  };
  const claim = (_now: number, except: readonly string[]) => {
    if (except.includes('tgt_1')) return {};
    count += 1;
    if (count === 2) drain.abort();
    return { key: 'tgt_1', group: 'telegram', owner: 'own_1', term: 1n };
  };
  const schedule = {
    readQueue: async () => {
      now -= 3_600_000; // after the claim, so before the end of the cooldown is computed
      return null;
    },
  };
  const saga = createSaga(services, claim, schedule);
  const stepBack = setTimeout(() => (now -= 3_600_000), 100); // during the cooldown
  await saga.run(drain.signal, new AbortController().signal);
  clearTimeout(stepBack);
  expect(count).toBe(2);
});

it('does not miss a channel that becomes due between the claim and the sleep', async () => {
  const drain = new AbortController();
  const claimedAt: number[] = [];
  let now = 1_000;
  const services = {
    clock: { now: () => (now += 10) },
    log: silentLog,
    leases,
    notifications: { subscribe: () => () => true },
    progress: { waitFor: async () => true, waitForOwnVersions: async () => true },
  };
  const claim = (at: number) => {
    if (claimedAt.push(at) === 3) drain.abort();
    return { nextDue: BigInt(at + 1) };
  };
  const saga = createSaga(services, claim, {});
  await saga.run(drain.signal, new AbortController().signal);
  expect(claimedAt).toHaveLength(3);
});
