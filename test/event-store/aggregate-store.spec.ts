import { setTimeout as sleep } from 'node:timers/promises';
import { catalogue } from '../../src/domain/catalogue.js';
import { owner, type OwnerCommand } from '../../src/domain/owner/owner.decider.js';
import { AggregateStore, emptyAggregate } from '../../src/event-store/aggregate-store.js';
import { type CommandContext, EventCodec } from '../../src/event-store/codec.js';
import { BEGINNING, NotAppended, StorageFailed, type StoredEvent, Unavailable } from '../../src/event-store/port.js';
import { isRejection } from '../../src/kernel/result.js';
import { MemoryEventStore, MemoryLog } from '../support/memory-event-store.js';

const codec = new EventCodec(catalogue);
const ownerId = 'own_1';
const stream = `owner-${ownerId}`;

const register: OwnerCommand = { type: 'RegisterOwner', ownerId, name: 'Anna', plan: 'free', keyHash: 'a1' };
const addPack: OwnerCommand = { type: 'AddPostPack', ownerId, posts: 100 };
const rename = (name: string): OwnerCommand => ({ type: 'ChangeOwner', ownerId, name });

const contextOf = (commandId: string): CommandContext => ({
  commandId,
  at: 1_741_953_600_000,
  actor: 'operator',
  requestId: `req_${commandId}`,
  clientAddress: null,
  causationId: commandId,
  correlationId: 'story',
});

/** Creates a process over the log. Two of them act like two processes over one store. */
const openProcess = (log: MemoryLog): AggregateStore => new AggregateStore(new MemoryEventStore({ log }), codec);

const typesIn = (log: MemoryLog): string[] => log.events.map(({ type }) => type);

/** True if the hash chain is valid, checked from its start. */
const isChainValid = (events: readonly StoredEvent[]): boolean =>
  events.every((event, i) => {
    const before = i === 0 ? '' : codec.decode(events[i - 1]!).hash;
    return event.revision === BigInt(i) && codec.verifyHash(event, before);
  });

let log: MemoryLog;
let aggregates: AggregateStore;
beforeEach(() => {
  log = new MemoryLog();
  aggregates = openProcess(log);
});

describe('executing a command', () => {
  it('appends the events and returns the aggregate after them', async () => {
    await aggregates.execute(owner, ownerId, register, contextOf('c1'));
    const result = await aggregates.execute(
      owner,
      ownerId,
      { ...rename('Boris'), plan: 'pro' } as OwnerCommand,
      contextOf('c2'),
    );
    expect(result).toEqual({
      events: [
        { type: 'OwnerRenamed', data: { ownerId, name: 'Boris' } },
        { type: 'OwnerPlanChanged', data: { ownerId, plan: 'pro' } },
      ],
      aggregate: await aggregates.loadAggregate(owner, ownerId),
    });
    expect(await aggregates.loadAggregate(owner, ownerId)).toMatchObject({
      state: { name: 'Boris', plan: 'pro', keyHash: 'a1' },
      revision: 2n,
      position: log.events.at(-1)!.position,
    });
  });

  it('appends nothing if the command is rejected or changes nothing', async () => {
    expect(await aggregates.execute(owner, ownerId, addPack, contextOf('c1'))).toMatchObject({
      rejection: 'not_found',
    });
    await aggregates.execute(owner, ownerId, register, contextOf('c2'));
    expect(await aggregates.execute(owner, ownerId, rename('Anna'), contextOf('c3'))).toEqual({
      events: [],
      aggregate: await aggregates.loadAggregate(owner, ownerId),
    });
    expect(typesIn(log)).toEqual(['OwnerRegistered']);
  });

  it('loads a missing stream as the empty aggregate', async () => {
    expect(await aggregates.loadAggregate(owner, ownerId)).toEqual(emptyAggregate(owner));
    expect(emptyAggregate(owner)).toEqual({ state: null, revision: -1n, position: BEGINNING, hash: '' });
    expect(await aggregates.readLastEvent(stream)).toBeNull();
  });

  it('writes the actor and the cause, and chains every event to the previous one', async () => {
    await aggregates.execute(owner, ownerId, register, contextOf('c1'));
    await aggregates.execute(owner, ownerId, addPack, contextOf('c2'));
    expect(await aggregates.readLastEvent(stream)).toMatchObject({
      type: 'PostPackAdded',
      revision: 1n,
      version: 1,
      at: 1_741_953_600_000,
      actor: 'operator',
      requestId: 'req_c2',
      causationId: 'c2',
      correlationId: 'story',
      data: { ownerId, posts: 100 },
    });
    expect(isChainValid(log.events)).toBe(true);
  });

  it('continues from the result of an earlier command, without a read', async () => {
    const first = await aggregates.execute(owner, ownerId, register, contextOf('c1'), emptyAggregate(owner));
    if (isRejection(first)) throw new Error(first.rejection);
    await aggregates.execute(owner, ownerId, addPack, contextOf('c2'), first.aggregate);
    expect(typesIn(log)).toEqual(['OwnerRegistered', 'PostPackAdded']);
    expect(isChainValid(log.events)).toBe(true);
  });
});

