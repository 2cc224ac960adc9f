import { AppendTooLarge, MAX_APPEND_BYTES, WrongExpectedRevision } from '../../../src/event-store/port.js';
import { type AppendPlan, executePlan, plannedEvent } from './append-plan.js';
import { appendedPart, ids, newEvent, newEvents, newStream } from './events.js';
import type { ContractContext } from './harness.js';
import { Subscriber } from './subscriber.js';

/** Appends and their rejections, alone and concurrent. */
export const describeAppending = (context: ContractContext): void => {
  describe('appending', () => {
    it('creates a stream and returns the revision and the position of the last event', async () => {
      const stream = newStream();
      const events = newEvents(3);
      const result = await context.store.append(stream, 'noStream', events);
      const stored = await context.store.readStream(stream);
      expect(result).toEqual({ revision: 2n, position: stored[2]?.position });
      expect(appendedPart(stored)).toEqual(events);
      expect(stored.map(({ revision }) => revision)).toEqual([0n, 1n, 2n]);
    });

    it('appends at the last revision of the stream', async () => {
      const stream = newStream();
      const first = await context.store.append(stream, 'noStream', newEvents(2));
      const second = await context.store.append(stream, first.revision, newEvents(2));
      expect(second.revision).toBe(3n);
      expect(second.position).toBeGreaterThan(first.position);
    });

    it('rejects creating an existing stream, with its last revision', async () => {
      const stream = newStream();
      await context.store.append(stream, 'noStream', newEvents(3));
      const rejected = context.store.append(stream, 'noStream', [newEvent()]);
      await expect(rejected).rejects.toThrow(WrongExpectedRevision);
      await expect(rejected).rejects.toMatchObject({ stream, expected: 'noStream', actual: 2n });
    });

    it('rejects appending to a missing stream', async () => {
      const stream = newStream();
      const rejected = context.store.append(stream, 0n, [newEvent()]);
      await expect(rejected).rejects.toThrow(WrongExpectedRevision);
      await expect(rejected).rejects.toMatchObject({ expected: 0n, actual: 'noStream' });
    });

    it.each([
      ['before the end', 0n],
      ['after the end', 7n],
    ])('rejects a revision %s', async (_, expected) => {
      const stream = newStream();
      await context.store.append(stream, 'noStream', newEvents(3));
      const rejected = context.store.append(stream, expected, [newEvent()]);
      await expect(rejected).rejects.toThrow(WrongExpectedRevision);
      await expect(rejected).rejects.toMatchObject({ expected, actual: 2n });
    });

    it('writes nothing of a rejected append', async () => {
      const stream = newStream();
      const kept = newEvents(2);
      await context.store.append(stream, 'noStream', kept);
      await expect(context.store.append(stream, 0n, newEvents(3))).rejects.toThrow(WrongExpectedRevision);
      expect(ids(await context.store.readStream(stream))).toEqual(ids(kept));
    });

    it('rejects an append without events', async () => {
      await expect(context.store.append(newStream(), 'noStream', [])).rejects.toThrow(RangeError);
    });

    it.each(['$system-1', ''])('rejects the stream name "%s"', async (stream) => {
      await expect(context.store.append(stream, 'noStream', [newEvent()])).rejects.toThrow(RangeError);
    });

    it.each(['$type', ''])('rejects the event type "%s", which is reserved for the store', async (type) => {
      await expect(context.store.append(newStream(), 'noStream', [newEvent({}, { type })])).rejects.toThrow(RangeError);
    });

    it('rejects an append of more than 1 MiB and writes none of it (D-42)', async () => {
      const stream = newStream();
      const half = newEvent({ text: 'x'.repeat(MAX_APPEND_BYTES / 2) });
      await expect(context.store.append(stream, 'noStream', [half, { ...half, id: newEvent().id }])).rejects.toThrow(
        AppendTooLarge,
      );
      expect(await context.store.readStream(stream)).toEqual([]);
    });

    it('stores an event of 1,000,000 bytes unchanged', async () => {
      const stream = newStream();
      const event = newEvent('ж'.repeat(499_999)); // two bytes each, plus the quotes
      expect(Buffer.byteLength(event.data)).toBe(1_000_000);
      await context.store.append(stream, 'noStream', [event]);
      expect(appendedPart(await context.store.readStream(stream))).toEqual([event]);
    });

    it.each([
      ['emoji, right-to-left text and combining marks', JSON.stringify({ text: '👩‍👩‍👧 שלום العربية é 🇩🇪' })],
      ['escapes as written', '{"a":"\\u0000\\u001f\\u00e9\\/\\ud83d\\ude00","\\u0062":"\\u2028"}'],
      ['a lone surrogate, escaped', '{"half":"\\ud800"}'],
      ['white space', ' {\n\t"a" : [ 1 , 2 ]\r\n} '],
      ['the order of keys, including numeric ones', '{"b":1,"10":2,"2":3,"a":4}'],
      ['numbers as written', '{"n":[1.0,1e3,0.10,-0,12345678901234567890,1E-7]}'],
      ['special keys', '{"__proto__":{"a":1},"constructor":null,"toJSON":1,"$maxCount":3}'],
      ['a duplicate key', '{"a":1,"a":2}'],
      ['a bare string', '"x"'],
      ['null', 'null'],
      ['an empty list', '[]'],
    ])('keeps the exact text of data and metadata: %s', async (_, text) => {
      const stream = newStream();
      const event = newEvent(undefined, { data: text, metadata: text });
      const subscriber = new Subscriber(context.store, { after: await context.store.readHead(), streams: [stream] });
      await context.store.append(stream, 'noStream', [event]);
      await subscriber.waitForEvent(event.id);
      await subscriber.stop();
      expect(appendedPart(await context.store.readStream(stream))).toEqual([event]);
      expect(appendedPart(subscriber.events)).toEqual([event]);
    });
  });

  describe('concurrent appends', () => {
    it('lets exactly one of 20 appends create each of 50 streams', async () => {
      const streams = Array.from({ length: 50 }, () => newStream('race'));
      const wins = await Promise.all(
        streams.map(async (stream) => {
          const attempts = newEvents(20).map((event) => context.store.append(stream, 'noStream', [event]));
          const outcomes = await Promise.allSettled(attempts);
          const lost = outcomes.filter((outcome) => outcome.status === 'rejected');
          for (const { reason } of lost) expect(reason).toMatchObject({ name: 'WrongExpectedRevision', actual: 0n });
          return 20 - lost.length;
        }),
      );
      expect(wins).toEqual(streams.map(() => 1));
      const stored = await Promise.all(streams.map((stream) => context.store.readStream(stream)));
      expect(stored.map(({ length }) => length)).toEqual(wins);
    });

    it('accepts exactly one of 20 appends at the same revision', async () => {
      const stream = newStream('race');
      const { revision } = await context.store.append(stream, 'noStream', newEvents(4));
      const outcomes = await Promise.allSettled(
        newEvents(20).map((event) => context.store.append(stream, revision, [event])),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await context.store.readStream(stream)).toHaveLength(5);
    });

    it('keeps the order and loses no event when two processes share streams', async () => {
      const streams = Array.from({ length: 4 }, () => newStream('shared'));
      const here: AppendPlan = { writer: 'here', streams, count: 150 };
      const there: AppendPlan = { writer: 'there', streams, count: 150 };
      const subscriber = new Subscriber(context.store, { after: await context.store.readHead(), streams });
      await Promise.all([executePlan(here, context.store), context.harness.appendInOtherProcess(there)]);
      await subscriber.waitUntil(({ events }) => events.length >= 300);
      const last = newEvent();
      await context.store.append(newStream('shared'), 'noStream', [last]);
      await subscriber.waitForEvent(last.id);
      await subscriber.stop();

      const seen = subscriber.events;
      const planned = [here, there].map((plan) =>
        Array.from({ length: plan.count }, (_, n) => plannedEvent(plan, n).id),
      );
      expect(ids(seen).sort()).toEqual(planned.flat().sort());
      for (const own of planned) expect(ids(seen).filter((id) => own.includes(id))).toEqual(own);
      expect(seen.map(({ position }) => position)).toEqual(seen.map(({ position }) => position).sort(ascending));
      for (const stream of streams) {
        const ofStream = seen.filter((event) => event.stream === stream);
        expect(ofStream.map(({ revision }) => revision)).toEqual(ofStream.map((_, n) => BigInt(n)));
        expect(await context.store.readStream(stream)).toEqual(ofStream);
      }
    });
  });
};

const ascending = (a: bigint, b: bigint): number => (a < b ? -1 : 1);
