import fc from 'fast-check';
import { catalogue } from '../../src/domain/catalogue.js';
import { owner } from '../../src/domain/owner/owner.decider.js';
import { EventCodec } from '../../src/event-store/codec.js';
import { MemoryEventStore } from '../../src/event-store/memory/memory-event-store.js';
import type { StoredEvent } from '../../src/event-store/port.js';
import { Streams } from '../../src/event-store/aggregate-store.js';

const codec = new EventCodec(catalogue);
const ownerId = 'own_1';
const runs = { seed: 40, numRuns: process.env.TEST_LONG ? 20_000 : 500 };

/** Revisions at which an auditor who walks the stream from its beginning finds that something was changed. */
const brokenAt = (events: readonly StoredEvent[]): number[] => {
  let previousHash = '';
  return events.flatMap((event, i) => {
    const holds = event.revision === BigInt(i) && codec.verify(event, previousHash);
    previousHash = hashOf(event);
    return holds ? [] : [i];
  });
};
const hashOf = ({ metadata }: StoredEvent) => (JSON.parse(metadata) as { hash: string }).hash;

const withMetadata = (event: StoredEvent, changed: object): StoredEvent => ({
  ...event,
  metadata: JSON.stringify({ ...(JSON.parse(event.metadata) as object), ...changed }),
});
const renumbered = (events: readonly StoredEvent[]): StoredEvent[] =>
  events.map((event, i) => ({ ...event, revision: BigInt(i) }));

/** A stream of five events that three commands wrote. */
let chain: StoredEvent[];
beforeAll(async () => {
  const streams = new Streams(new MemoryEventStore(), codec);
  const commands = [
    { type: 'RegisterOwner', ownerId, name: 'Анна "A." 🌷', plan: 'free', keyHash: 'a1' },
    { type: 'ChangeOwner', ownerId, name: 'Anna', plan: 'pro' },
    { type: 'AddPostPack', ownerId, posts: 100 },
    { type: 'AddPostPack', ownerId, posts: 100 },
  ] as const;
  for (const [i, command] of commands.entries()) {
    await streams.run(owner, ownerId, command, {
      ...{ commandId: `command-${i}`, at: 1_741_953_600_000 + i, actor: 'operator', requestId: `req_${i}` },
      ...{ causationId: `cause-${i}`, correlationId: 'story' },
    });
  }
  chain = await streams.store.readStream(`owner-${ownerId}`);
});

const tamperedAt = (i: number, change: (event: StoredEvent) => StoredEvent): StoredEvent[] =>
  chain.map((event, j) => (i === j ? change(event) : event));

