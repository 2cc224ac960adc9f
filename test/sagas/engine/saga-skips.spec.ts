import type { CommandOutcome } from '../../../src/commands/command.js';
import { SkipSagaEvent } from '../../../src/commands/saga.js';
import type { OwnerEvent } from '../../../src/domain/owner/owner.events.js';
import { ResourceOwners } from '../../../src/event-store/resource-owners.js';
import { newUuid } from '../../../src/kernel/ids.js';
import { silentLog } from '../../../src/kernel/log.js';
import { EventSaga, type Reaction } from '../../../src/sagas/engine/event-saga.js';
import { type SagaStatus, SagaStatuses } from '../../../src/sagas/engine/saga-status.queries.js';
import { until } from '../../e2e/until.js';
import { startTwoProcesses, type TwoProcesses } from '../../support/two-workers.js';

let two: TwoProcesses;
let processes: TwoProcesses['on'];
let owners: ResourceOwners;
let statuses: SagaStatuses;
let skips: SkipSagaEvent;
beforeAll(async () => {
  two = await startTwoProcesses('60');
  processes = two.on;
  const [{ pool, store, codec, aggregates }] = processes;
  owners = new ResourceOwners(store);
  statuses = new SagaStatuses(pool, store, codec);
  skips = new SkipSagaEvent(aggregates, statuses);
});
afterAll(() => two.stop());

const started: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of started.splice(0)) await stop();
});

type React = (name: string, signal: AbortSignal) => Promise<void>;

let sagas = 0;
/** Creates a saga that starts at the present end of the log and reacts to the names in its own events. */
const createSaga = async (react: React) => {
  const saga = `follows-${String.fromCharCode(97 + sagas++)}`;
  const type = 'OwnerRegistered';
  const reaction: Reaction<OwnerEvent> = {
    name: saga,
    types: [type],
    startsAt: 'beginning',
    lanes: 'owner',
    react: async (event, signal) => {
      if (event.type === type && event.stream === `owner-${saga}`) await react(event.data.name, signal);
    },
  };
  const [{ pool, store }] = processes;
  await pool.query('insert into ops_checkpoint (name, version, code, position) values ($1, 1, 1, $2)', [
    ...[`saga/${saga}`, await store.readHead()],
  ]);
  const append = async (...names: readonly (string | null)[]): Promise<void> => {
    const metadata = {
      version: 1,
      at: 0,
      actor: 'test',
      request_id: '',
      causation_id: '',
      correlation_id: '',
      ip: null,
    };
    const events = names.map((name) => ({
      id: newUuid(),
      type,
      metadata: JSON.stringify({ ...metadata, hash: '' }),
      data: name === null ? '{' : JSON.stringify({ ownerId: saga, name }),
    }));
    await store.append(`owner-${saga}`, 'noStream', events);
  };
  const start = (process: number, reactionMs = 60_000) => {
    const stopping = new AbortController();
    const on = { ...processes[process]!, owners, log: silentLog, settings: { reactionMs } };
    const running = new EventSaga(reaction, on).run(stopping.signal);
    const stop = async () => {
      stopping.abort();
      await running;
    };
    started.push(stop);
    return stop;
  };
  return { saga, append, start };
};

const skip = (saga: string, position: string | null, handler = skips): Promise<CommandOutcome> => {
  const origin = { actor: 'operator', requestId: '', causationId: '', correlationId: '', clientAddress: null };
  return handler.execute({ ...origin, commandId: newUuid(), at: 0 }, saga, position, 'a test');
};
const failing = (saga: string): Promise<SagaStatus & { error: NonNullable<SagaStatus['error']> }> =>
  until(`${saga} fails`, async () => {
    const status = await statuses.find(saga);
    return status?.error ? { ...status, error: status.error } : null;
  });
/** Waits until a saga has handled all its events. */
const live = (saga: string): Promise<unknown> =>
  until(`${saga} has handled its events`, async () => {
    const [status, events] = await Promise.all([statuses.find(saga), processes[0].store.readStream(`owner-${saga}`)]);
    return status?.state === 'live' && status.position >= events.at(-1)!.position;
  });
const countSkips = async (saga: string): Promise<number> =>
  (await processes[0].store.readStream(`saga-${saga}`)).length;

