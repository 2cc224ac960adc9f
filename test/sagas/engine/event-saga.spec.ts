import { channelPause, type ChannelPauseCommand } from '../../../src/domain/pause/pause.decider.js';
import type { ChannelPauseEvent } from '../../../src/domain/pause/pause.events.js';
import { Unavailable } from '../../../src/event-store/port.js';
import { ResourceOwners } from '../../../src/event-store/resource-owners.js';
import { type Degradation, Readiness } from '../../../src/health/readiness.js';
import { ClockDifference, EventTimes } from '../../../src/health/times.js';
import { systemClock } from '../../../src/kernel/clock.js';
import { newUuid } from '../../../src/kernel/ids.js';
import { type Log, silentLog } from '../../../src/kernel/log.js';
import { ReadModelBehind } from '../../../src/projections/engine/progress.js';
import { SharedResult } from '../../../src/runtime/shared-result.js';
import { EventSaga, type Reaction } from '../../../src/sagas/engine/event-saga.js';
import { until } from '../../e2e/until.js';
import { startTwoProcesses, type TwoProcesses } from '../../support/two-workers.js';

let two: TwoProcesses;
let processes: TwoProcesses['on'];
let owners: ResourceOwners;
beforeAll(async () => {
  two = await startTwoProcesses('60');
  processes = two.on;
  owners = new ResourceOwners(processes[0].store);
});
afterAll(() => two.stop());

let channels = 0;
const newChannel = (): string => `tgt_${++channels}`;

/** Pauses a channel once for each number of minutes; the numbers must increase. */
const pause = async (channelId: string, ...minutes: number[]): Promise<void> => {
  for (const count of minutes) {
    const how = { minutes: count, minuteMs: 60_000, source: 'temp-pause', postId: null } as const;
    await run({ type: 'PauseChannel', at: 0, channelId, ...how });
  }
};
const resume = (channelId: string): Promise<void> => run({ type: 'ResumeChannel', at: 0, channelId });
const run = async (command: ChannelPauseCommand): Promise<void> => {
  const origin = { actor: 'test', requestId: '', causationId: '', correlationId: '', clientAddress: null };
  const execution = { ...origin, commandId: newUuid(), at: command.at };
  await processes[0].aggregates.execute(channelPause, command.channelId, command, execution);
};

interface Saga {
  readonly seen: number[];
  /** Starts the saga in a process. @returns a function that stops it */
  readonly start: (process?: number, log?: Log, reactionMs?: number) => () => Promise<void>;
  readonly name: string;
}

const started: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of started.splice(0)) await stop();
});

/** Creates a saga that records the minutes of one channel's pauses. */
const createSaga = (channelId: string, more: Partial<Reaction<ChannelPauseEvent>> = {}): Saga => {
  const seen: number[] = [];
  const name = `records-${channelId}`;
  const reaction: Reaction<ChannelPauseEvent> = {
    name,
    types: ['ChannelPaused'],
    startsAt: 'beginning',
    lanes: 'stream',
    react: async (event) => {
      if (event.data.channelId === channelId && event.type === 'ChannelPaused') seen.push(event.data.until / 60_000);
    },
    ...more,
  };
  const start = (process = 0, log = silentLog, reactionMs = 60_000) => {
    const stopping = new AbortController();
    const running = new EventSaga(reaction, { ...processes[process]!, owners, log, settings: { reactionMs } }).run(
      stopping.signal,
    );
    const stop = async () => {
      stopping.abort();
      await running;
    };
    started.push(stop);
    return stop;
  };
  return { seen, start, name };
};
/** Lists what /readyz would say of a saga. */
const readDegradations = async ({ name }: Saga): Promise<readonly Degradation[]> => {
  const { pool, store, codec, leases } = processes[0];
  const connection = { id: null, problem: null, droppedSubscriptions: 0, lostConnections: 0 };
  const storeHead = new SharedResult(() => store.readHead(), 0);
  const secrets = async () => null;
  const sources = {
    pool,
    store,
    eventTimes: new EventTimes(store, codec),
    storeHead,
    connection: () => connection,
    failingWork: () => leases.failingWork.list(),
    clock: new ClockDifference(pool, systemClock),
    secrets,
    helpers: () => null,
    setAside: () => null,
    mediaStore: () => Promise.resolve(null),
    archive: () => null,
  };
  const { degraded } = await new Readiness(sources).read();
  return degraded.filter((one) => one.name === `saga/${name}`);
};
const readCheckpoint = async ({ name }: Saga): Promise<{ position: bigint; error: string | null } | undefined> => {
  const text = 'select position, error from ops_checkpoint where name = $1';
  return (await processes[0].pool.query(text, [`saga/${name}`])).rows[0] as never;
};
const waitUntilCaughtUp = (saga: Saga): Promise<true> =>
  until(`${saga.name} has caught up`, async () => {
    const head = await processes[0].store.readHead();
    const { rows } = await processes[0].pool.query('select from ops_parked_event where saga = $1', [
      `saga/${saga.name}`,
    ]);
    return rows.length === 0 && (await readCheckpoint(saga))?.position === head;
  });

