import { createLogger } from '../../src/config/logger.js';
import { catalogue } from '../../src/domain/catalogue.js';
import { owner, type OwnerCommand, type OwnerState } from '../../src/domain/owner/owner.decider.js';
import { AggregateCache, AggregateStore, type LoadedAggregate } from '../../src/event-store/aggregate-store.js';
import { type CommandContext, EventCodec } from '../../src/event-store/codec.js';
import type { ReadStreamOptions, StoredEvent } from '../../src/event-store/port.js';
import { type Snapshot, type Snapshots, SnapshotTable } from '../../src/event-store/snapshots.js';
import { newUuid } from '../../src/kernel/ids.js';
import { silentLog } from '../../src/kernel/log.js';
import { createPool } from '../../src/postgres/pool.js';
import { MemoryEventStore, MemoryLog } from '../support/memory-event-store.js';
import { startTestPostgres } from '../support/postgres.js';

const codec = new EventCodec(catalogue);
const ownerId = 'own_1';
const stream = `owner-${ownerId}`;
const EVENTS = 20_000;

const contextOf = (commandId = newUuid()): CommandContext => ({
  commandId,
  at: 1_741_953_600_000,
  actor: 'operator',
  requestId: 'req_1',
  clientAddress: null,
  causationId: commandId,
  correlationId: commandId,
});
const addPack: OwnerCommand = { type: 'AddPostPack', ownerId, posts: 1 };

/** Version of the owner's snapshots. */
const VERSION = owner.snapshotVersion!;

/** Snapshots in memory. */
class MemorySnapshots implements Snapshots {
  readonly rows = new Map<string, Snapshot>();

  async find(of: string, version: number) {
    return this.rows.get(`${of}/${version}`) ?? null;
  }

  async save(of: string, version: number, snapshot: Snapshot) {
    this.rows.set(`${of}/${version}`, snapshot);
  }

  get revision(): bigint | undefined {
    return this.rows.get(`${stream}/${VERSION}`)?.revision;
  }
}

/** A store that counts the events that it returns. */
class CountingStore extends MemoryEventStore {
  returned = 0;

  override async readStream(of: string, options: ReadStreamOptions = {}): Promise<StoredEvent[]> {
    const events = await super.readStream(of, options);
    this.returned += events.length;
    return events;
  }
}

let log: MemoryLog;
let snapshots: MemorySnapshots;
/** Creates a process that has read nothing yet. */
const openProcess = (with_: Snapshots | null = snapshots) => {
  const store = new CountingStore({ log });
  return { store, aggregates: new AggregateStore(store, codec, undefined, with_) };
};
const loadWhole = () => openProcess(null).aggregates.loadAggregate(owner, ownerId);

/** The log with the owner's events, from which each case starts. */
let history: MemoryLog;
beforeAll(async () => {
  log = history = new MemoryLog();
  const { aggregates, store } = openProcess(null);
  const register = { type: 'RegisterOwner', ownerId, name: 'Anna', plan: 'free', keyHash: 'a1' } as const;
  const created = await aggregates.execute(owner, ownerId, register, contextOf());
  if (!('aggregate' in created)) throw new Error(created.rejection);
  let { revision, position, hash } = created.aggregate;
  for (let n = 1; n < EVENTS;) {
    const events = Array.from({ length: Math.min(1_000, EVENTS - n) }, () => ({
      type: 'PostPackAdded',
      data: { ownerId, posts: 1 },
    }));
    const encoded = await aggregates.encodeEvents(stream, events, { revision, position, hash }, contextOf());
    ({ revision, position } = await store.append(stream, revision, encoded.events));
    ({ hash } = encoded);
    n += events.length;
  }
});
beforeEach(() => {
  log = new MemoryLog();
  log.events.push(...history.events);
  log.streams.set(stream, [...history.events]);
  log.appended = history.appended;
  snapshots = new MemorySnapshots();
});

