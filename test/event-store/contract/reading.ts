import {
  countBytes,
  isFullPage,
  MAX_PAGE_BYTES,
  type Position,
  type StoredEvent,
} from '../../../src/event-store/port.js';
import { appendedPart, ids, newEvent, newEvents, newStream } from './events.js';
import type { ContractContext } from './harness.js';
import { Subscriber } from './subscriber.js';

const revisions = (events: readonly StoredEvent[]): number[] => events.map(({ revision }) => Number(revision));

/** Reads of one stream and of the whole log. */
export const describeReading = (context: ContractContext): void => {
  describe('reading a stream', () => {
    let stream: string;
    beforeAll(async () => {
      stream = newStream();
      await context.store.append(stream, 'noStream', newEvents(10));
    });

    it('reads forwards from the first event', async () => {
      expect(revisions(await context.store.readStream(stream))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    });

    it('reads backwards from the last event', async () => {
      const read = await context.store.readStream(stream, { direction: 'backwards' });
      expect(revisions(read)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    });

    it('starts at a revision, inclusive in both directions', async () => {
      expect(revisions(await context.store.readStream(stream, { from: 7n }))).toEqual([7, 8, 9]);
      expect(revisions(await context.store.readStream(stream, { from: 2n, direction: 'backwards' }))).toEqual([
        2, 1, 0,
      ]);
    });

    it('reads no more events than the limit', async () => {
      expect(revisions(await context.store.readStream(stream, { limit: 2 }))).toEqual([0, 1]);
      expect(revisions(await context.store.readStream(stream, { from: 4n, limit: 3 }))).toEqual([4, 5, 6]);
      const backwards = await context.store.readStream(stream, { direction: 'backwards', limit: 1 });
      expect(revisions(backwards)).toEqual([9]);
    });

    it('finds nothing after the end forwards, and everything backwards', async () => {
      expect(await context.store.readStream(stream, { from: 10n })).toEqual([]);
      const backwards = await context.store.readStream(stream, { from: 1_000n, direction: 'backwards', limit: 1 });
      expect(revisions(backwards)).toEqual([9]);
    });

    it('finds nothing if there is no such stream', async () => {
      expect(await context.store.readStream(newStream())).toEqual([]);
      expect(await context.store.readStream(newStream(), { direction: 'backwards', limit: 1 })).toEqual([]);
    });

    it('reads 10,000 events of one stream, in order', async () => {
      const long = newStream('long');
      const events = newEvents(10_000);
      for (let n = 0; n < events.length; n += 500) {
        await context.store.append(long, n === 0 ? 'noStream' : BigInt(n - 1), events.slice(n, n + 500));
      }
      const read = await context.store.readStream(long);
      expect(appendedPart(read)).toEqual(events);
      expect(revisions(read)).toEqual(events.map((_, n) => n));
    });
  });

  describe('reading the whole log', () => {
    it('reads everything after a position in pages, in order', async () => {
      const start = await context.store.readHead();
      const streams = Array.from({ length: 5 }, () => newStream());
      const appended: string[] = [];
      for (let n = 0; n < 60; n++) {
        const events = newEvents(2);
        const expected = n < 5 ? 'noStream' : BigInt(2 * Math.floor(n / 5) - 1);
        await context.store.append(streams[n % 5] as string, expected, events);
        appended.push(...ids(events));
      }
      const pages: StoredEvent[][] = [];
      let after = start;
      do {
        const page = await context.store.readAll({ after, limit: 50 });
        pages.push(page.filter(({ stream }) => streams.includes(stream)));
        after = page.at(-1)?.position ?? after;
      } while (after < (await context.store.readHead()));
      expect(ids(pages.flat())).toEqual(appended);
      expect(pages.length).toBeGreaterThan(2);
      expect(await context.store.readAll({ after, limit: 50 })).toEqual([]);
    });

    it('ends a page at 2 MiB, counted in UTF-8, and holds every event once', async () => {
      const start = await context.store.readHead();
      const events = newEvents(14).map((event) => ({ ...event, data: JSON.stringify('ж'.repeat(350_000)) }));
      const stream = newStream();
      for (const [n, event] of events.entries())
        await context.store.append(stream, n === 0 ? 'noStream' : BigInt(n - 1), [event]);
      const pages: StoredEvent[][] = [];
      for (let after = start, page: StoredEvent[]; ; after = page.at(-1)!.position) {
        page = await context.store.readAll({ after, limit: 10 });
        pages.push(page);
        if (!isFullPage(page, 10)) break;
      }
      expect(ids(pages.flat().filter((event) => event.stream === stream))).toEqual(ids(events));
      for (const page of pages)
        expect(page.slice(0, -1).reduce((sum, event) => sum + countBytes(event), 0)).toBeLessThan(MAX_PAGE_BYTES);
      expect(pages.length).toBeGreaterThan(2);
    });

    it('excludes the event at the start position', async () => {
      const stream = newStream();
      const events = newEvents(3);
      await context.store.append(stream, 'noStream', events);
      const [first] = await context.store.readStream(stream);
      const read = await context.store.readAll({ after: first?.position as Position, limit: 2 });
      expect(ids(read)).toEqual(ids(events).slice(1));
    });

    it('selects event types, however rare, up to the limit', async () => {
      const start = await context.store.readHead();
      const stream = newStream();
      const rare = newEvents(3, { type: `Rare${stream.slice(-8)}` });
      const events = rare.flatMap((event) => [...newEvents(400), event]);
      await context.store.append(stream, 'noStream', events.slice(0, 600));
      await context.store.append(stream, 599n, events.slice(600));
      const types = [rare[0]?.type as string, 'Never'];
      expect(ids(await context.store.readAll({ after: start, limit: 10, types }))).toEqual(ids(rare));
      expect(ids(await context.store.readAll({ after: start, limit: 2, types }))).toEqual(ids(rare).slice(0, 2));
      expect(await context.store.readAll({ after: start, limit: 10, types: ['Never'] })).toEqual([]);
    });

    it('excludes event types, however frequent, up to the limit', async () => {
      const start = await context.store.readHead();
      const stream = newStream();
      const type = `Left${stream.slice(-8)}`;
      const rare = newEvents(3);
      const events = rare.flatMap((event) => [...newEvents(400, { type }), event]);
      await context.store.append(stream, 'noStream', events.slice(0, 600));
      await context.store.append(stream, 599n, events.slice(600));
      const except = [type, 'Never'];
      expect(ids(await context.store.readAll({ after: start, limit: 10, except }))).toEqual(ids(rare));
      expect(ids(await context.store.readAll({ after: start, limit: 2, except }))).toEqual(ids(rare).slice(0, 2));
      expect(ids(await context.store.readAll({ after: start, limit: 2_000, except: [] }))).toEqual(ids(events));
    });

    it('returns the position of the newest event as the head', async () => {
      const { position } = await context.store.append(newStream(), 'noStream', newEvents(2));
      expect(await context.store.readHead()).toBe(position);
    });

    it('shows an append to every client as soon as it has returned', async () => {
      const another = await context.openAnother();
      for (let n = 0; n < 20; n++) {
        const stream = newStream();
        const event = newEvent();
        const { position } = await context.store.append(stream, 'noStream', [event]);
        expect(ids(await another.readStream(stream))).toEqual([event.id]);
        expect(await another.readHead()).toBe(position);
      }
    });
  });

  describe('positions above 2^53', () => {
    it('are exact and ordered in every call', async () => {
      const far = await context.openFar();
      const stream = newStream();
      const events = newEvents(5);
      const { position } = await far.append(stream, 'noStream', events);
      expect(position).toBeGreaterThan(2n ** 53n);
      const stored = await far.readStream(stream);
      const positions = stored.map((event) => event.position);
      expect(new Set(positions).size).toBe(5);
      expect(stored.at(-1)?.position).toBe(position);
      expect(await far.readHead()).toBe(position);
      expect(await far.readAll({ after: positions[1] as Position, limit: 10 })).toEqual(stored.slice(2));
      const subscriber = new Subscriber(far, { after: positions[2] as Position });
      await subscriber.waitUntil(({ events: seen }) => seen.length >= 2);
      await subscriber.stop();
      expect(subscriber.events).toEqual(stored.slice(3));
      expect(subscriber.last?.position).toBe(position);
    });
  });
};
