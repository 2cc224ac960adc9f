import { ids, newEvent, newEvents, newStream } from './events.js';
import type { Stage } from './harness.js';

/** Retention by count: what the request log of an endpoint lives on (D-33). */
export const retaining = (stage: Stage): void => {
  describe('retention', () => {
    it('shows the newest events only, with the revisions they have', async () => {
      const stream = newStream();
      const events = newEvents(10);
      await stage.store.append(stream, 'noStream', events);
      await stage.store.setRetention(stream, 3);
      const read = await stage.store.readStream(stream);
      expect(ids(read)).toEqual(ids(events).slice(-3));
      expect(read.map(({ revision }) => revision)).toEqual([7n, 8n, 9n]);
      expect(ids(await stage.store.readStream(stream, { from: 2n }))).toEqual(ids(events).slice(-3));
      const backwards = await stage.store.readStream(stream, { direction: 'backwards', limit: 10 });
      expect(ids(backwards)).toEqual(ids(events).slice(-3).reverse());
      expect(await stage.store.readStream(stream, { from: 5n, direction: 'backwards' })).toEqual([]);
    });

    it('goes on with every append', async () => {
      const stream = newStream();
      await stage.store.setRetention(stream, 3);
      expect(await stage.store.readStream(stream)).toEqual([]);
      await stage.store.append(stream, 'noStream', newEvents(5));
      const last = newEvent();
      expect((await stage.store.append(stream, 4n, [last])).revision).toBe(5n);
      const read = await stage.store.readStream(stream);
      expect(read.map(({ revision }) => revision)).toEqual([3n, 4n, 5n]);
      expect(read.at(-1)?.id).toBe(last.id);
    });

    it('can be changed', async () => {
      const stream = newStream();
      await stage.store.append(stream, 'noStream', newEvents(10));
      await stage.store.setRetention(stream, 8);
      await stage.store.setRetention(stream, 8);
      await stage.store.setRetention(stream, 2);
      expect(await stage.store.readStream(stream)).toHaveLength(2);
    });

    it('leaves an append repeatable whose events it has cut off', async () => {
      const stream = newStream();
      const events = newEvents(2);
      await stage.store.setRetention(stream, 1);
      await stage.store.append(stream, 'noStream', events);
      await stage.store.append(stream, 1n, newEvents(3));
      const repeated = await stage.store.append(stream, 'noStream', events);
      expect(repeated.revision).toBe(1n);
      expect(repeated.position).toBeLessThanOrEqual(await stage.store.head());
      expect((await stage.store.readStream(stream)).map(({ revision }) => revision)).toEqual([4n]);
    });
  });
};
