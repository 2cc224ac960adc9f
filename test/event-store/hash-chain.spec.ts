import fc from 'fast-check';
import { catalogue } from '../../src/domain/catalogue.js';
import { owner } from '../../src/domain/owner/owner.decider.js';
import { AggregateStore } from '../../src/event-store/aggregate-store.js';
import { EventCodec } from '../../src/event-store/codec.js';
import type { StoredEvent } from '../../src/event-store/port.js';
import { MemoryEventStore } from '../support/memory-event-store.js';

const codec = new EventCodec(catalogue);
const ownerId = 'own_1';
const runs = { seed: 40, numRuns: process.env.TEST_LONG ? 20_000 : 500 };

/** Returns the revisions at which an auditor, who reads the stream from its start, detects a change. */
const findBreaks = (events: readonly StoredEvent[]): number[] => {
  let previousHash = '';
  return events.flatMap((event, i) => {
    const isValid = event.revision === BigInt(i) && codec.verifyHash(event, previousHash);
    previousHash = hashOf(event);
    return isValid ? [] : [i];
  });
};
const hashOf = ({ metadata }: StoredEvent) => (JSON.parse(metadata) as { hash: string }).hash;

const withMetadata = (event: StoredEvent, changed: object): StoredEvent => ({
  ...event,
  metadata: JSON.stringify({ ...(JSON.parse(event.metadata) as object), ...changed }),
});
const renumber = (events: readonly StoredEvent[]): StoredEvent[] =>
  events.map((event, i) => ({ ...event, revision: BigInt(i) }));

/** A stream of five events, written by four commands. */
let chain: StoredEvent[];
beforeAll(async () => {
  const aggregates = new AggregateStore(new MemoryEventStore(), codec);
  const commands = [
    { type: 'RegisterOwner', ownerId, name: 'Анна "A." 🌷', plan: 'free', keyHash: 'a1' },
    { type: 'ChangeOwner', ownerId, name: 'Anna', plan: 'pro' },
    { type: 'AddPostPack', ownerId, posts: 100 },
    { type: 'AddPostPack', ownerId, posts: 100 },
  ] as const;
  for (const [i, command] of commands.entries()) {
    await aggregates.execute(owner, ownerId, command, {
      commandId: `command-${i}`,
      at: 1_741_953_600_000 + i,
      actor: 'operator',
      requestId: `req_${i}`,
      causationId: `cause-${i}`,
      correlationId: 'story',
      clientAddress: i === 1 ? null : '203.0.113.7',
    });
  }
  chain = await aggregates.store.readStream(`owner-${ownerId}`);
});

const tamperAt = (i: number, change: (event: StoredEvent) => StoredEvent): StoredEvent[] =>
  chain.map((event, j) => (i === j ? change(event) : event));

describe('the texts of an encoded event', () => {
  it('are as JSON.stringify writes them, whatever the event and its request hold', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(fc.jsonValue(), text, text, fc.option(text), (data, actor, requestId, clientAddress) => {
        const event = { type: 'OwnerRegistered', data } as never;
        const location = { stream: 'owner-1', revision: 0n, previousHash: '' };
        const origin = { actor, requestId, causationId: actor, correlationId: requestId, clientAddress };
        const { event: encoded } = codec.encode(event, 0, location, {
          commandId: 'c',
          at: 1_741_953_600_000,
          ...origin,
        });
        expect(encoded.isCanonical).toBe(true);
        for (const each of [encoded.data, encoded.metadata]) expect(JSON.stringify(JSON.parse(each))).toBe(each);
      }),
      runs,
    );
  });
});

