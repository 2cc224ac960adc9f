import { EventCodec, type Execution } from '../../src/event-store/codec.js';
import type { StoredEvent } from '../../src/event-store/port.js';
import type { Catalogue } from '../../src/kernel/catalogue.js';

/** A type that has been changed twice: one name, then two, then a list with a language. */
interface V1 {
  readonly name: string;
}
interface V2 {
  readonly first: string;
  readonly last: string;
}
interface V3 {
  readonly names: readonly string[];
  readonly language: string | null;
}
const GuestArrived = {
  version: 3,
  upcasters: {
    1: ({ name }: V1): V2 => ({ first: name.split(' ')[0] ?? '', last: name.split(' ')[1] ?? '' }),
    2: ({ first, last }: V2): V3 => ({ names: [first, last], language: null }),
  },
};
const madeUp: Catalogue = { GuestArrived, GuestLeft: { version: 1 } };
const codec = new EventCodec(madeUp);

const execution: Execution = {
  ...{ commandId: 'c', at: 1, actor: 'operator', requestId: '', causationId: 'c', correlationId: 'c' },
};
const place = { stream: 'guest-1', revision: 0n, previousHash: '' };

/** An event as a program wrote it whose catalogue had this version. */
const writtenAt = (version: number, data: unknown, type = 'GuestArrived'): StoredEvent => ({
  ...new EventCodec({ [type]: { version } }).encode({ type, data }, 0, place, execution).event,
  ...{ stream: place.stream, revision: place.revision, position: 1n },
});

describe('an event of an older version', () => {
  it.each([
    [1, { name: 'Ada Lovelace' }, { names: ['Ada', 'Lovelace'], language: null }],
    [2, { first: 'Ada', last: 'Lovelace' }, { names: ['Ada', 'Lovelace'], language: null }],
    [3, { names: ['Ada'], language: 'en' }, { names: ['Ada'], language: 'en' }],
  ])('written at version %i reads as today, and still says at which it was written', (version, data, today) => {
    const { data: read, version: wasWritten } = codec.decode(writtenAt(version, data));
    expect(read).toStrictEqual(today);
    expect(wasWritten).toBe(version);
  });

  it('keeps its text, and with it its hash', () => {
    const stored = writtenAt(1, { name: 'Ada Lovelace' });
    codec.decode(stored);
    expect(stored.data).toBe('{"name":"Ada Lovelace"}');
    expect(codec.verify(stored, '')).toBe(true);
  });

  it('is written at the version of today', () => {
    const { event } = codec.encode({ type: 'GuestArrived', data: {} }, 0, place, execution);
    expect(JSON.parse(event.metadata)).toMatchObject({ version: 3 });
  });

  it('is refused where a step of the way is missing', () => {
    const gap = new EventCodec({ GuestArrived: { version: 3, upcasters: { 1: GuestArrived.upcasters[1] } } });
    expect(() => gap.decode(writtenAt(1, { name: 'Ada Lovelace' }))).toThrow('no way from version 2 to 3');
  });
});

describe('an event that this program cannot know', () => {
  it('of a newer version is refused, by its type and both versions', () =>
    expect(() => codec.decode(writtenAt(4, {}))).toThrow('GuestArrived has version 4; this program knows 3'));

  it.each(['GuestSlept', 'guestArrived', 'toString', '__proto__', ''])('of the type "%s" is refused', (type) => {
    const stored = { ...writtenAt(1, {}), type };
    expect(() => codec.decode(stored)).toThrow(`unknown event type ${type}`);
    expect(() => codec.encode({ type, data: {} }, 0, place, execution)).toThrow(`unknown event type ${type}`);
  });

  it.each([
    ['data', { data: '{"name":' }],
    ['metadata', { metadata: 'none' }],
  ])('whose %s is no JSON is refused', (_, broken) =>
    expect(() => codec.decode({ ...writtenAt(3, {}), ...broken })).toThrow(SyntaxError),
  );
});
