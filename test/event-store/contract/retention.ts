import { ids, newEvent, newEvents, newStream } from './events.js';
import type { ContractContext } from './harness.js';

/** Retention by count, which the request log of an endpoint relies on (D-33). */
export const describeRetention = (context: ContractContext): void => {
  describe('retention', () => {
    it('shows only the newest events, with their original revisions', async () => {
      const stream = newStream();
      const events = newEvents(10);
      await context.store.append(stream, 'noStream', events);
      await context.store.setRetention(stream, 3);
      const read = await context.store.readStream(stream);
      expect(ids(read)).toEqual(ids(events).slice(-3));
      expect(read.map(({ revision }) => revision)).toEqual([7n, 8n, 9n]);
      expect(ids(await context.store.readStream(stream, { from: 2n }))).toEqual(ids(events).slice(-3));
      const backwards = await context.store.readStream(stream, { direction: 'backwards', limit: 10 });
      expect(ids(backwards)).toEqual(ids(events).slice(-3).reverse());
      expect(await context.store.readStream(stream, { from: 5n, direction: 'backwards' })).toEqual([]);
    });

    it('applies to every later append', async () => {
      const stream = newStream();
      await context.store.setRetention(stream, 3);
      expect(await context.store.readStream(stream)).toEqual([]);
      await context.store.append(stream, 'noStream', newEvents(5));
      const last = newEvent();
      expect((await context.store.append(stream, 4n, [last])).revision).toBe(5n);
      const read = await context.store.readStream(stream);
      expect(read.map(({ revision }) => revision)).toEqual([3n, 4n, 5n]);
      expect(read.at(-1)?.id).toBe(last.id);
    });

    it('can be changed', async () => {
      const stream = newStream();
      await context.store.append(stream, 'noStream', newEvents(10));
      await context.store.setRetention(stream, 8);
      await context.store.setRetention(stream, 8);
      await context.store.setRetention(stream, 2);
      expect(await context.store.readStream(stream)).toHaveLength(2);
    });

    it('allows repeating an append whose events it hides', async () => {
      const stream = newStream();
      const events = newEvents(2);
      await context.store.setRetention(stream, 1);
      await context.store.append(stream, 'noStream', events);
      await context.store.append(stream, 1n, newEvents(3));
      const repeated = await context.store.append(stream, 'noStream', events);
      expect(repeated.revision).toBe(1n);
      expect(repeated.position).toBeLessThanOrEqual(await context.store.readHead());
      expect((await context.store.readStream(stream)).map(({ revision }) => revision)).toEqual([4n]);
    });
  });
};