describe('an aggregate with 20,000 events', () => {
  it('is read from a snapshot by every process but the first, with the same result', async () => {
    const whole = await loadWhole();
    expect(whole).toMatchObject({ revision: BigInt(EVENTS - 1), state: { packPosts: EVENTS - 1 } });
    expect(await openProcess().aggregates.loadAggregate(owner, ownerId)).toEqual(whole);
    expect(snapshots.revision).toBe(BigInt(EVENTS - 501));
    const { aggregates, store } = openProcess();
    expect(await aggregates.loadAggregate(owner, ownerId)).toEqual(whole);
    expect(store.returned).toBeLessThan(1_000);
    expect(await new AggregateCache(aggregates, owner).loadLatest(ownerId)).toEqual(whole);
  });

  it('gets the next snapshot once another 500 events have followed, and every state between is right', async () => {
    await openProcess().aggregates.loadAggregate(owner, ownerId);
    const { aggregates } = openProcess();
    for (let n = 0; n < 3; n++) {
      const packs = Array.from({ length: 200 }, () => ({ type: 'PostPackAdded', data: { ownerId, posts: 1 } }));
      const known = await aggregates.loadAggregate(owner, ownerId);
      const { events } = await aggregates.encodeEvents(stream, packs, known, contextOf());
      await aggregates.store.append(stream, known.revision, events);
      expect(await openProcess().aggregates.loadAggregate(owner, ownerId)).toEqual(await loadWhole());
    }
    expect(snapshots.revision).toBe(BigInt(EVENTS + 600 - 501));
  });

  it('is changed by commands, which are recognised among the last 500 events, and has a whole hash chain', async () => {
    await openProcess().aggregates.loadAggregate(owner, ownerId);
    const context = contextOf();
    const result = await openProcess().aggregates.execute(owner, ownerId, addPack, context);
    expect(result).toMatchObject({ events: [{}], aggregate: { revision: BigInt(EVENTS) } });
    expect(await openProcess().aggregates.execute(owner, ownerId, addPack, context)).toEqual(result);
    const { aggregates, store } = openProcess();
    const packs = Array.from({ length: 498 }, () => ({ type: 'PostPackAdded', data: { ownerId, posts: 1 } }));
    const { aggregate } = result as { aggregate: LoadedAggregate<OwnerState> };
    const encoded = await aggregates.encodeEvents(stream, packs, aggregate, contextOf());
    await store.append(stream, aggregate.revision, encoded.events);
    expect(await openProcess().aggregates.execute(owner, ownerId, addPack, context)).toEqual(result);
    const [last, before] = await store.readStream(stream, { direction: 'backwards', limit: 2 });
    expect(codec.verifyHash(last!, codec.readEnvelope(before!).hash)).toBe(true);
  });

  it('is read at an earlier revision, before and after the snapshot', async () => {
    await openProcess().aggregates.loadAggregate(owner, ownerId);
    for (const revision of [0, 900, EVENTS - 502, EVENTS - 501, EVENTS - 500, EVENTS - 1]) {
      const at = BigInt(revision);
      const { aggregates } = openProcess();
      expect(await aggregates.loadAggregateAt(owner, ownerId, at)).toEqual(
        await openProcess(null).aggregates.loadAggregateAt(owner, ownerId, at),
      );
    }
  });

  it('is read from its start if the snapshot has another version, or was made from another stream', async () => {
    const whole = await loadWhole();
    const state = JSON.stringify({ packPosts: 7 });
    snapshots.rows.set(`${stream}/${VERSION + 1}`, { revision: 10n, hash: 'x', state });
    expect(await openProcess().aggregates.loadAggregate(owner, ownerId)).toEqual(whole);
    for (const revision of [10n, BigInt(EVENTS + 5)]) {
      snapshots.rows.set(`${stream}/${VERSION}`, { revision, hash: 'of another event', state });
      expect(await openProcess().aggregates.loadAggregate(owner, ownerId)).toEqual(whole);
      expect(snapshots.revision).toBe(BigInt(EVENTS - 501)); // replaced
    }
  });
});

describe('the table of snapshots', () => {
  it('keeps the newest snapshot of each version, and replaces one of another history', async () => {
    const postgres = await startTestPostgres({ migrated: true });
    const logger = createLogger({ logLevel: 'fatal' });
    const pool = createPool(postgres.connectionString, { max: 1, applicationName: 'test', logger });
    const table = new SnapshotTable(pool, silentLog);
    const at = (revision: bigint, hash = `hash ${revision}`) => ({ revision, hash, state: `{"at":${revision}}` });
    expect(await table.find(stream, 1)).toBeNull();
    await table.save(stream, 1, at(5n));
    await table.save(stream, 2, at(6n));
    await table.save(stream, 1, at(9_007_199_254_740_993n));
    expect(await table.find(stream, 1)).toEqual(at(9_007_199_254_740_993n));
    expect(await table.find(stream, 2)).toEqual(at(6n));
    await table.save(stream, 1, at(3n, 'restored'));
    expect(await table.find(stream, 1)).toEqual(at(3n, 'restored'));
    await pool.query('drop table ops_snapshot');
    expect(await table.find(stream, 1)).toBeNull();
    await table.save(stream, 1, at(4n));
    await pool.end();
    await postgres.stop();
  });
});
