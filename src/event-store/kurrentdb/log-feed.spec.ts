import { LogFeeds } from './log-feed.js';
import type { SubscriptionListener } from './read-call.js';

/** Feeds with confirmed subscriptions at the end of an empty log. */
const createFeeds = () => {
  const open = new Set<SubscriptionListener>();
  const feeds = new LogFeeds({
    findStart: (after) => Promise.resolve(after),
    skipUnwanted: (after) => Promise.resolve(after),
    openSubscription: (_start, _filter, listener) => {
      open.add(listener);
      setImmediate(() => {
        listener.onMessage({ kind: 'confirmation' });
        listener.onMessage({ kind: 'checkpoint', position: 100n });
        listener.onMessage({ kind: 'caughtUp' });
      });
      const cancel = (): void => void open.delete(listener);
      return Promise.resolve({ pause: () => undefined, resume: () => undefined, cancel });
    },
    timeoutMs: 10_000,
  });
  return { feeds, open };
};

it('a reader of a quiet feed leaves it for one that serves others as well', async () => {
  const { feeds, open } = createFeeds();
  const late = feeds.join(100n, {});
  expect(await late.readBatch(500)).toEqual({ events: [], position: 100n, isLive: true });
  const early = feeds.join(50n, {}); // before the window of the other feed, which no longer gathers readers
  expect(await early.readBatch(500)).toEqual({ events: [], position: 100n, isLive: true });
  expect(open.size).toBe(2);

  expect(await late.readBatch(500)).toBeUndefined();
  late.leave();
  expect(feeds.join(100n, {}).feed).toBe(early.feed);
  expect(open.size).toBe(1);
  early.leave();
});
