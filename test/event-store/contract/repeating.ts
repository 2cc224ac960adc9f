import { Unavailable, WrongExpectedRevision } from '../../../src/event-store/port.js';
import { ids, newEvent, newEvents, newStream } from './events.js';
import type { Stage } from './harness.js';

/** The identical append again: what makes every command safe to repeat. */
export const repeating = (stage: Stage): void => {
  describe('repeating an append', () => {
    it('answers the first result, and writes nothing', async () => {
      const stream = newStream();
      const events = newEvents(3);
      const first = await stage.store.append(stream, 'noStream', events);
      expect(await stage.store.append(stream, 'noStream', events)).toEqual(first);
      expect(ids(await stage.store.readStream(stream))).toEqual(ids(events));
    });

    it('answers the first result when later events are there', async () => {
      const stream = newStream();
      const start = await stage.store.append(stream, 'noStream', newEvents(2));
      const events = newEvents(2);
      const first = await stage.store.append(stream, start.revision, events);
      await stage.store.append(stream, first.revision, newEvents(5));
      expect(await stage.store.append(stream, start.revision, events)).toEqual(first);
      expect(await stage.store.readStream(stream)).toHaveLength(9);
    });

    it('answers the first result to another client', async () => {
      const stream = newStream();
      const events = newEvents(2);
      const first = await stage.store.append(stream, 'noStream', events);
      await stage.store.append(stream, first.revision, newEvents(1));
      const another = await stage.another();
      expect(await another.append(stream, 'noStream', events)).toEqual(first);
    });

    it('writes once what ten send at the same time', async () => {
      const stream = newStream();
      const events = newEvents(2);
      const results = await Promise.all(
        Array.from({ length: 10 }, () => stage.store.append(stream, 'noStream', events)),
      );
      expect(new Set(results.map(({ revision, position }) => `${revision} ${position}`)).size).toBe(1);
      expect(ids(await stage.store.readStream(stream))).toEqual(ids(events));
    });

    it('refuses other events at the same place', async () => {
      const stream = newStream();
      await stage.store.append(stream, 'noStream', newEvents(2));
      await expect(stage.store.append(stream, 'noStream', newEvents(2))).rejects.toThrow(WrongExpectedRevision);
    });

    it('refuses events that begin alike and go on otherwise', async () => {
      const stream = newStream();
      const events = newEvents(2);
      await stage.store.append(stream, 'noStream', events);
      const mixed = stage.store.append(stream, 'noStream', [...events.slice(0, 1), newEvent()]);
      await expect(mixed).rejects.toThrow(WrongExpectedRevision);
      await expect(stage.store.append(stream, 'noStream', events.toReversed())).rejects.toThrow(WrongExpectedRevision);
      await expect(stage.store.append(stream, 'noStream', [...events, newEvent()])).rejects.toThrow(
        WrongExpectedRevision,
      );
      expect(ids(await stage.store.readStream(stream))).toEqual(ids(events));
    });

    it('writes once what was sent again because its answer was lost', async () => {
      const stream = newStream();
      const events = newEvents(3);
      const fragile = await stage.fragile();
      await fragile.append(stream, 'noStream', newEvents(1)); // so that it is connected
      const lost = await stage.harness.loseAnswerOf(
        () => fragile.append(stream, 0n, events),
        async () => (await stage.store.readStream(stream)).length > 1,
      );
      expect(lost).toBeInstanceOf(Unavailable);
      const stored = await stage.store.readStream(stream);
      expect(await fragile.append(stream, 0n, events)).toEqual({ revision: 3n, position: stored[3]?.position });
      expect(await stage.store.readStream(stream)).toEqual(stored);
    });
  });
};
