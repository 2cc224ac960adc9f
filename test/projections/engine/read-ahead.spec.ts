import type { Batch, StoredEvent } from '../../../src/event-store/port.js';
import { readAhead } from '../../../src/projections/engine/read-ahead.js';

const PAGE = 500;

const page = (number: number, isLive: boolean, size = PAGE): Batch => {
  const events = Array.from({ length: size }, (_, i) => {
    const position = BigInt((number - 1) * PAGE + i);
    return { position, id: String(position), type: 'T', data: '{}', metadata: '{}' } as StoredEvent;
  });
  return { events, position: BigInt(number * PAGE - 1), isLive };
};

/** Returns a store with these pages, and the number of pages that were read. */
const storeOf = (pages: readonly Batch[]) => {
  const read = { pages: 0, isClosed: false };
  const subscribe = async function* (): AsyncIterable<Batch> {
    try {
      for (const each of pages) {
        read.pages++;
        yield each;
      }
    } finally {
      read.isClosed = true;
    }
  };
  return { store: { subscribe } as never, read };
};

const ignore = (): void => undefined;

const readAll = async (pages: readonly Batch[], prepare: (event: StoredEvent) => void = ignore): Promise<Batch[]> => {
  const batches: Batch[] = [];
  const options = { after: -1n, signal: new AbortController().signal };
  for await (const batch of readAhead(storeOf(pages).store, options, prepare)) batches.push(batch);
  return batches;
};

describe('readAhead', () => {
  it('gathers pages up to 2,000 events, and up to the end of the log', async () => {
    const pages = Array.from({ length: 5 }, (_, i) => page(i + 1, i === 4));
    const batches = await readAll(pages);
    expect(batches.map(({ events, isLive }) => [events.length, isLive])).toEqual([
      [2_000, false],
      [500, true],
    ]);
    expect(batches.map(({ position }) => position)).toEqual([1_999n, 2_499n]);
    expect(batches.flatMap(({ events }) => events)).toEqual(pages.flatMap(({ events }) => events));
  });

  it('does not gather pages at the end of the log', async () => {
    const pages = [page(1, true, 3), page(2, true, 1), { ...page(3, true, 0) }];
    expect(await readAll(pages)).toEqual(pages);
  });

  it('passes over a batch without events when the next one comes within its interval', async () => {
    const pages = [page(1, true, 1), page(2, true, 0), page(3, true, 0), page(4, true, 0), page(5, true, 1)];
    // On a busy machine more than the interval may pass between two pages.
    const realNow = performance.now.bind(performance);
    const startedAt = performance.now();
    performance.now = () => startedAt;
    const batches = await readAll(pages).finally(() => (performance.now = realNow));
    expect(batches).toEqual([pages[0], pages[1], pages[4]]);
  });

  it('returns a batch without events after its interval, though nothing follows', async () => {
    const pages = [page(1, true, 0), page(2, true, 0)];
    const subscribe = async function* (): AsyncIterable<Batch> {
      yield* pages;
      await new Promise(() => undefined);
    };
    const batches: Batch[] = [];
    const options = { after: -1n, signal: new AbortController().signal };
    for await (const batch of readAhead({ subscribe }, options, ignore))
      if (batches.push(batch) === pages.length) break;
    expect(batches).toEqual(pages);
  });

  it('prepares what is read ahead, and leaves what comes at the end of the log to its reader', async () => {
    const pages = [page(1, false), page(2, true), page(3, true)];
    const prepared: string[] = [];
    await readAll(pages, ({ id }) => prepared.push(id));
    expect(prepared).toEqual(pages[0]!.events.map(({ id }) => id));
  });

  it.each([false, true])(
    'reads the next batch while one is applied, and ends with its reader (live: %s)',
    async (isLive) => {
      const { store, read } = storeOf(Array.from({ length: 40 }, (_, i) => page(i + 1, isLive)));
      for await (const _ of readAhead(store, { after: -1n, signal: new AbortController().signal }, ignore)) {
        while (read.pages < (isLive ? 1 : 8)) await Promise.resolve();
        break;
      }
      while (!read.isClosed) await Promise.resolve();
      expect(read.pages).toBe(isLive ? 1 : 8);
    },
  );
});