describe('a conflict', () => {
  it('is decided again on the state after the other command', async () => {
    const results = await Promise.all(
      ['c1', 'c2', 'c3'].map((id) =>
        openProcess(log).execute(owner, ownerId, register, contextOf(id), emptyAggregate(owner)),
      ),
    );
    expect(results.filter(isRejection)).toHaveLength(2);
    expect(results.filter(isRejection)).toEqual([
      expect.objectContaining({ rejection: 'already_exists' }),
      expect.objectContaining({ rejection: 'already_exists' }),
    ]);
    expect(typesIn(log)).toEqual(['OwnerRegistered']);
  });

  it('loses no command: twenty concurrent ones of two processes are all written, in one valid chain', async () => {
    await aggregates.execute(owner, ownerId, register, contextOf('c0'));
    const processes = [openProcess(log), openProcess(log)];
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => processes[i % 2]!.execute(owner, ownerId, addPack, contextOf(`pack ${i}`))),
    );
    expect(typesIn(log)).toEqual(['OwnerRegistered', ...Array.from({ length: 20 }, () => 'PostPackAdded')]);
    expect(isChainValid(log.events)).toBe(true);
  });

  it.each([
    ['an event', addPack, 'PostPackAdded'],
    ['nothing', rename('Anna'), null],
    ['a rejection', register, 'already_exists'],
  ])('reads the stream if the known aggregate is out of date and leads to %s', async (_, command, expected) => {
    const first = await aggregates.execute(owner, ownerId, register, contextOf('c1'));
    if (isRejection(first)) throw new Error(first.rejection);
    await openProcess(log).execute(owner, ownerId, rename('Boris'), contextOf('c2'));
    await openProcess(log).execute(owner, ownerId, rename('Anna'), contextOf('c3'));
    const result = await aggregates.execute(owner, ownerId, command, contextOf('c4'), first.aggregate);
    if (isRejection(result)) {
      expect(result.rejection).toBe(expected);
    } else {
      expect(result.events.at(-1)?.type ?? null).toBe(expected);
      expect(result.aggregate).toEqual(await aggregates.loadAggregate(owner, ownerId));
    }
    expect(isChainValid(log.events)).toBe(true);
  });

  it('does not reject by an outdated aggregate: a rejection is checked against the store', async () => {
    await openProcess(log).execute(owner, ownerId, register, contextOf('c1'));
    const result = await aggregates.execute(owner, ownerId, addPack, contextOf('c2'), emptyAggregate(owner));
    expect(result).toMatchObject({ events: [{ type: 'PostPackAdded' }] });
  });
});

describe('a command that is repeated with the same id', () => {
  it('writes nothing more and returns its first result', async () => {
    await aggregates.execute(owner, ownerId, register, contextOf('c1'));
    const first = await aggregates.execute(owner, ownerId, addPack, contextOf('c2'));
    expect(await aggregates.execute(owner, ownerId, addPack, contextOf('c2'))).toEqual(first);
    expect(typesIn(log)).toEqual(['OwnerRegistered', 'PostPackAdded']);
  });

  it('returns all its events, also in another process after other commands', async () => {
    await aggregates.execute(owner, ownerId, register, contextOf('c1'));
    const change = { type: 'ChangeOwner', ownerId, name: 'Boris', plan: 'pro' } as const;
    const first = await aggregates.execute(owner, ownerId, change, contextOf('c2'));
    await aggregates.execute(owner, ownerId, rename('Clara'), contextOf('c3'));
    expect(await openProcess(log).execute(owner, ownerId, change, contextOf('c2'))).toEqual(first);
    expect(typesIn(log)).toEqual(['OwnerRegistered', 'OwnerRenamed', 'OwnerPlanChanged', 'OwnerRenamed']);
  });

  it('is not rejected if it was accepted before', async () => {
    const first = await aggregates.execute(owner, ownerId, register, contextOf('c1'));
    expect(await aggregates.execute(owner, ownerId, register, contextOf('c1'))).toEqual(first);
    expect(await aggregates.execute(owner, ownerId, register, contextOf('c1'), emptyAggregate(owner))).toEqual(first);
  });

  it('is a different command on another stream', async () => {
    await aggregates.execute(owner, 'own_1', register, contextOf('c1'));
    await aggregates.execute(owner, 'own_2', { ...register, ownerId: 'own_2' }, contextOf('c1'));
    expect(log.events.map(({ stream }) => stream)).toEqual(['owner-own_1', 'owner-own_2']);
  });
});

