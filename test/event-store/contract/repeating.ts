import { Unavailable, WrongExpectedRevision } from '../../../src/event-store/port.js';
import { ids, newEvent, newEvents, newStream } from './events.js';
import type { ContractContext } from './harness.js';

/** Repeated identical appends, which make every command safe to repeat. */
export const describeRepeating = (context: ContractContext): void => {
  describe('repeating an append', () => {
    it('returns the first result and writes nothing', async () => {
      const stream = newStream();
      const events = newEvents(3);
      const first = await context.store.append(stream, 'noStream', events);
      expect(await context.store.append(stream, 'noStream', events)).toEqual(first);
      expect(ids(await context.store.readStream(stream))).toEqual(ids(events));
    });

    it('returns the first result after later events', async () => {
      const stream = newStream();
      const start = await context.store.append(stream, 'noStream', newEvents(2));
      const events = newEvents(2);
      const first = await context.store.append(stream, start.revision, events);
      await context.store.append(stream, first.revision, newEvents(5));
      expect(await context.store.append(stream, start.revision, events)).toEqual(first);
      expect(await context.store.readStream(stream)).toHaveLength(9);
    });

    it('returns the first result to another client', async () => {
      const stream = newStream();
      const events = newEvents(2);
      const first = await context.store.append(stream, 'noStream', events);
      await context.store.append(stream, first.revision, newEvents(1));
      const another = await context.openAnother();
      expect(await another.append(stream, 'noStream', events)).toEqual(first);
    });

    it('writes once if ten callers send the same append at the same time', async () => {
      const stream = newStream();
      const events = newEvents(2);
      const results = await Promise.all(
        Array.from({ length: 10 }, () => context.store.append(stream, 'noStream', events)),
      );
      expect(new Set(results.map(({ revision, position }) => `${revision} ${position}`)).size).toBe(1);
      expect(ids(await context.store.readStream(stream))).toEqual(ids(events));
    });

    it('rejects other events at the same revision', async () => {
      const stream = newStream();
      await context.store.append(stream, 'noStream', newEvents(2));
      await expect(context.store.append(stream, 'noStream', newEvents(2))).rejects.toThrow(WrongExpectedRevision);
    });

    it('rejects an append whose events are only partly the same', async () => {
      const stream = newStream();
      const events = newEvents(2);
      await context.store.append(stream, 'noStream', events);
      const mixed = context.store.append(stream, 'noStream', [...events.slice(0, 1), newEvent()]);
      await expect(mixed).rejects.toThrow(WrongExpectedRevision);
      await expect(context.store.append(stream, 'noStream', events.toReversed())).rejects.toThrow(
        WrongExpectedRevision,
      );
      await expect(context.store.append(stream, 'noStream', [...events, newEvent()])).rejects.toThrow(
        WrongExpectedRevision,
      );
      expect(ids(await context.store.readStream(stream))).toEqual(ids(events));
    });

    it('writes once if an append is sent again because its response was lost', async () => {
      const stream = newStream();
      const events = newEvents(3);
      const fragile = await context.openFragile();
      await fragile.append(stream, 'noStream', newEvents(1)); // opens the connection
      const lost = await context.harness.loseResponseOf(
        () => fragile.append(stream, 0n, events),
        async () => (await context.store.readStream(stream)).length > 1,
      );
      expect(lost).toBeInstanceOf(Unavailable);
      const stored = await context.store.readStream(stream);
      expect(await fragile.append(stream, 0n, events)).toEqual({ revision: 3n, position: stored[3]?.position });
      expect(await context.store.readStream(stream)).toEqual(stored);
    });
  });
};
