import { ids, newEvents, newStream } from './events.js';
import type { ContractContext } from './harness.js';
import { Subscriber } from './subscriber.js';

/** Deletion of streams, for data that must be erased (D-56). Other readers of the log must not notice it. */
export const describeDeleting = (context: ContractContext): void => {
  describe('deleting a stream', () => {
    it('removes it, and nothing else', async () => {
      const [gone, kept] = [newStream(), newStream()];
      await context.store.append(gone, 'noStream', newEvents(3));
      await context.store.append(kept, 'noStream', newEvents(3));
      await context.store.deleteStream(gone);
      expect(await context.store.readStream(gone)).toEqual([]);
      expect(await context.store.readStream(gone, { direction: 'backwards', limit: 1 })).toEqual([]);
      expect(await context.store.readStream(gone, { from: 1n })).toEqual([]);
      expect(await context.store.readStream(kept)).toHaveLength(3);
    });

    it('may be repeated, also if there never was a stream', async () => {
      const stream = newStream();
      await context.store.deleteStream(stream);
      await context.store.append(stream, 'noStream', newEvents(1));
      await context.store.deleteStream(stream);
      await context.store.deleteStream(stream);
      expect(await context.store.readStream(stream)).toEqual([]);
    });

    it('is not noticed by readers of the log, wherever they are', async () => {
      const [gone, kept] = [newStream(), newStream()];
      const before = await context.store.readHead();
      const events = newEvents(3);
      await context.store.append(kept, 'noStream', [events[0]!]);
      const deleted = newEvents(40);
      const { position } = await context.store.append(gone, 'noStream', deleted);
      const within = (await context.store.readStream(gone))[20]!.position;
      const live = new Subscriber(context.store, { after: before, streams: [kept] });
      await live.waitUntil(({ last }) => last?.isLive ?? false);
      await context.store.deleteStream(gone); // the newest event of the log
      const behind = new Subscriber(context.store, { after: before, streams: [kept], maxBatch: 7 });
      const atTheGap = new Subscriber(context.store, { after: position, streams: [kept] });
      const inTheGap = new Subscriber(context.store, { after: within, streams: [kept] });
      await behind.waitUntil(({ last }) => last?.isLive ?? false);
      await atTheGap.waitUntil(({ last }) => last?.isLive ?? false);
      const appended = await context.store.append(kept, 0n, [events[1]!]);
      expect(appended.position).toBeGreaterThan(position);
      await context.store.append(kept, 1n, [events[2]!]);
      for (const reader of [live, behind, atTheGap, inTheGap]) {
        await reader.waitForEvent(events[2]!.id);
        await reader.stop();
      }
      expect(ids(live.events)).toEqual(ids(events));
      expect(ids(behind.events)).toEqual(ids(events));
      expect(ids(atTheGap.events)).toEqual(ids(events.slice(1)));
      expect(ids(inTheGap.events)).toEqual(ids(events.slice(1)));
      const page = await context.store.readAll({ after: before, limit: 100 });
      expect(ids(page.filter(({ stream }) => stream === kept))).toEqual(ids(events));
    });
  });
};
