import { WrongExpectedRevision } from '../../../src/event-store/port.js';
import { ids, newEvent, newEvents, newStream } from './events.js';
import type { ContractContext } from './harness.js';

/** Tests of appends to several streams at once. A store that cannot make them has no such tests. */
export const describeAppendingTogether = (context: ContractContext): void => {
  describe('appending to several streams together', () => {
    const newAppends = (count: number) =>
      Array.from({ length: count }, (_, n) => ({
        stream: newStream(),
        expected: 'noStream' as const,
        events: newEvents(1 + (n % 3)),
      }));
    const readAll = async (streams: readonly { readonly stream: string }[]) =>
      (await Promise.all(streams.map(({ stream }) => context.store.readStream(stream)))).flat();

    it('writes all in their order, and writes nothing when it is repeated', async () => {
      const { store } = context;
      if (!store.appendTogether) return;
      const appends = newAppends(40);
      const position = await store.appendTogether(appends);
      const stored = await readAll(appends);
      expect(ids(stored)).toEqual(ids(appends.flatMap(({ events }) => events)));
      const positions = stored.map((event) => event.position);
      expect(positions).toEqual(positions.map((_, n) => positions[0]! + BigInt(n)));
      expect(position).toBe(positions.at(-1));
      expect(await store.appendTogether(appends)).toBe(position);
      expect(await readAll(appends)).toEqual(stored);
    });

    it('writes none if one of the streams has another revision, beside other appends', async () => {
      const { store } = context;
      if (!store.appendTogether) return;
      const appends = newAppends(5);
      const changed = newEvent();
      await store.append(appends[3]!.stream, 'noStream', [changed]);
      const beside = newStream();
      const [rejected] = await Promise.allSettled([
        store.appendTogether(appends),
        store.append(beside, 'noStream', newEvents(1)),
      ]);
      expect(rejected).toMatchObject({ status: 'rejected', reason: expect.any(WrongExpectedRevision) });
      expect(ids(await readAll(appends))).toEqual([changed.id]);
      expect(await store.readStream(beside)).toHaveLength(1);
    });

    it('writes none if only some of it was written before', async () => {
      const { store } = context;
      if (!store.appendTogether) return;
      const appends = newAppends(3);
      await store.append(appends[0]!.stream, 'noStream', appends[0]!.events);
      await expect(store.appendTogether(appends)).rejects.toThrow(WrongExpectedRevision);
      expect(ids(await readAll(appends))).toEqual(ids(appends[0]!.events));
    });
  });
};
