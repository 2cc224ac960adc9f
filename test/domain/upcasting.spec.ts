import { type CommandContext, EventCodec } from '../../src/event-store/codec.js';
import type { StoredEvent } from '../../src/event-store/port.js';
import type { Catalogue } from '../../src/kernel/events.js';

/** An event type that was changed twice: one name, then two, then a list with a language. */
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
const fictional: Catalogue = { GuestArrived, GuestLeft: { version: 1 } };
const codec = new EventCodec(fictional);

const context: CommandContext = {
  commandId: 'c',
  at: 1,
  actor: 'operator',
  requestId: '',
  causationId: 'c',
  correlationId: 'c',
  clientAddress: null,
};
const place = { stream: 'guest-1', revision: 0n, previousHash: '' };

/** Encodes an event as a program whose catalogue has this version would. */
const encodeAtVersion = (version: number, data: unknown, type = 'GuestArrived'): StoredEvent => ({
  ...new EventCodec({ [type]: { version } }).encode({ type, data }, 0, place, context).event,
  stream: place.stream,
  revision: place.revision,
  position: 1n,
});

describe('an event of an older version', () => {
  it.each([
    [1, { name: 'Ada Lovelace' }, { names: ['Ada', 'Lovelace'], language: null }],
    [2, { first: 'Ada', last: 'Lovelace' }, { names: ['Ada', 'Lovelace'], language: null }],
    [3, { names: ['Ada'], language: 'en' }, { names: ['Ada'], language: 'en' }],
  ])('written at version %i is decoded to the current data and keeps its written version', (version, data, current) => {
    const { data: decoded, version: writtenVersion } = codec.decode(encodeAtVersion(version, data));
    expect(decoded).toStrictEqual(current);
    expect(writtenVersion).toBe(version);
  });

  it('keeps its text and therefore its hash', () => {
    const stored = encodeAtVersion(1, { name: 'Ada Lovelace' });
    codec.decode(stored);
    expect(stored.data).toBe('{"name":"Ada Lovelace"}');
    expect(codec.verifyHash(stored, '')).toBe(true);
  });

  it('is encoded at the current version', () => {
    const { event } = codec.encode({ type: 'GuestArrived', data: {} }, 0, place, context);
    expect(JSON.parse(event.metadata)).toMatchObject({ version: 3 });
  });

  it('is rejected if an upcaster is missing', () => {
    const gap = new EventCodec({ GuestArrived: { version: 3, upcasters: { 1: GuestArrived.upcasters[1] } } });
    expect(() => gap.decode(encodeAtVersion(1, { name: 'Ada Lovelace' }))).toThrow('no upcaster from version 2 to 3');
  });
});

describe('an event that this program does not know', () => {
  it('is rejected if its version is newer, with its type and both versions in the error', () =>
    expect(() => codec.decode(encodeAtVersion(4, {}))).toThrow(
      'GuestArrived has version 4, but this program supports at most 3',
    ));

  it.each(['GuestSlept', 'guestArrived', 'toString', '__proto__', ''])('is rejected if its type is "%s"', (type) => {
    const stored = { ...encodeAtVersion(1, {}), type };
    expect(() => codec.decode(stored)).toThrow(`unknown event type ${type}`);
    expect(() => codec.encode({ type, data: {} }, 0, place, context)).toThrow(`unknown event type ${type}`);
  });

  it.each([
    ['data', { data: '{"name":' }],
    ['metadata', { metadata: 'none' }],
  ])('is rejected if its %s is not valid JSON, with its place', (_, broken) =>
    expect(() => codec.decode({ ...encodeAtVersion(3, {}), ...broken })).toThrow('guest-1@0 is damaged'),
  );
});