describe('the hash chain of a stream', () => {
  it('is valid if nothing was changed, for the events of one command and of several', () => {
    expect(chain).toHaveLength(5);
    expect(findBreaks(chain)).toEqual([]);
  });

  it('detects any changed character of the data, at its event', () =>
    fc.assert(
      fc.property(fc.nat(4), fc.nat(), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), (i, where, other) => {
        const characters = [...chain[i]!.data];
        const at = where % characters.length;
        fc.pre(characters[at] !== other);
        const changed = characters.with(at, other).join('');
        expect(findBreaks(tamperAt(i, (event) => ({ ...event, data: changed })))).toEqual([i]);
      }),
      runs,
    ));

  it('detects data of the same meaning in another format', () =>
    expect(findBreaks(tamperAt(2, (event) => ({ ...event, data: ` ${event.data}` })))).toEqual([2]));

  it.each([
    ['version', { version: 2 }],
    ['at', { at: 1_741_953_600_999 }],
    ['actor', { actor: 'owner:own_1' }],
    ['request_id', { request_id: 'req_9' }],
    ['causation_id', { causation_id: 'another' }],
    ['correlation_id', { correlation_id: 'another' }],
    ['ip', { ip: '198.51.100.1' }],
    ['that was added', { note: 'added' }],
  ])('detects a changed field of the metadata: %s', (_, changed) => {
    for (const i of chain.keys()) {
      expect(findBreaks(tamperAt(i, (event) => withMetadata(event, changed)))).toEqual([i]);
    }
  });

  it('detects a removed field of the metadata', () =>
    expect(findBreaks(tamperAt(1, (event) => withMetadata(event, { actor: undefined })))).toEqual([1]));

  it('detects text that was moved from one field of the metadata to the next', () =>
    expect(
      findBreaks(tamperAt(1, (event) => withMetadata(event, { request_id: 'req_1cause', causation_id: '-1' }))),
    ).toEqual([1]));

  it.each([
    ['type', { type: 'OwnerPlanChanged' }],
    ['id', { id: '00000000-0000-4000-8000-000000000000' }],
    ['stream', { stream: 'owner-own_2' }],
    ['revision', { revision: 7n }],
  ])('detects a changed %s', (_, changed) =>
    expect(findBreaks(tamperAt(1, (event) => ({ ...event, ...changed })))).toEqual([1]),
  );

  it('detects a changed hash, at its event and at the next one', () =>
    expect(findBreaks(tamperAt(1, (event) => withMetadata(event, { hash: '0'.repeat(64) })))).toEqual([1, 2]));

  it('detects an event that was rewritten with a matching hash, at the next one', () => {
    const { actor, at, requestId, causationId, correlationId, clientAddress } = codec.decode(chain[1]!);
    const location = { stream: chain[1]!.stream, revision: 1n, previousHash: hashOf(chain[0]!) };
    const context = { actor, at, requestId, causationId, correlationId, clientAddress, commandId: 'command-1' };
    const renamed = { type: 'OwnerRenamed', data: { ownerId, name: 'Boris' } };
    const { event: forged } = codec.encode(renamed, 0, location, context);
    expect(forged.id).toBe(chain[1]!.id);
    const { id, type, data, metadata } = forged;
    expect(findBreaks(tamperAt(1, (event) => ({ ...event, id, type, data, metadata })))).toEqual([2]);
  });

  it.each([0, 1, 2, 3])('detects two swapped neighbours: %i and the next', (i) => {
    const swapped = [...chain];
    [swapped[i], swapped[i + 1]] = [chain[i + 1]!, chain[i]!];
    const affected = [i, i + 1, i + 2].filter((revision) => revision < chain.length);
    expect(findBreaks(swapped)).toEqual(affected);
    expect(findBreaks(renumber(swapped))).toEqual(affected);
  });

  it.each([0, 1, 2, 3])('detects that event %i was removed, also if later events were renumbered', (i) => {
    const removed = chain.filter((_, j) => j !== i);
    expect(findBreaks(removed)[0]).toBe(i);
    expect(findBreaks(renumber(removed))[0]).toBe(i);
  });

  it('cannot detect that the newest events were removed: no later event refers to them', () =>
    expect(findBreaks(chain.slice(0, 3))).toEqual([]));

  it('detects a duplicated event', () => {
    const doubled = renumber([...chain.slice(0, 3), chain[2]!, ...chain.slice(3)]);
    expect(findBreaks(doubled)).toEqual([3, 4, 5]);
  });
});

it('is valid whatever the envelope contains, and the envelope equals the output of JSON.stringify', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', ' ', '~', '"', '\\', '\n', '\u0000', '\u007f', 'я', '🌷', ']', '#'),
  });
  fc.assert(
    fc.property(
      text,
      text,
      text,
      text,
      fc.option(text),
      fc.nat(),
      (...[actor, requestId, causation, story, ip, at]) => {
        const ids = { requestId, causationId: causation, correlationId: story };
        const context = { commandId: 'c', at, actor, ...ids, clientAddress: ip };
        const location = { stream: 's', revision: 0n, previousHash: '' };
        const { event } = codec.encode({ type: 'PostAccepted', data: {} }, 0, location, context);
        expect(event.metadata).toBe(JSON.stringify(JSON.parse(event.metadata)));
        expect(codec.verifyHash({ ...event, stream: 's', revision: 0n, position: 1n }, '')).toBe(true);
        const { hash: _, version: __, ...envelope } = codec.readEnvelope(event);
        expect(envelope).toEqual({
          at,
          actor,
          request_id: requestId,
          causation_id: causation,
          correlation_id: story,
          ip,
        });
      },
    ),
    runs,
  );
});