describe('an event that a saga cannot read', () => {
  it('stops it at that event, and is left out once an operator says so, in any process', async () => {
    const seen: string[] = [];
    const { saga, append, start } = await createSaga(async (name) => void seen.push(name));
    await append('first', null, 'third', null, 'fifth');
    const stop = start(0);
    const { error, state, position } = await failing(saga);
    expect(state).toBe('stopped');
    expect(error).toMatchObject({ type: 'OwnerRegistered', message: expect.stringContaining('is damaged') });
    const damaged = await processes[0].store.readStream(`owner-${saga}`, { from: 1n, limit: 1 });
    expect(error).toMatchObject({ eventId: damaged[0]!.id, position: String(damaged[0]!.position) });
    expect(position).toBeLessThan(damaged[0]!.position);
    start(1);
    expect(await skip(saga, String(damaged[0]!.position + 1n))).toMatchObject({ rejection: 'not_stopped' });
    expect(await skip(saga, error.position)).toMatchObject({ position: expect.anything() });
    const { error: second } = await until('it has stopped at the second one', async () => {
      const status = await failing(saga);
      return status.error.position !== error.position && status;
    });
    // The same call again leaves out nothing.
    expect(await skip(saga, error.position)).toMatchObject({ rejection: 'not_stopped' });
    expect(seen).toEqual(['first', 'third']);
    await stop();
    await skip(saga, second.position);
    await live(saga);
    expect(seen).toEqual(['first', 'third', 'fifth']);
    expect(await statuses.find(saga)).toMatchObject({ skipped: 2, error: null });
    expect(await skip(saga, null)).toMatchObject({ rejection: 'not_stopped' });
    expect(await countSkips(saga)).toBe(2);
  });

  it('is left out after a crash between the decision and the checkpoint', async () => {
    const { saga, append, start } = await createSaga(() => Promise.resolve());
    await append(null, 'second');
    const stop = start(0);
    const { error } = await failing(saga);
    await stop();
    const killed = () => Promise.reject(new Error('killed'));
    const dying = {
      findFailure: (name: string) => statuses.findFailure(name),
      resume: killed,
    } as unknown as SagaStatuses;
    const handler = new SkipSagaEvent(processes[0].aggregates, dying);
    await expect(skip(saga, error.position, handler)).rejects.toThrow('killed');
    // The saga did not hear of it: the event still fails, and a repeated call adds no decision.
    await skip(saga, error.position);
    expect(await countSkips(saga)).toBe(1);
    start(1);
    await live(saga);
    expect(await countSkips(saga)).toBe(1);
  });
});

it('shows an idle saga at the end of the log: its checkpoint moves over events of other types', async () => {
  const { saga, append, start } = await createSaga(() => Promise.resolve());
  await append('first');
  start(0);
  await live(saga);
  const metadata = { version: 1, at: 0, actor: 'test', request_id: '', causation_id: '', correlation_id: '', ip: null };
  const other = { id: newUuid(), type: 'OwnerRenamed', data: '{}', metadata: JSON.stringify(metadata) };
  await processes[0].store.append(`renamed-${saga}`, 'noStream', [other]);
  const { lagEvents, lagSeconds } = await until('it is level', async () => {
    const status = await statuses.find(saga);
    return status!.position === status!.head && status;
  });
  expect([lagEvents, lagSeconds]).toEqual([0, 0]);
});

describe('a reaction that always fails', () => {
  it('is shown with its error, and its event left out; the others are handled once', async () => {
    const seen: string[] = [];
    const { saga, append, start } = await createSaga(async (name) => {
      seen.push(name);
      if (name === 'poison') throw new Error('boom');
    });
    await append('first', 'poison', 'third');
    start(0);
    const { error } = await failing(saga);
    expect(error.message).toMatch(/^OwnerRegistered [0-9a-f-]{36}: Error: boom$/);
    await until('it is tried again', () => seen.filter((name) => name === 'poison').length > 2);
    await skip(saga, error.position);
    await live(saga);
    expect(seen.filter((name) => name !== 'poison')).toEqual(['first', 'third']);
  });
});

describe('a reaction that hangs', () => {
  /** A reaction that hangs, and counts how many of its tries run at a time. */
  const hanging = (endsWithSignal: boolean) => {
    const state = { hangs: true, tries: 0, running: 0, mostRunning: 0, end: (): void => undefined };
    const react: React = async (name, signal) => {
      if (name !== 'slow') return;
      state.tries++;
      state.mostRunning = Math.max(state.mostRunning, ++state.running);
      if (state.hangs)
        await new Promise<void>((resolve) => {
          state.end = resolve;
          if (endsWithSignal) signal.addEventListener('abort', () => resolve());
        });
      state.running--;
    };
    return { state, react };
  };

  it('ends at its limit, counts as failed although it resolves, and is tried again', async () => {
    const { state, react } = hanging(true);
    const { saga, append, start } = await createSaga(react);
    await append('slow', 'next');
    start(0, 50);
    const { error } = await failing(saga);
    expect(error.message).toMatch(/ReactionTooSlow: the reaction reached its time limit of 0\.05 s$/);
    await until('it is tried again', () => state.tries > 2);
    state.hangs = false;
    await live(saga);
    expect(state.mostRunning).toBe(1);
    expect(await statuses.find(saga)).toMatchObject({ error: null, skipped: 0 });
  });

  it('is not tried again beside the first try if it does not end at its limit', async () => {
    const { state, react } = hanging(false);
    const { saga, append, start } = await createSaga(react);
    await append('slow', 'next');
    start(0, 50);
    start(1, 50);
    expect((await failing(saga)).state).toBe('stopped');
    expect(state.tries).toBe(1);
    state.hangs = false;
    state.end();
    await live(saga);
    expect([state.tries, state.mostRunning]).toEqual([2, 1]);
  });

  it('is left behind when an operator leaves its event out', async () => {
    const { state, react } = hanging(false);
    const { saga, append, start } = await createSaga(react);
    await append('slow', 'next');
    start(0, 50);
    const { error } = await failing(saga);
    await skip(saga, error.position);
    await live(saga);
    expect([state.tries, state.running]).toEqual([1, 1]);
    state.end();
  });
});
