import { AppendTooLarge, MAX_APPEND_BYTES, WrongExpectedRevision } from '../../../src/event-store/port.js';
import { carryOut, type AppendPlan, plannedEvent } from './append-plan.js';
import { appendedPart, ids, newEvent, newEvents, newStream } from './events.js';
import type { Stage } from './harness.js';
import { Subscriber } from './subscriber.js';

/** Appends and their refusals, alone and in a crowd. */
export const appending = (stage: Stage): void => {
  describe('appending', () => {
    it('starts a stream, and answers the revision and the position of the last event', async () => {
      const stream = newStream();
      const events = newEvents(3);
      const result = await stage.store.append(stream, 'noStream', events);
      const stored = await stage.store.readStream(stream);
      expect(result).toEqual({ revision: 2n, position: stored[2]?.position });
      expect(appendedPart(stored)).toEqual(events);
      expect(stored.map(({ revision }) => revision)).toEqual([0n, 1n, 2n]);
    });

    it('goes on at the revision where the stream ends', async () => {
      const stream = newStream();
      const first = await stage.store.append(stream, 'noStream', newEvents(2));
      const second = await stage.store.append(stream, first.revision, newEvents(2));
      expect(second.revision).toBe(3n);
      expect(second.position).toBeGreaterThan(first.position);
    });

    it('refuses to start a stream that is there, and tells where it ends', async () => {
      const stream = newStream();
      await stage.store.append(stream, 'noStream', newEvents(3));
      const refusal = stage.store.append(stream, 'noStream', [newEvent()]);
      await expect(refusal).rejects.toThrow(WrongExpectedRevision);
      await expect(refusal).rejects.toMatchObject({ stream, expected: 'noStream', actual: 2n });
    });

    it('refuses to go on with a stream that is not there', async () => {
      const stream = newStream();
      const refusal = stage.store.append(stream, 0n, [newEvent()]);
      await expect(refusal).rejects.toThrow(WrongExpectedRevision);
      await expect(refusal).rejects.toMatchObject({ expected: 0n, actual: 'noStream' });
    });

    it.each([
      ['before the end', 0n],
      ['behind the end', 7n],
    ])('refuses a revision %s', async (_, expected) => {
      const stream = newStream();
      await stage.store.append(stream, 'noStream', newEvents(3));
      const refusal = stage.store.append(stream, expected, [newEvent()]);
      await expect(refusal).rejects.toThrow(WrongExpectedRevision);
      await expect(refusal).rejects.toMatchObject({ expected, actual: 2n });
    });

    it('writes nothing of a refused append', async () => {
      const stream = newStream();
      const kept = newEvents(2);
      await stage.store.append(stream, 'noStream', kept);
      await expect(stage.store.append(stream, 0n, newEvents(3))).rejects.toThrow(WrongExpectedRevision);
      expect(ids(await stage.store.readStream(stream))).toEqual(ids(kept));
    });

    it('refuses an append of nothing', async () => {
      await expect(stage.store.append(newStream(), 'noStream', [])).rejects.toThrow(RangeError);
    });

    it.each(['$system-1', ''])('refuses the stream name "%s"', async (stream) => {
      await expect(stage.store.append(stream, 'noStream', [newEvent()])).rejects.toThrow(RangeError);
    });

    it.each(['$type', ''])('refuses the event type "%s", which would belong to the store', async (type) => {
      await expect(stage.store.append(newStream(), 'noStream', [newEvent({}, { type })])).rejects.toThrow(RangeError);
    });

    it('refuses more than 1 MiB in one append, and writes nothing of it (D-42)', async () => {
      const stream = newStream();
      const half = newEvent({ text: 'x'.repeat(MAX_APPEND_BYTES / 2) });
      await expect(stage.store.append(stream, 'noStream', [half, { ...half, id: newEvent().id }])).rejects.toThrow(
        AppendTooLarge,
      );
      expect(await stage.store.readStream(stream)).toEqual([]);
    });

    it('takes an event of 1,000,000 bytes, byte for byte', async () => {
      const stream = newStream();
      const event = newEvent('ж'.repeat(499_999)); // two bytes each, and the quotes
      expect(Buffer.byteLength(event.data)).toBe(1_000_000);
      await stage.store.append(stream, 'noStream', [event]);
      expect(appendedPart(await stage.store.readStream(stream))).toEqual([event]);
    });

    it.each([
      ['emoji, right-to-left text and combining marks', JSON.stringify({ text: '👩‍👩‍👧 שלום العربية é 🇩🇪' })],
      ['escapes as they were written', '{"a":"\\u0000\\u001f\\u00e9\\/\\ud83d\\ude00","\\u0062":"\\u2028"}'],
      ['a lone surrogate, escaped', '{"half":"\\ud800"}'],
      ['white space', ' {\n\t"a" : [ 1 , 2 ]\r\n} '],
      ['the order of keys, numbers among them', '{"b":1,"10":2,"2":3,"a":4}'],
      ['numbers as they were written', '{"n":[1.0,1e3,0.10,-0,12345678901234567890,1E-7]}'],
      ['keys that are special', '{"__proto__":{"a":1},"constructor":null,"toJSON":1,"$maxCount":3}'],
      ['a key twice', '{"a":1,"a":2}'],
      ['a bare string', '"x"'],
      ['null', 'null'],
      ['an empty list', '[]'],
    ])('keeps the exact text of data and metadata: %s', async (_, text) => {
      const stream = newStream();
      const event = newEvent(undefined, { data: text, metadata: text });
      const subscriber = new Subscriber(stage.store, { after: await stage.store.head(), of: [stream] });
      await stage.store.append(stream, 'noStream', [event]);
      await subscriber.hasSeen(event.id);
      await subscriber.stop();
      expect(appendedPart(await stage.store.readStream(stream))).toEqual([event]);
      expect(appendedPart(subscriber.events)).toEqual([event]);
    });
  });

  describe('appending in a crowd', () => {
    it('lets exactly one of 20 start each of 50 streams', async () => {
      const streams = Array.from({ length: 50 }, () => newStream('race'));
      const wins = await Promise.all(
        streams.map(async (stream) => {
          const attempts = newEvents(20).map((event) => stage.store.append(stream, 'noStream', [event]));
          const outcomes = await Promise.allSettled(attempts);
          const lost = outcomes.filter((outcome) => outcome.status === 'rejected');
          for (const { reason } of lost) expect(reason).toMatchObject({ name: 'WrongExpectedRevision', actual: 0n });
          return 20 - lost.length;
        }),
      );
      expect(wins).toEqual(streams.map(() => 1));
      const stored = await Promise.all(streams.map((stream) => stage.store.readStream(stream)));
      expect(stored.map(({ length }) => length)).toEqual(wins);
    });

    it('lets exactly one of 20 go on at a revision', async () => {
      const stream = newStream('race');
      const { revision } = await stage.store.append(stream, 'noStream', newEvents(4));
      const outcomes = await Promise.allSettled(
        newEvents(20).map((event) => stage.store.append(stream, revision, [event])),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await stage.store.readStream(stream)).toHaveLength(5);
    });

    it('keeps order and loses nothing when two processes share streams', async () => {
      const streams = Array.from({ length: 4 }, () => newStream('shared'));
      const here: AppendPlan = { writer: 'here', streams, count: 150 };
      const there: AppendPlan = { writer: 'there', streams, count: 150 };
      const subscriber = new Subscriber(stage.store, { after: await stage.store.head(), of: streams });
      await Promise.all([carryOut(here, stage.store), stage.harness.appendElsewhere(there)]);
      await subscriber.until(({ events }) => events.length >= 300);
      const last = newEvent();
      await stage.store.append(newStream('shared'), 'noStream', [last]);
      await subscriber.hasSeen(last.id);
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
        expect(await stage.store.readStream(stream)).toEqual(ofStream);
      }
    });
  });
};

const ascending = (a: bigint, b: bigint): number => (a < b ? -1 : 1);
