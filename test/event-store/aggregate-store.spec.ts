import { setTimeout as sleep } from 'node:timers/promises';
import { catalogue } from '../../src/domain/catalogue.js';
import { owner, type OwnerCommand } from '../../src/domain/owner/owner.decider.js';
import { EventCodec, type Execution } from '../../src/event-store/codec.js';
import { MemoryEventStore, MemoryLog } from '../../src/event-store/memory/memory-event-store.js';
import { BEGINNING, type StoredEvent, Unavailable } from '../../src/event-store/port.js';
import { nothingYet, Streams } from '../../src/event-store/aggregate-store.js';
import { isRejection } from '../../src/kernel/result.js';

const codec = new EventCodec(catalogue);
const ownerId = 'own_1';
const stream = `owner-${ownerId}`;

const register: OwnerCommand = { type: 'RegisterOwner', ownerId, name: 'Anna', plan: 'free', keyHash: 'a1' };
const addPack: OwnerCommand = { type: 'AddPostPack', ownerId, posts: 100 };
const rename = (name: string): OwnerCommand => ({ type: 'ChangeOwner', ownerId, name });

const by = (commandId: string): Execution => ({
  ...{ commandId, at: 1_741_953_600_000, actor: 'operator', requestId: `req_${commandId}` },
  ...{ causationId: commandId, correlationId: 'story' },
});

/** A process over the log; two of them are two processes over one store. */
const processOver = (log: MemoryLog): Streams => new Streams(new MemoryEventStore({ log }), codec);

const typesIn = (log: MemoryLog): string[] => log.events.map(({ type }) => type);

/** The chain as an auditor walks it. */
const chainHolds = (events: readonly StoredEvent[]): boolean =>
  events.every((event, i) => {
    const before = i === 0 ? '' : codec.decode(events[i - 1]!).hash;
    return event.revision === BigInt(i) && codec.verify(event, before);
  });

let log: MemoryLog;
let streams: Streams;
beforeEach(() => {
  log = new MemoryLog();
  streams = processOver(log);
});

describe('running a command', () => {
  it('appends what it decides and answers the aggregate as it then stands', async () => {
    await streams.run(owner, ownerId, register, by('c1'));
    const decided = await streams.run(owner, ownerId, { ...rename('Boris'), plan: 'pro' } as OwnerCommand, by('c2'));
    expect(decided).toEqual({
      events: [
        { type: 'OwnerRenamed', data: { ownerId, name: 'Boris' } },
        { type: 'OwnerPlanChanged', data: { ownerId, plan: 'pro' } },
      ],
      after: await streams.load(owner, ownerId),
    });
    expect(await streams.load(owner, ownerId)).toMatchObject({
      state: { name: 'Boris', plan: 'pro', keyHash: 'a1' },
      revision: 2n,
      position: log.events.at(-1)!.position,
    });
  });

  it('appends nothing where it is rejected, or where nothing changes', async () => {
    expect(await streams.run(owner, ownerId, addPack, by('c1'))).toMatchObject({ rejection: 'not_found' });
    await streams.run(owner, ownerId, register, by('c2'));
    expect(await streams.run(owner, ownerId, rename('Anna'), by('c3'))).toEqual({
      events: [],
      after: await streams.load(owner, ownerId),
    });
    expect(typesIn(log)).toEqual(['OwnerRegistered']);
  });

  it('knows a stream that is not there as one to which nothing has happened', async () => {
    expect(await streams.load(owner, ownerId)).toEqual(nothingYet(owner));
    expect(nothingYet(owner)).toEqual({ state: null, revision: -1n, position: BEGINNING, hash: '' });
    expect(await streams.last(stream)).toBeNull();
  });

  it('writes who did it and why, and chains every event to the one before it', async () => {
    await streams.run(owner, ownerId, register, by('c1'));
    await streams.run(owner, ownerId, addPack, by('c2'));
    expect(await streams.last(stream)).toMatchObject({
      ...{ type: 'PostPackAdded', revision: 1n, version: 1, at: 1_741_953_600_000, actor: 'operator' },
      ...{ requestId: 'req_c2', causationId: 'c2', correlationId: 'story', data: { ownerId, posts: 100 } },
    });
    expect(chainHolds(log.events)).toBe(true);
  });

  it('goes on from what an earlier command left, without a read', async () => {
    const first = await streams.run(owner, ownerId, register, by('c1'), nothingYet(owner));
    if (isRejection(first)) throw new Error(first.rejection);
    await streams.run(owner, ownerId, addPack, by('c2'), first.after);
    expect(typesIn(log)).toEqual(['OwnerRegistered', 'PostPackAdded']);
    expect(chainHolds(log.events)).toBe(true);
  });
});

