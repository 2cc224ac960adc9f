import { setTimeout as sleep } from 'node:timers/promises';
import type { OwnerRegistered } from '../../../src/domain/owner/owner.events.js';
import { ResourceOwners } from '../../../src/event-store/resource-owners.js';
import { newUuid } from '../../../src/kernel/ids.js';
import { silentLog } from '../../../src/kernel/log.js';
import { EventSaga } from '../../../src/sagas/engine/event-saga.js';
import { SagaStatuses } from '../../../src/sagas/engine/saga-status.queries.js';
import { until } from '../../e2e/until.js';
import { startTwoProcesses, type TwoProcesses } from '../../support/two-workers.js';

let two: TwoProcesses;
let processes: TwoProcesses['on'];
let statuses: SagaStatuses;
beforeAll(async () => {
  two = await startTwoProcesses('60');
  processes = two.on;
  const [{ pool, store, codec }] = processes;
  statuses = new SagaStatuses(pool, store, codec);
});
afterAll(() => two.stop());

const started: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of started.splice(0)) await stop();
});

const TYPE = 'OwnerRegistered';
let sagas = 0;

/** Creates a saga that reacts to the names in its own events, each of which concerns an owner. */
const createSaga = async (react: (owner: string, name: string) => Promise<void>, needed?: Promise<boolean>) => {
  const saga = `lanes-${String.fromCharCode(97 + sagas++)}`;
  const [{ pool, store }] = processes;
  await pool.query('insert into ops_checkpoint (name, version, code, position) values ($1, 1, 1, $2)', [
    ...[`saga/${saga}`, await store.readHead()],
  ]);
  let revision = -1n;
  const append = async (...events: readonly (readonly [owner: string, name: string])[]): Promise<bigint[]> => {
    const origin = { actor: 'test', request_id: '', causation_id: '', correlation_id: '', ip: null };
    const metadata = JSON.stringify({ version: 1, at: 0, ...origin, hash: '' });
    const stored = events.map(([owner, name]) => {
      return { id: newUuid(), type: TYPE, metadata, data: JSON.stringify({ ownerId: owner, name }) };
    });
    await store.append(`owner-${saga}`, revision < 0n ? 'noStream' : revision, stored);
    const from = revision + 1n;
    revision += BigInt(events.length);
    return (await store.readStream(`owner-${saga}`, { from })).map(({ position }) => position);
  };
  const start = (process = 0) => {
    const reaction = {
      name: saga,
      types: [TYPE] as const,
      startsAt: 'beginning' as const,
      lanes: 'owner' as const,
      ...(needed && { needs: 'discovery' }),
      react: async ({ stream, data }: { stream: string; data: OwnerRegistered['data'] }) => {
        if (stream === `owner-${saga}`) await react(data.ownerId, data.name);
      },
    };
    const stopping = new AbortController();
    const owners = new ResourceOwners(processes[process]!.store);
    const on = { ...processes[process]!, owners, log: silentLog, settings: { reactionMs: 60_000 } };
    if (needed) on.progress = Object.assign(Object.create(on.progress), { waitFor: () => needed });
    const running = new EventSaga<OwnerRegistered>(reaction, on).run(stopping.signal);
    const stop = async () => {
      stopping.abort();
      await running;
    };
    started.push(stop);
    return stop;
  };
  const readParked = async (): Promise<{ lane: string; position: bigint; bytes: number }[]> => {
    const text = 'select lane, position, bytes from ops_parked_event where saga = $1 order by position';
    return (await pool.query(text, [`saga/${saga}`])).rows as never;
  };
  const isDone = async (): Promise<boolean> => {
    const status = await statuses.find(saga);
    return status?.state === 'live' && status.position >= (await store.readStream(`owner-${saga}`)).at(-1)!.position;
  };
  return { saga, append, start, readParked, isDone };
};

const numbered = (owner: string, count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => [owner, String(from + i)] as const);

/** A reaction that fails or waits for some owners, and records what it has done. */
const createReaction = () => {
  const done: string[] = [];
  const failing = new Set<string>();
  const held = new Map<string, Promise<void>>();
  const react = async (owner: string, name: string) => {
    if (failing.has(owner)) throw new Error(`${owner} fails`);
    await held.get(owner);
    done.push(`${owner} ${name}`);
  };
  const of = (owner: string) => done.filter((one) => one.startsWith(`${owner} `)).map((one) => one.split(' ')[1]);
  return { done, failing, held, react, of };
};