describe('a saga', () => {
  it('receives the events of its types once and in order, live events too', async () => {
    const channel = newChannel();
    await pause(channel, 1, 2);
    await resume(channel);
    await pause(channel, 1);
    const saga = createSaga(channel);
    saga.start();
    await until('past events', () => saga.seen.length === 3);
    await resume(channel);
    await pause(channel, 3, 4, 5);
    await until('live events', () => saga.seen.length === 6);
    expect(saga.seen).toEqual([1, 2, 1, 3, 4, 5]);
  });

  it('continues at its checkpoint, also in another process', async () => {
    const channel = newChannel();
    const saga = createSaga(channel);
    const stop = saga.start(0);
    await pause(channel, 1, 2);
    await waitUntilCaughtUp(saga);
    await stop();
    await pause(channel, 3);
    saga.start(1);
    await waitUntilCaughtUp(saga);
    expect(saga.seen).toEqual([1, 2, 3]);
  });

  it('can start at the end of the log', async () => {
    const channel = newChannel();
    await pause(channel, 1, 2);
    const saga = createSaga(channel, { startsAt: 'now' });
    saga.start();
    await until('its checkpoint', () => readCheckpoint(saga));
    await pause(channel, 3);
    await waitUntilCaughtUp(saga);
    expect(saga.seen).toEqual([3]);
  });

  it('retries a failed event before any other, and shows the error at its checkpoint', async () => {
    const channel = newChannel();
    const seen: string[] = [];
    let works = false;
    const saga = createSaga(channel, {
      react: async ({ data }) => {
        if (data.channelId !== channel) return;
        seen.push('tried');
        if (!works) throw new Error('the chat does not answer');
        seen.push('done');
      },
    });
    saga.start();
    await pause(channel, 1, 2);
    const { error } = await until('the second try', async () => {
      const checkpoint = await readCheckpoint(saga);
      return seen.length >= 3 && checkpoint?.error ? checkpoint : null;
    });
    expect(seen).not.toContain('done');
    expect(error).toMatch(/^ChannelPaused [0-9a-f-]{36}: Error: the chat does not answer$/);
    const reason = `stopped at an event, which it keeps retrying: ${error}`;
    // A check that takes more than 3 s says nothing about sagas.
    const degraded = await until('it is degraded', async () => {
      const found = await readDegradations(saga);
      return found.length > 0 && found;
    });
    expect(degraded).toEqual([{ name: `saga/${saga.name}`, reason }]); // the event is of 1970
    works = true;
    await waitUntilCaughtUp(saga);
    expect(await readDegradations(saga)).toEqual([]);
    expect(seen.slice(-4)).toEqual(['tried', 'done', 'tried', 'done']);
    expect((await readCheckpoint(saga))!.error).toBeNull();
  });

  it('logs a failure as an error, and leaves outages and read models that are behind to the log of those', async () => {
    const channel = newChannel();
    const failures = [
      new Unavailable('read: unavailable'),
      new ReadModelBehind('posts'),
      new Error('the chat does not answer'),
    ];
    const lines: string[] = [];
    const add = (_: object, message: string): void => void lines.push(message);
    const saga = createSaga(channel, {
      react: async ({ data }) => {
        const failure = data.channelId === channel ? failures.shift() : undefined;
        if (failure) throw failure;
      },
    });
    saga.start(0, { ...silentLog, warn: add, error: add });
    await pause(channel, 1);
    await until('it has failed three times', () => failures.length === 0);
    await waitUntilCaughtUp(saga);
    expect(lines).toEqual(['saga failed to handle an event; retrying']);
  });

  it.each([
    ['is damaged', { metadata: '{}', data: '{' }, 'the event at STREAM@0 is damaged: '],
    ['a newer program has written', { metadata: '{"version":99}', data: '{}' }, 'ChannelResumed has version 99, but '],
  ])(
    'shows at its checkpoint that it cannot read an event that %s, and logs that as an error',
    async (_, text, reason) => {
      const channel = newChannel();
      const id = newUuid();
      const stream = `channelPause-${channel}`;
      const lines: string[] = [];
      const add = (_detail: object, message: string): void => void lines.push(message);
      const saga = createSaga(channel, { types: ['ChannelResumed'], startsAt: 'now', react: () => Promise.resolve() });
      saga.start(0, { ...silentLog, error: add });
      const { position } = await until('its checkpoint', () => readCheckpoint(saga));
      await processes[0].store.append(stream, 'noStream', [{ id, type: 'ChannelResumed', ...text }]);
      const stopped = await until('the error', async () => {
        const checkpoint = await readCheckpoint(saga);
        return checkpoint?.error && lines.length > 0 ? checkpoint : null;
      });
      expect(stopped.error).toContain(`ChannelResumed ${id}: UndecodableEvent: ${reason.replace('STREAM', stream)}`);
      expect(stopped.position).toBe(position);
      expect(new Set(lines)).toEqual(new Set(['saga stopped at an event that it cannot read; retrying']));
    },
  );

  it('receives the event again that was under way when its process ended', async () => {
    const channel = newChannel();
    const seen: string[] = [];
    let hangs = true;
    const saga = createSaga(channel, {
      react: async ({ data }, signal) => {
        if (data.channelId !== channel) return;
        seen.push('tried');
        if (hangs) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    });
    const stop = saga.start();
    await pause(channel, 1);
    await until('the reaction has started', () => seen.length === 1);
    await stop();
    hangs = false;
    saga.start();
    await waitUntilCaughtUp(saga);
    expect(seen).toEqual(['tried', 'tried']);
  });

  it('runs in one process at a time, and another one takes over', async () => {
    const channel = newChannel();
    const [first, second] = [createSaga(channel), createSaga(channel)];
    const stopFirst = first.start(0);
    await pause(channel, 1, 2);
    await waitUntilCaughtUp(first);
    second.start(1);
    await pause(channel, 3, 4);
    await waitUntilCaughtUp(first);
    expect([first.seen, second.seen]).toEqual([[1, 2, 3, 4], []]);
    await stopFirst();
    await pause(channel, 5);
    await until('the second has taken over', () => second.seen.length === 1);
    expect([first.seen.length, second.seen]).toEqual([4, [5]]);
  });
});
