import { silentLog } from '../../kernel/log.js';
import { PlatformConcurrency } from './claiming/platform-concurrency.js';
import { PublishDuePostsSaga, type PublishDuePostsSagaDependencies } from './publish-due-posts.saga.js';

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