describe('lanes of a saga (D-82)', () => {
  it('a failing lane stops no other, and is handled in order once it works again', async () => {
    const { failing, react, of } = createReaction();
    const { saga, append, start, isDone, readParked } = await createSaga(react);
    failing.add('own_stuck');
    start();
    const [first] = await append(['own_stuck', '0'], ['own_free', '0'], ...numbered('own_stuck', 120, 1));
    await append(...numbered('own_free', 120, 1), ...numbered('own_stuck', 10, 121));
    await until('the other owner has everything', () => of('own_free').length === 121);
    const status = await until('the failing event is shown', async () => {
      const found = await statuses.find(saga);
      return found?.error && found;
    });
    expect(status).toMatchObject({ state: 'stopped', error: { position: String(first) }, position: first! - 1n });
    await until('the rest is parked', async () => (await readParked()).length === 131);
    failing.clear();
    await until('everything is done', isDone);
    expect(of('own_stuck')).toEqual(numbered('own_stuck', 131).map(([, name]) => name));
    expect(of('own_free')).toEqual(numbered('own_free', 121).map(([, name]) => name));
    expect(await readParked()).toEqual([]);
  });

  it('parks nothing while the read model that all events need is behind', async () => {
    const { held, react, of } = createReaction();
    let show: (isShown: true) => void = () => undefined;
    const shown = new Promise<boolean>((resolve) => (show = resolve));
    held.set('own_model', shown as Promise<unknown> as Promise<void>);
    const { append, start, isDone, readParked } = await createSaga(react, shown);
    start();
    await append(...numbered('own_model', 80));
    await sleep(500); // five times as long as a batch waits for its reactions
    const parked = await readParked();
    show(true);
    expect(parked).toEqual([]);
    await until('everything is done', isDone);
    expect(of('own_model')).toEqual(numbered('own_model', 80).map(([, name]) => name));
  });

  it('a lane whose reaction takes long stops no other, whatever is behind it', async () => {
    const { held, react, of } = createReaction();
    const { append, start, isDone } = await createSaga(react);
    let release = (): void => undefined;
    held.set('own_slow', new Promise((resolve) => (release = resolve)));
    start();
    await append(...numbered('own_slow', 300), ['own_quick', '0']);
    await until('the other owner has its event', () => of('own_quick').length === 1);
    expect(of('own_slow')).toEqual([]);
    release();
    await until('everything is done', isDone);
    expect(of('own_slow')).toEqual(numbered('own_slow', 300).map(([, name]) => name));
  });

  it('a process that takes over continues the lanes that the former has left', async () => {
    const { done, failing, react, of } = createReaction();
    const { append, start, isDone, readParked } = await createSaga(react);
    failing.add('own_a').add('own_b');
    const stop = start(0);
    await append(...numbered('own_a', 60), ...numbered('own_b', 60), ['own_c', '0']);
    await until('the third has its event', () => done.length === 1);
    await until('the others are parked', async () => (await readParked()).length === 120);
    await stop();
    failing.delete('own_a');
    start(1);
    await append(['own_a', '60'], ['own_b', '60']);
    await until('the first has everything', () => of('own_a').length === 61);
    failing.clear();
    await until('everything is done', isDone);
    for (const owner of ['own_a', 'own_b']) expect(of(owner)).toEqual(numbered(owner, 61).map(([, name]) => name));
  });

  it('shows the oldest of several failing events, and then the next', async () => {
    const { failing, react, done } = createReaction();
    const { saga, append, start, isDone } = await createSaga(react);
    failing.add('own_a').add('own_b');
    start();
    const [first, second] = await append(['own_a', '0'], ['own_b', '0'], ['own_c', '0']);
    const shows = (position: bigint | undefined) =>
      until(`${position} is shown`, async () => (await statuses.find(saga))?.error?.position === String(position));
    await shows(first);
    failing.delete('own_a');
    await shows(second);
    expect(done).toEqual(['own_c 0', 'own_a 0']);
    failing.clear();
    await until('everything is done', isDone);
  });

  it('leaves out a parked event that the log no longer contains', async () => {
    const { failing, react, of } = createReaction();
    const { saga, append, start, isDone, readParked } = await createSaga(react);
    failing.add('own_a');
    const stop = start();
    await append(...numbered('own_a', 3));
    await until('they are parked', async () => (await readParked()).length === 3);
    await stop();
    const [, second] = await readParked();
    const replaced = 'update ops_parked_event set event_id = $3 where saga = $1 and position = $2';
    await processes[0].pool.query(replaced, [`saga/${saga}`, second!.position, newUuid()]);
    failing.clear();
    start();
    await until('everything is done', isDone);
    expect(of('own_a')).toEqual(['0', '2']);
  });
});