describe('an unavailable store', () => {
  const realNow = performance.now.bind(performance);
  /** Stops the clock by which an append is given up, so that a wait on a busy machine does not count. */
  const stopClock = (): void => {
    const stoppedAt = performance.now();
    performance.now = () => stoppedAt;
  };
  afterEach(() => {
    performance.now = realNow;
  });

  it('loses no event if responses are lost: the append is repeated', async () => {
    stopClock();
    await aggregates.execute(owner, ownerId, register, contextOf('c1'));
    log.faults.responsesToLose = 2;
    expect(await aggregates.execute(owner, ownerId, addPack, contextOf('c2'))).toMatchObject({
      events: [{ type: 'PostPackAdded' }],
    });
    expect(log.faults.responsesToLose).toBe(0);
    expect(typesIn(log)).toEqual(['OwnerRegistered', 'PostPackAdded']);
  });

  it('loses no event if others write before a lost response is repeated', async () => {
    stopClock();
    await aggregates.execute(owner, ownerId, register, contextOf('c1'));
    log.faults.responsesToLose = 1;
    const losing = aggregates.execute(owner, ownerId, addPack, contextOf('c2'));
    while (log.events.length < 2) await sleep(1);
    await openProcess(log).execute(owner, ownerId, rename('Boris'), contextOf('c3'));
    expect(await losing).toMatchObject({ aggregate: { revision: 1n } });
    expect(typesIn(log)).toEqual(['OwnerRegistered', 'PostPackAdded', 'OwnerRenamed']);
    expect(isChainValid(log.events)).toBe(true);
  });

  it('is waited for if it returns soon', async () => {
    stopClock();
    log.faults.isUnavailable = true;
    const waiting = aggregates.execute(owner, ownerId, register, contextOf('c1'), emptyAggregate(owner));
    await sleep(100);
    expect(log.events).toEqual([]);
    log.faults.isUnavailable = false;
    expect(await waiting).toMatchObject({ events: [{ type: 'OwnerRegistered' }] });
  });

  it('leads to Unavailable if it does not return; the command can then be repeated with its id', async () => {
    log.faults.isUnavailable = true;
    await expect(aggregates.execute(owner, ownerId, register, contextOf('c1'), emptyAggregate(owner))).rejects.toThrow(
      Unavailable,
    );
    log.faults.isUnavailable = false;
    await aggregates.execute(owner, ownerId, register, contextOf('c1'), emptyAggregate(owner));
    expect(typesIn(log)).toEqual(['OwnerRegistered']);
  });

  it.each([new NotAppended('the queue is full'), new StorageFailed('53100', 'disk full')])(
    'is not waited for if repeating is useless: $name',
    async (failure) => {
      const store = new MemoryEventStore({ log });
      let tries = 0;
      store.append = async () => {
        tries += 1;
        throw failure;
      };
      const refused = new AggregateStore(store, codec).execute(
        ...([owner, ownerId, register, contextOf('c1'), emptyAggregate(owner)] as const),
      );
      await expect(refused).rejects.toBe(failure);
      expect(tries).toBe(1);
    },
  );

  it('leads to Unavailable if every response is lost, and a repeated command finds its events', async () => {
    await aggregates.execute(owner, ownerId, register, contextOf('c1'));
    log.faults.responsesToLose = Infinity;
    await expect(aggregates.execute(owner, ownerId, addPack, contextOf('c2'))).rejects.toThrow(Unavailable);
    log.faults.responsesToLose = 0;
    expect(await aggregates.execute(owner, ownerId, addPack, contextOf('c2'))).toMatchObject({
      events: [{ type: 'PostPackAdded' }],
    });
    expect(typesIn(log)).toEqual(['OwnerRegistered', 'PostPackAdded']);
  });
});
