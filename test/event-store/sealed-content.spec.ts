import { createLogger } from '../../src/config/logger.js';
import { catalogue } from '../../src/domain/catalogue.js';
import { AggregateStore, emptyAggregate } from '../../src/event-store/aggregate-store.js';
import { EventCodec, UndecodableEvent } from '../../src/event-store/codec.js';
import { ADDRESS, keyIdOf, openData, parsePaths, sealData, splitContent } from '../../src/event-store/content.js';
import { createContentKey } from '../../src/event-store/content-keys.js';
import { OpenedEventStore } from '../../src/event-store/opened-event-store.js';
import { type StoredEvent, Unavailable } from '../../src/event-store/port.js';
import type { Job } from '../../src/jobs/job.js';
import type { DomainEvent } from '../../src/kernel/events.js';
import { createPool } from '../../src/postgres/pool.js';
import { ContentKeyTable } from '../../src/secrets/content-keys.js';
import { claimDatabase } from '../../src/secrets/database-keys.js';
import { KeyRing } from '../../src/secrets/key-ring.js';
import { createResealHandler, RESEAL_SECRETS } from '../../src/secrets/reseal-job.js';
import { samples } from '../domain/samples.js';
import { MemoryEventStore, MemoryLog } from '../support/memory-event-store.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';

const log = createLogger({ logLevel: 'silent' });
const [A, B] = [1, 2].map((n) => Buffer.alloc(32, n)) as [Buffer, Buffer];
const NOVEMBER = Date.UTC(2026, 10, 15);
const IP = '203.0.113.7';
const ownerId = 'own_1';
const said = 'Привет, "secret" words';
const accepted: DomainEvent = {
  type: 'PostAccepted',
  data: { ...(samples['PostAccepted']!.at(-1) as object), ownerId, payload: { text: said } },
};

let postgres: TestPostgres;
let pool: ReturnType<typeof createPool>;
let events: MemoryLog;
beforeAll(async () => {
  postgres = await startTestPostgres({ migrated: true });
  pool = createPool(postgres.connectionString, { max: 8, applicationName: 'sealed-content-spec', logger: log });
  await claimDatabase(pool, new KeyRing(A));
});
afterAll(async () => {
  await pool.end();
  await postgres.stop();
});
beforeEach(async () => {
  events = new MemoryLog();
  await pool.query('truncate ops_content_key');
});

/** A process: its keys are cached, and its store has the same events and database as the others. */
const startProcess = (ring = new KeyRing(A)) => {
  const keys = new ContentKeyTable(pool, ring);
  const memory = new MemoryEventStore({ log: events });
  const store = new OpenedEventStore(memory, keys, log);
  const codec = new EventCodec(catalogue, keys);
  const aggregates = new AggregateStore(store, codec);
  let count = 0;
  const write = async (event: DomainEvent, place: { at?: number; stream?: string; ip?: string | null } = {}) => {
    const { at = NOVEMBER, stream = 'post-1', ip = IP } = place;
    const [last] = await store.readStream(stream, { direction: 'backwards', limit: 1 });
    const end = last ? { ...last, hash: codec.readEnvelope(last).hash } : emptyAggregate({ initial: null });
    const ids = { actor: 'operator', requestId: 'r', causationId: 'r', correlationId: 'r', clientAddress: ip };
    const context = { ...ids, at, commandId: `${stream}/${end.revision}/${++count}` };
    const encoded = await aggregates.encodeEvents(stream, [event], end, context);
    await aggregates.appendWithRetry(stream, end.revision, encoded.events);
  };
  const read = async (stream = 'post-1') => (await store.readStream(stream)).map((event) => codec.decode(event));
  return { keys, memory, store, codec, write, read };
};

const textOf = (stored: readonly StoredEvent[]): string =>
  JSON.stringify(stored.map(({ data, metadata }) => [data, metadata]));