describe('a lost race', () => {
  it('is decided again on what the winner has written', async () => {
    const answers = await Promise.all(
      ['c1', 'c2', 'c3'].map((id) => processOver(log).run(owner, ownerId, register, by(id), nothingYet(owner))),
    );
    expect(answers.filter(isRejection)).toHaveLength(2);
    expect(answers.filter(isRejection)).toEqual([
      expect.objectContaining({ rejection: 'already_exists' }),
      expect.objectContaining({ rejection: 'already_exists' }),
    ]);
    expect(typesIn(log)).toEqual(['OwnerRegistered']);
  });

  it('loses no command: twenty at once from two processes are all written, in one unbroken chain', async () => {
    await streams.run(owner, ownerId, register, by('c0'));
    const processes = [processOver(log), processOver(log)];
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => processes[i % 2]!.run(owner, ownerId, addPack, by(`pack ${i}`))),
    );
    expect(typesIn(log)).toEqual(['OwnerRegistered', ...Array.from({ length: 20 }, () => 'PostPackAdded')]);
    expect(chainHolds(log.events)).toBe(true);
  });

  it.each([
    ['an event', addPack, 'PostPackAdded'],
    ['nothing', rename('Anna'), null],
    ['a rejection', register, 'already_exists'],
  ])('reads after all where what was known is out of date and leads to %s', async (_, command, expected) => {
    const first = await streams.run(owner, ownerId, register, by('c1'));
    if (isRejection(first)) throw new Error(first.rejection);
    await processOver(log).run(owner, ownerId, rename('Boris'), by('c2'));
    await processOver(log).run(owner, ownerId, rename('Anna'), by('c3'));
    const decided = await streams.run(owner, ownerId, command, by('c4'), first.after);
    if (isRejection(decided)) {
      expect(decided.rejection).toBe(expected);
    } else {
      expect(decided.events.at(-1)?.type ?? null).toBe(expected);
      expect(decided.after).toEqual(await streams.load(owner, ownerId));
    }
    expect(chainHolds(log.events)).toBe(true);
  });

  it('is not decided on what was known and is out of date: a rejection is checked against the store', async () => {
    await processOver(log).run(owner, ownerId, register, by('c1'));
    const decided = await streams.run(owner, ownerId, addPack, by('c2'), nothingYet(owner));
    expect(decided).toMatchObject({ events: [{ type: 'PostPackAdded' }] });
  });
});

describe('a command that is repeated with its id', () => {
  it('is the same command: it writes nothing more and answers what it wrote', async () => {
    await streams.run(owner, ownerId, register, by('c1'));
    const first = await streams.run(owner, ownerId, addPack, by('c2'));
    expect(await streams.run(owner, ownerId, addPack, by('c2'))).toEqual(first);
    expect(typesIn(log)).toEqual(['OwnerRegistered', 'PostPackAdded']);
  });

  it('is so for all its events, and from another process after other commands', async () => {
    await streams.run(owner, ownerId, register, by('c1'));
    const change = { type: 'ChangeOwner', ownerId, name: 'Boris', plan: 'pro' } as const;
    const first = await streams.run(owner, ownerId, change, by('c2'));
    await streams.run(owner, ownerId, rename('Clara'), by('c3'));
    expect(await processOver(log).run(owner, ownerId, change, by('c2'))).toEqual(first);
    expect(typesIn(log)).toEqual(['OwnerRegistered', 'OwnerRenamed', 'OwnerPlanChanged', 'OwnerRenamed']);
  });

  it('is no rejection where the first time was none', async () => {
    const first = await streams.run(owner, ownerId, register, by('c1'));
    expect(await streams.run(owner, ownerId, register, by('c1'))).toEqual(first);
    expect(await streams.run(owner, ownerId, register, by('c1'), nothingYet(owner))).toEqual(first);
  });

  it('is another command on another stream', async () => {
    await streams.run(owner, 'own_1', register, by('c1'));
    await streams.run(owner, 'own_2', { ...register, ownerId: 'own_2' }, by('c1'));
    expect(log.events.map(({ stream }) => stream)).toEqual(['owner-own_1', 'owner-own_2']);
  });
});

describe('a store that is away', () => {
  it('costs a repeat, not an event, where it loses answers', async () => {
    await streams.run(owner, ownerId, register, by('c1'));
    log.faults.loseAnswers = 2;
    expect(await streams.run(owner, ownerId, addPack, by('c2'))).toMatchObject({ events: [{ type: 'PostPackAdded' }] });
    expect(log.faults.loseAnswers).toBe(0);
    expect(typesIn(log)).toEqual(['OwnerRegistered', 'PostPackAdded']);
  });

  it('costs no event where others have written before the lost answer was repeated', async () => {
    await streams.run(owner, ownerId, register, by('c1'));
    log.faults.loseAnswers = 1;
    const losing = streams.run(owner, ownerId, addPack, by('c2'));
    while (log.events.length < 2) await sleep(1);
    await processOver(log).run(owner, ownerId, rename('Boris'), by('c3'));
    expect(await losing).toMatchObject({ after: { revision: 1n } });
    expect(typesIn(log)).toEqual(['OwnerRegistered', 'PostPackAdded', 'OwnerRenamed']);
    expect(chainHolds(log.events)).toBe(true);
  });

  it('is waited for where it comes back soon', async () => {
    log.faults.unavailable = true;
    const waiting = streams.run(owner, ownerId, register, by('c1'), nothingYet(owner));
    await sleep(100);
    expect(log.events).toEqual([]);
    log.faults.unavailable = false;
    expect(await waiting).toMatchObject({ events: [{ type: 'OwnerRegistered' }] });
  });

  it('is told as Unavailable where it does not; the command can be repeated with its id then', async () => {
    log.faults.unavailable = true;
    await expect(streams.run(owner, ownerId, register, by('c1'), nothingYet(owner))).rejects.toThrow(Unavailable);
    log.faults.unavailable = false;
    await streams.run(owner, ownerId, register, by('c1'), nothingYet(owner));
    expect(typesIn(log)).toEqual(['OwnerRegistered']);
  });

  it('is told as Unavailable where every answer is lost, and the repeat finds that it was written', async () => {
    await streams.run(owner, ownerId, register, by('c1'));
    log.faults.loseAnswers = Infinity;
    await expect(streams.run(owner, ownerId, addPack, by('c2'))).rejects.toThrow(Unavailable);
    log.faults.loseAnswers = 0;
    expect(await streams.run(owner, ownerId, addPack, by('c2'))).toMatchObject({ events: [{ type: 'PostPackAdded' }] });
    expect(typesIn(log)).toEqual(['OwnerRegistered', 'PostPackAdded']);
  });
});
