import { silentLog } from '../../kernel/log.js';
import { Rooms } from './claiming/platform-concurrency.js';
import { PublishDuePosts, type PublishDuePostsDependencies } from './publish-due-posts.saga.js';

it('does not sleep through what becomes due between looking and falling asleep', async () => {
  const stopping = new AbortController();
  const looked: number[] = [];
  const asked: number[] = [];
  let now = 1_000;
  const saga = new PublishDuePosts({
    clock: { now: () => (now += 10) },
    log: silentLog,
    leases: { workerId: 'worker', isValid: () => true },
    notifications: { on: () => () => true },
    progress: { onMove: () => () => true, waitFor: async () => true },
    rooms: new Rooms(['telegram'], 1),
    claims: { claimDue: async (_worker: string, at: number) => (looked.push(at), []) },
    schedule: {
      nextDue: async (after: number) => {
        asked.push(after);
        if (asked.length === 3) stopping.abort();
        return after + 1;
      },
    },
  } as unknown as PublishDuePostsDependencies);
  await saga.run({ stop: stopping.signal, breakOff: new AbortController().signal });
  expect(asked).toHaveLength(3);
  expect(asked).toEqual(looked);
});