describe('the content of an event (D-100)', () => {
  it('is in no text of the store, is opened by every process, and the hash is over the sealed form', async () => {
    const { write, memory, codec } = startProcess();
    await write(accepted);
    const stored = await memory.readStream('post-1');
    expect(textOf(stored)).not.toMatch(/secret|Привет|203\.0\.113|curl/);
    expect(JSON.parse(stored[0]!.data)).toMatchObject({
      ownerId,
      payload: null,
      request: { ip: null, route: 'publish' },
    });
    expect(codec.verifyHash(stored[0]!, '')).toBe(true);
    const [read] = await startProcess().read();
    expect(read).toMatchObject({ data: accepted.data, clientAddress: IP });
    expect(read).not.toHaveProperty('contentErased');
  });

  it('is sealed for every event type that declares content, and comes back as it was written', async () => {
    const { write, memory } = startProcess();
    const types = Object.keys(catalogue).filter((type) => catalogue[type]!.content);
    for (const type of types) await write({ type, data: samples[type]!.at(-1) }, { stream: `all-${type}`, ip: null });
    const reader = startProcess();
    for (const type of types) {
      const [read] = await reader.read(`all-${type}`);
      expect(read!.data).toStrictEqual(samples[type]!.at(-1));
    }
    const sealed = (await memory.readAll({ after: -1n, limit: 1_000 })).filter(({ data }) => keyIdOf(data) !== null);
    expect(sealed.length).toBeGreaterThan(types.length - 5); // some samples have no content
  });

  it('has one key for each owner and month, also if processes create it at the same moment', async () => {
    const writers = Array.from({ length: 6 }, () => startProcess());
    await Promise.all(writers.map(({ write }, i) => write(accepted, { stream: `post-${i}` })));
    await writers[0]!.write(accepted, { stream: 'post-december', at: Date.UTC(2026, 11, 1) });
    const { rows } = await pool.query('select owner_id, month from ops_content_key order by month');
    expect(rows).toEqual([
      { owner_id: ownerId, month: '2026-11' },
      { owner_id: ownerId, month: '2026-12' },
    ]);
  });

  it('belongs to the owner of the resource that an event names', async () => {
    const { write } = startProcess();
    await write(
      { type: 'ChannelConnected', data: samples['ChannelConnected']!.at(-1) },
      { stream: 'channel-tgt_9', ip: null },
    );
    const data = { channelId: 'tgt_9', until: 1, source: 'temp-pause', postId: null };
    await write({ type: 'ChannelPaused', data }, { stream: 'channelPause-tgt_9' });
    const { rows } = await pool.query('select owner_id from ops_content_key');
    expect(rows).toEqual([{ owner_id: (samples['ChannelConnected']!.at(-1) as { ownerId: string }).ownerId }]);
  });

  it('is null once the owner is erased: in events, in what processes remember, and in events that follow', async () => {
    const [one, other] = [startProcess(), startProcess()];
    await one.write(accepted);
    const [remembered] = await other.store.readStream('post-1');
    expect(other.codec.decodeCached(remembered!).data).toEqual(accepted.data);
    await one.keys.eraseOwner(ownerId);
    await other.write(accepted); // it still has the key
    await one.write(accepted);
    await other.keys.dropErased();
    const erased = { contentErased: true, clientAddress: null, data: { payload: null, request: { ip: null } } };
    expect(other.codec.decodeCached(remembered!)).toMatchObject(erased);
    for (const { read } of [one, other, startProcess()]) expect(await read()).toMatchObject([erased, erased, erased]);
    const { rows } = await pool.query('select sealed from ops_content_key where sealed is not null');
    expect(rows).toEqual([]);
    const chain = await one.memory.readStream('post-1');
    const hashes = ['', ...chain.map((event) => one.codec.readEnvelope(event).hash)];
    expect(chain.map((event, i) => one.codec.verifyHash(event, hashes[i]!))).toEqual([true, true, true]);
  });

  it('stays erased if a process inserts a key while the owner is erased', async () => {
    const late = startProcess();
    const eraser = startProcess();
    await Promise.all(
      Array.from({ length: 12 }, async (_, n) => {
        if (n === 6) await eraser.keys.eraseOwner(ownerId);
        else await late.write(accepted, { stream: `post-${n}`, at: Date.UTC(2026, n, 2) });
      }),
    );
    for (const month of [1, 7])
      await startProcess().write(accepted, { stream: 'post-last', at: Date.UTC(2027, month) });
    const { rows } = await pool.query('select month from ops_content_key where sealed is not null');
    expect(rows).toEqual([]);
  });

  it('cannot be moved to another event, and is refused if a byte of it is changed', async () => {
    const { write, memory, codec, store } = startProcess();
    await write(accepted);
    await write({ ...accepted, data: { ...(accepted.data as object), payload: { text: 'other' } } });
    const [first, second] = await store.readStream('post-1');
    expect(() => codec.decode({ ...second!, data: first!.data })).toThrow(/auth/);
    for (const data of [first!.data.slice(0, 200), first!.data.replace('.', '.!')])
      expect(() => codec.decode({ ...first!, data })).toThrow(UndecodableEvent);
    const at = first!.data.indexOf('.') + 30;
    const changed = `${first!.data.slice(0, at)}${first!.data[at] === 'A' ? 'B' : 'A'}${first!.data.slice(at + 1)}`;
    expect(() => codec.decode({ ...first!, data: changed })).toThrow(UndecodableEvent);
    expect(codec.verifyHash({ ...(await memory.readStream('post-1'))[0]!, data: changed }, '')).toBe(false);
  });

  it('is readable without keys where it was written before keys existed', async () => {
    const { memory, read } = startProcess();
    const before = new AggregateStore(memory, new EventCodec(catalogue));
    const ids = { actor: 'operator', requestId: 'r', causationId: 'r', correlationId: 'r', clientAddress: IP };
    const empty = emptyAggregate({ initial: null });
    const { events: plain } = await before.encodeEvents('post-1', [accepted], empty, { ...ids, at: 1, commandId: 'c' });
    expect(plain[0]!.data).toContain('secret');
    await memory.append('post-1', 'noStream', plain);
    expect(await read()).toMatchObject([{ data: accepted.data, clientAddress: IP }]);
    expect((await pool.query('select from ops_content_key')).rowCount).toBe(0);
  });

  it('is written byte for byte alike if a command is repeated, so that the hashes that follow fit', async () => {
    const ids = { actor: 'operator', requestId: 'r', causationId: 'r', correlationId: 'r', clientAddress: IP };
    const context = { ...ids, at: NOVEMBER, commandId: 'c' };
    const encode = () => {
      const { store, codec } = startProcess();
      return new AggregateStore(store, codec).encodeEvents(
        'post-1',
        [accepted],
        emptyAggregate({ initial: null }),
        context,
      );
    };
    expect(await encode()).toEqual(await encode());
    const { events: other } = await new AggregateStore(startProcess().store, startProcess().codec).encodeEvents(
      ...(['post-2', [accepted], emptyAggregate({ initial: null }), context] as const),
    );
    const nonces = [(await encode()).events[0]!, other[0]!].map(({ data }) => data.slice(data.indexOf('.'), 60));
    expect(new Set(nonces).size).toBe(2);
  });

  it('has a form that later programs still open', () => {
    const key = createContentKey('A'.repeat(22), Buffer.alloc(32, 7));
    const id = '00000000-0000-5000-8000-000000000000';
    const data = { postId: 'post_1', payload: { text: 'да' }, request: { ip: IP, route: 'publish' } };
    const { rest, content } = splitContent(data, parsePaths(['payload', 'request.ip', 'request.userAgent']));
    const sealed = sealData(key, id, rest, { [ADDRESS]: IP, ...content });
    expect(sealed).toBe(
      '{"sealed":"AAAAAAAAAAAAAAAAAAAAAA.WQQqrl+wg6dE/QJjOqf2RyjeaTcmoroPW6218A==wjl11imm4UDDkmOZ2EN9OqNFdr71NAQK9EL50jxklQHDtDQ+uGpSDN7j4EaiNQgStENZGaFYRvMw1l3L8ZtY1fmx7t5Xa+9QEAw=","postId":"post_1","payload":null,"request":{"ip":null,"route":"publish"}}',
    );
    expect(openData(key, id, sealed)).toEqual({ data, address: IP });
  });

  it('is refused while the database does not answer', async () => {
    const keys = new ContentKeyTable(
      { query: () => Promise.reject(new Error('Connection terminated')) },
      new KeyRing(A),
    );
    await expect(async () => keys.obtain(ownerId, NOVEMBER)).rejects.toThrow(Unavailable);
    await expect(keys.load(new Map([['x', 1]]))).rejects.toThrow(Unavailable);
  });

  it('survives a database that lost the newest keys, if a process still has them', async () => {
    const [one, other] = [startProcess(), startProcess()];
    await one.write(accepted);
    await pool.query('truncate ops_content_key'); // as a standby that lacks the last commits
    await other.write(accepted, { stream: 'post-2' }); // with a key of its own
    await expect(startProcess().read()).rejects.toThrow('content-keys import');
    await one.keys.putBack();
    for (const stream of ['post-1', 'post-2'])
      expect(await startProcess().read(stream)).toMatchObject([{ data: accepted.data }]);
    await one.keys.eraseOwner(ownerId);
    await other.keys.putBack();
    for (const stream of ['post-1', 'post-2'])
      expect(await startProcess().read(stream)).toMatchObject([{ contentErased: true }]);
  });

  it('opens with imported keys after new events were sealed with another key of the month', async () => {
    await startProcess().write(accepted);
    const exported = await startProcess().keys.listSealed('', 10);
    await pool.query('truncate ops_content_key');
    const { keys, read } = startProcess();
    await keys.obtain(ownerId, NOVEMBER);
    for (const key of exported) await keys.storeSealed(key);
    expect(await read()).toMatchObject([{ data: accepted.data }]);
  });

  it('stops readers again if keys go missing after others were given up', async () => {
    await startProcess().write(accepted);
    await pool.query('truncate ops_content_key');
    await startProcess().keys.giveUpMissing();
    expect(await startProcess().read()).toMatchObject([{ contentErased: true }]);
    await startProcess().write(accepted, { at: Date.now() + 60_000, stream: 'post-2' });
    await pool.query(`delete from ops_content_key where key_id <> '*'`);
    expect(await startProcess().read()).toMatchObject([{ contentErased: true }]);
    await expect(startProcess().read('post-2')).rejects.toThrow('content-keys import');
  });

  it('opens with the keys that another database exported, and keys are resealed with another SECRETS_KEY', async () => {
    await startProcess().write(accepted);
    await startProcess().keys.eraseOwner('own_2');
    const exported = await startProcess().keys.listSealed('', 10);
    await pool.query('truncate ops_content_key');
    const { keys, read } = startProcess();
    await expect(read()).rejects.toThrow('content-keys import');
    await keys.giveUpMissing();
    expect(await read()).toMatchObject([{ contentErased: true }]);
    await pool.query('truncate ops_content_key');
    for (const key of exported) await keys.storeSealed(key);
    for (const key of exported) await keys.storeSealed(key); // again
    expect(await keys.listSealed('', 10)).toMatchObject(exported.map(({ sealed: _, ...key }) => key));
    expect(await startProcess().read()).toMatchObject([{ data: accepted.data }]);

    const ring = new KeyRing(B, [A]);
    const job = { id: 'job_1', kind: RESEAL_SECRETS, params: { key: ring.first.id } } as unknown as Job;
    const context = { report: () => undefined, signal: new AbortController().signal };
    expect(await createResealHandler(pool, ring).run(job, context)).toMatchObject({ unreadable: 0 });
    expect(await startProcess(new KeyRing(B)).read()).toMatchObject([{ data: accepted.data }]);
    await expect(startProcess(new KeyRing(A)).read()).rejects.toThrow('cannot be decrypted');
    await createResealHandler(pool, new KeyRing(A, [B])).run(
      { ...job, params: { key: new KeyRing(A).first.id } },
      context,
    );
  });
});