describe('the hash chain of a stream', () => {
  it('holds where nothing was changed, over the events of one command and of several', () => {
    expect(chain).toHaveLength(5);
    expect(brokenAt(chain)).toEqual([]);
  });

  it('finds any character of the data that was changed, where it was changed', () =>
    fc.assert(
      fc.property(fc.nat(4), fc.nat(), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), (i, where, other) => {
        const characters = [...chain[i]!.data];
        const at = where % characters.length;
        fc.pre(characters[at] !== other);
        const changed = characters.with(at, other).join('');
        expect(brokenAt(tamperedAt(i, (event) => ({ ...event, data: changed })))).toEqual([i]);
      }),
      runs,
    ));

  it('finds data that mean the same in another spelling', () =>
    expect(brokenAt(tamperedAt(2, (event) => ({ ...event, data: ` ${event.data}` })))).toEqual([2]));

  it.each([
    ['version', { version: 2 }],
    ['at', { at: 1_741_953_600_999 }],
    ['actor', { actor: 'owner:own_1' }],
    ['request_id', { request_id: 'req_9' }],
    ['causation_id', { causation_id: 'another' }],
    ['correlation_id', { correlation_id: 'another' }],
    ['that was not there', { note: 'added' }],
  ])('finds a field of the metadata that was changed: %s', (_, changed) => {
    for (const i of chain.keys()) {
      expect(brokenAt(tamperedAt(i, (event) => withMetadata(event, changed)))).toEqual([i]);
    }
  });

  it('finds a field of the metadata that was taken away', () =>
    expect(brokenAt(tamperedAt(1, (event) => withMetadata(event, { actor: undefined })))).toEqual([1]));

  it('finds a text that was moved from one field of the metadata to the next', () =>
    expect(
      brokenAt(tamperedAt(1, (event) => withMetadata(event, { request_id: 'req_1cause', causation_id: '-1' }))),
    ).toEqual([1]));

  it.each([
    ['type', { type: 'OwnerPlanChanged' }],
    ['id', { id: '00000000-0000-4000-8000-000000000000' }],
    ['stream', { stream: 'owner-own_2' }],
    ['revision', { revision: 7n }],
  ])('finds a changed %s', (_, changed) =>
    expect(brokenAt(tamperedAt(1, (event) => ({ ...event, ...changed })))).toEqual([1]),
  );

  it('finds a changed hash, at its event and at the one after it', () =>
    expect(brokenAt(tamperedAt(1, (event) => withMetadata(event, { hash: '0'.repeat(64) })))).toEqual([1, 2]));

  it('finds an event that was written anew with a hash that fits it, at the one after it', () => {
    const { actor, at, requestId, causationId, correlationId } = codec.decode(chain[1]!);
    const place = { stream: chain[1]!.stream, revision: 1n, previousHash: hashOf(chain[0]!) };
    const execution = { actor, at, requestId, causationId, correlationId, commandId: 'command-1' };
    const renamed = { type: 'OwnerRenamed', data: { ownerId, name: 'Boris' } };
    const { event: forged } = codec.encode(renamed, 0, place, execution);
    expect(forged.id).toBe(chain[1]!.id);
    const { id, type, data, metadata } = forged;
    expect(brokenAt(tamperedAt(1, (event) => ({ ...event, id, type, data, metadata })))).toEqual([2]);
  });

  it.each([0, 1, 2, 3])('finds two neighbours that were swapped: %i and the next', (i) => {
    const swapped = [...chain];
    [swapped[i], swapped[i + 1]] = [chain[i + 1]!, chain[i]!];
    const affected = [i, i + 1, i + 2].filter((revision) => revision < chain.length);
    expect(brokenAt(swapped)).toEqual(affected);
    expect(brokenAt(renumbered(swapped))).toEqual(affected);
  });

  it.each([0, 1, 2, 3])('finds that event %i was removed, also where those after it moved up', (i) => {
    const removed = chain.filter((_, j) => j !== i);
    expect(brokenAt(removed)[0]).toBe(i);
    expect(brokenAt(renumbered(removed))[0]).toBe(i);
  });

  it('cannot find that the newest events were cut off: nothing follows that would miss them', () =>
    expect(brokenAt(chain.slice(0, 3))).toEqual([]));

  it('finds an event that was put in twice', () => {
    const doubled = renumbered([...chain.slice(0, 3), chain[2]!, ...chain.slice(3)]);
    expect(brokenAt(doubled)).toEqual([3, 4, 5]);
  });
});

it('holds whatever stands in the envelope, which is what JSON.stringify makes of it', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', ' ', '~', '"', '\\', '\n', '\u0000', '\u007f', 'я', '🌷', ']', '#'),
  });
  fc.assert(
    fc.property(text, text, text, text, fc.nat(), (actor, requestId, causationId, correlationId, at) => {
      const execution = { commandId: 'c', at, actor: actor as 'operator', requestId, causationId, correlationId };
      const place = { stream: 's', revision: 0n, previousHash: '' };
      const { event } = codec.encode({ type: 'PostAccepted', data: {} }, 0, place, execution);
      expect(event.metadata).toBe(JSON.stringify(JSON.parse(event.metadata)));
      expect(codec.verify({ ...event, stream: 's', revision: 0n, position: 1n }, '')).toBe(true);
      const { actor: itsActor, request_id, causation_id, correlation_id } = codec.envelope(event);
      expect([itsActor, request_id, causation_id, correlation_id]).toEqual([
        actor,
        requestId,
        causationId,
        correlationId,
      ]);
    }),
    runs,
  );
});
