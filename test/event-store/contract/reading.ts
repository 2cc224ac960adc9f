import type { Position, StoredEvent } from '../../../src/event-store/port.js';
import { appendedPart, ids, newEvent, newEvents, newStream } from './events.js';
import type { Stage } from './harness.js';
import { Subscriber } from './subscriber.js';

const revisions = (events: readonly StoredEvent[]): number[] => events.map(({ revision }) => Number(revision));

/** Reads of one stream and of the whole log. */
export const reading = (stage: Stage): void => {
  describe('reading a stream', () => {
    let stream: string;
    beforeAll(async () => {
      stream = newStream();
      await stage.store.append(stream, 'noStream', newEvents(10));
    });

    it('goes forwards from the first event', async () => {
      expect(revisions(await stage.store.readStream(stream))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    });

    it('goes backwards from the last', async () => {
      const read = await stage.store.readStream(stream, { direction: 'backwards' });
      expect(revisions(read)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    });

    it('starts at a revision, inclusive both ways', async () => {
      expect(revisions(await stage.store.readStream(stream, { from: 7n }))).toEqual([7, 8, 9]);
      expect(revisions(await stage.store.readStream(stream, { from: 2n, direction: 'backwards' }))).toEqual([2, 1, 0]);
    });

    it('reads no more than it is asked for', async () => {
      expect(revisions(await stage.store.readStream(stream, { limit: 2 }))).toEqual([0, 1]);
      expect(revisions(await stage.store.readStream(stream, { from: 4n, limit: 3 }))).toEqual([4, 5, 6]);
      const backwards = await stage.store.readStream(stream, { direction: 'backwards', limit: 1 });
      expect(revisions(backwards)).toEqual([9]);
    });

    it('finds nothing behind the end, and everything backwards from there', async () => {
      expect(await stage.store.readStream(stream, { from: 10n })).toEqual([]);
      const backwards = await stage.store.readStream(stream, { from: 1_000n, direction: 'backwards', limit: 1 });
      expect(revisions(backwards)).toEqual([9]);
    });

    it('finds nothing where there is no stream', async () => {
      expect(await stage.store.readStream(newStream())).toEqual([]);
      expect(await stage.store.readStream(newStream(), { direction: 'backwards', limit: 1 })).toEqual([]);
    });

    it('reads 10,000 events of one stream, in order', async () => {
      const long = newStream('long');
      const events = newEvents(10_000);
      for (let n = 0; n < events.length; n += 500) {
        await stage.store.append(long, n === 0 ? 'noStream' : BigInt(n - 1), events.slice(n, n + 500));
      }
      const read = await stage.store.readStream(long);
      expect(appendedPart(read)).toEqual(events);
      expect(revisions(read)).toEqual(events.map((_, n) => n));
    });
  });

  describe('reading the whole log', () => {
    it('goes in pages through everything after a position, in order', async () => {
      const start = await stage.store.head();
      const streams = Array.from({ length: 5 }, () => newStream());
      const appended: string[] = [];
      for (let n = 0; n < 60; n++) {
        const events = newEvents(2);
        const expected = n < 5 ? 'noStream' : BigInt(2 * Math.floor(n / 5) - 1);
        await stage.store.append(streams[n % 5] as string, expected, events);
        appended.push(...ids(events));
      }
      const pages: StoredEvent[][] = [];
      let after = start;
      do {
        const page = await stage.store.readAll({ after, limit: 50 });
        pages.push(page.filter(({ stream }) => streams.includes(stream)));
        after = page.at(-1)?.position ?? after;
      } while (after < (await stage.store.head()));
      expect(ids(pages.flat())).toEqual(appended);
      expect(pages.length).toBeGreaterThan(2);
      expect(await stage.store.readAll({ after, limit: 50 })).toEqual([]);
    });

    it('leaves out the event at the position itself', async () => {
      const stream = newStream();
      const events = newEvents(3);
      await stage.store.append(stream, 'noStream', events);
      const [first] = await stage.store.readStream(stream);
      const read = await stage.store.readAll({ after: first?.position as Position, limit: 2 });
      expect(ids(read)).toEqual(ids(events).slice(1));
    });

    it('picks types, however rare, up to its limit', async () => {
      const start = await stage.store.head();
      const stream = newStream();
      const rare = newEvents(3, { type: `Rare${stream.slice(-8)}` });
      const events = rare.flatMap((event) => [...newEvents(400), event]);
      await stage.store.append(stream, 'noStream', events.slice(0, 600));
      await stage.store.append(stream, 599n, events.slice(600));
      const types = [rare[0]?.type as string, 'Never'];
      expect(ids(await stage.store.readAll({ after: start, limit: 10, types }))).toEqual(ids(rare));
      expect(ids(await stage.store.readAll({ after: start, limit: 2, types }))).toEqual(ids(rare).slice(0, 2));
      expect(await stage.store.readAll({ after: start, limit: 10, types: ['Never'] })).toEqual([]);
    });

    it('leaves types out, however many of them there are, up to its limit', async () => {
      const start = await stage.store.head();
      const stream = newStream();
      const type = `Left${stream.slice(-8)}`;
      const rare = newEvents(3);
      const events = rare.flatMap((event) => [...newEvents(400, { type }), event]);
      await stage.store.append(stream, 'noStream', events.slice(0, 600));
      await stage.store.append(stream, 599n, events.slice(600));
      const except = [type, 'Never'];
      expect(ids(await stage.store.readAll({ after: start, limit: 10, except }))).toEqual(ids(rare));
      expect(ids(await stage.store.readAll({ after: start, limit: 2, except }))).toEqual(ids(rare).slice(0, 2));
      expect(ids(await stage.store.readAll({ after: start, limit: 2_000, except: [] }))).toEqual(ids(events));
    });

    it('knows its head: the position of the newest event', async () => {
      const { position } = await stage.store.append(newStream(), 'noStream', newEvents(2));
      expect(await stage.store.head()).toBe(position);
    });

    it('shows an append to every client as soon as it is answered', async () => {
      const another = await stage.another();
      for (let n = 0; n < 20; n++) {
        const stream = newStream();
        const event = newEvent();
        const { position } = await stage.store.append(stream, 'noStream', [event]);
        expect(ids(await another.readStream(stream))).toEqual([event.id]);
        expect(await another.head()).toBe(position);
      }
    });
  });

  describe('numbers beyond 2^53', () => {
    it('are exact and in order everywhere', async () => {
      const far = await stage.far();
      const stream = newStream();
      const events = newEvents(5);
      const { position } = await far.append(stream, 'noStream', events);
      expect(position).toBeGreaterThan(2n ** 53n);
      const stored = await far.readStream(stream);
      const positions = stored.map((event) => event.position);
      expect(new Set(positions).size).toBe(5);
      expect(stored.at(-1)?.position).toBe(position);
      expect(await far.head()).toBe(position);
      expect(await far.readAll({ after: positions[1] as Position, limit: 10 })).toEqual(stored.slice(2));
      const subscriber = new Subscriber(far, { after: positions[2] as Position });
      await subscriber.until(({ events: seen }) => seen.length >= 2);
      await subscriber.stop();
      expect(subscriber.events).toEqual(stored.slice(3));
      expect(subscriber.last?.position).toBe(position);
    });
  });
};
