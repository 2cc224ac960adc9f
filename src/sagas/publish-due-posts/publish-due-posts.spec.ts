import { silentLog } from '../../kernel/log.js';
import { GroupConcurrency } from '../engine/group-concurrency.js';
import { PublishDuePosts } from './publish-due-posts.js';

const leases = {
  workerId: 'worker',
  liveWorkers: ['worker'],
  stillHoldsLeasesOf: () => true,
  findHolder: () => null,
  onRelease: () => undefined,
  onWorkers: () => undefined,
};

const createSaga = (services: object, claims: object, schedule: object): PublishDuePosts => {
  const concurrency = new GroupConcurrency(['telegram'], 1);
  return new PublishDuePosts(services as never, claims as never, concurrency, schedule as never, {} as never);
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
  const claims = {
    claim: async (_worker: string, _now: number, _capacity: unknown, except: readonly string[]) => {
      if (except.includes('tgt_1')) return { claimed: [], nextDue: null, keyCount: null };
      count += 1;
      if (count === 2) drain.abort();
      return {
        claimed: [{ key: 'tgt_1', group: 'telegram', term: 1n }],
        nextDue: null,
        keyCount: null,
      };
    },
    release: async () => undefined,
  };
  const schedule = {
    readQueue: async () => {
      now -= 3_600_000; // after the claim, so before the end of the cooldown is computed
      return null;
    },
  };
  const saga = createSaga(services, claims, schedule);
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
  const claims = {
    claim: async (_worker: string, at: number) => {
      if (claimedAt.push(at) === 3) drain.abort();
      return { claimed: [], nextDue: at + 1, keyCount: null };
    },
  };
  const saga = createSaga(services, claims, {});
  await saga.run(drain.signal, new AbortController().signal);
  expect(claimedAt).toHaveLength(3);
});
