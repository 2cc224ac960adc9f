import { silentLog } from '../../kernel/log.js';
import { PlatformConcurrency } from './claiming/platform-concurrency.js';
import { PublishDuePostsSaga, type PublishDuePostsSagaDependencies } from './publish-due-posts.saga.js';

it('rests by monotonic time: a clock that is set back by an hour stops no channel', async () => {
  const drain = new AbortController();
  let now = 10_000_000;
  let claims = 0;
  const saga = new PublishDuePostsSaga({
    clock: { now: () => now },
    log: silentLog,
    leases: { workerId: 'worker', isValid: () => true, stillHoldsLeasesOf: () => true },
    notifications: { subscribe: () => () => true },
    progress: { onAdvance: () => () => true, waitFor: async () => true, waitForOwnVersions: async () => true },
    concurrency: new PlatformConcurrency(['telegram'], 1),
    claims: {
      claimDueChannels: async (_worker: string, _now: number, _capacity: unknown, except: readonly string[]) => {
        if (except.includes('tgt_1')) return [];
        claims += 1;
        if (claims === 2) drain.abort();
        return [{ channelId: 'tgt_1', platform: 'telegram', term: 1n }];
      },
      releaseChannel: async () => undefined,
    },
    schedule: {
      readQueue: async () => {
        now -= 3_600_000; // after the claim, and so before the end of the rest is computed and compared
        return null;
      },
      findNextDue: async () => null,
    },
  } as unknown as PublishDuePostsSagaDependencies);
  const stepBack = setTimeout(() => (now -= 3_600_000), 100); // during the rest
  await saga.run({ drain: drain.signal, abort: new AbortController().signal });
  clearTimeout(stepBack);
  expect(claims).toBe(2);
});

it('does not miss a channel that becomes due between the claim and the sleep', async () => {
  const drain = new AbortController();
  const claimedAt: number[] = [];
  const askedAt: number[] = [];
  let now = 1_000;
  const saga = new PublishDuePostsSaga({
    clock: { now: () => (now += 10) },
    log: silentLog,
    leases: { workerId: 'worker', isValid: () => true },
    notifications: { subscribe: () => () => true },
    progress: { onAdvance: () => () => true, waitFor: async () => true, waitForOwnVersions: async () => true },
    concurrency: new PlatformConcurrency(['telegram'], 1),
    claims: { claimDueChannels: async (_worker: string, at: number) => (claimedAt.push(at), []) },
    schedule: {
      findNextDue: async (after: number) => {
        askedAt.push(after);
        if (askedAt.length === 3) drain.abort();
        return after + 1;
      },
    },
  } as unknown as PublishDuePostsSagaDependencies);
  await saga.run({ drain: drain.signal, abort: new AbortController().signal });
  expect(askedAt).toHaveLength(3);
  expect(askedAt).toEqual(claimedAt);
});
