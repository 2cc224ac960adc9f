import { channelPause, type ChannelPauseCommand } from '../../../src/domain/channel-pause/channel-pause.decider.js';
import type { ChannelPauseEvent } from '../../../src/domain/channel-pause/channel-pause.events.js';
import { silentLog } from '../../../src/kernel/log.js';
import { newUuid } from '../../../src/kernel/ids.js';
import { EventSaga, type Reaction } from '../../../src/sagas/engine/event-saga.js';
import { until } from '../../e2e/until.js';
import { startTwoProcesses, type TwoProcesses } from '../../support/processes.js';

let two: TwoProcesses;
let processes: TwoProcesses['on'];
beforeAll(async () => {
  two = await startTwoProcesses('60');
  processes = two.on;
});
afterAll(() => two.stop());

let channels = 0;
const newChannel = (): string => `tgt_${++channels}`;

/** Pauses a channel for so many minutes, each time for longer; what it is told of last concerns the saga. */
const pause = async (channelId: string, ...minutes: number[]): Promise<void> => {
  for (const count of minutes) {
    const how = { minutes: count, minuteMs: 60_000, source: 'temp-pause', postId: null } as const;
    await run({ type: 'Pause', at: 0, channelId, ...how });
  }
};
const resume = (channelId: string): Promise<void> => run({ type: 'Resume', at: 0, channelId });
const run = async (command: ChannelPauseCommand): Promise<void> => {
  const origin = { actor: 'test', requestId: '', causationId: '', correlationId: '' };
  const execution = { ...origin, commandId: newUuid(), at: command.at };
  await processes[0].streams.run(channelPause, command.channelId, command, execution);
};

interface Saga {
  readonly seen: number[];
  /** Starts it, in a process; answers how to stop it. */
  readonly start: (process?: number) => () => Promise<void>;
  readonly name: string;
}

const started: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of started.splice(0)) await stop();
});

/** A saga that notes the minutes of one channel's pauses. */
const notesPauses = (channelId: string, more: Partial<Reaction<ChannelPauseEvent>> = {}): Saga => {
  const seen: number[] = [];
  const name = `notes-${channelId}`;
  const reaction: Reaction<ChannelPauseEvent> = {
    name,
    types: ['ChannelPaused'],
    startsAt: 'beginning',
    react: async (event) => {
      if (event.data.channelId === channelId && event.type === 'ChannelPaused') seen.push(event.data.until / 60_000);
    },
    ...more,
  };
  const start = (process = 0) => {
    const stopping = new AbortController();
    const running = new EventSaga(reaction, { ...processes[process]!, log: silentLog }).run(stopping.signal);
    const stop = async () => {
      stopping.abort();
      await running;
    };
    started.push(stop);
    return stop;
  };
  return { seen, start, name };
};
const checkpointOf = async ({ name }: Saga): Promise<{ position: bigint; error: string | null } | undefined> => {
  const text = 'select position, error from ops_checkpoint where name = $1';
  return (await processes[0].pool.query(text, [`saga/${name}`])).rows[0] as never;
};
const isLevel = (saga: Saga): Promise<true> =>
  until(`${saga.name} is level`, async () => {
    const head = await processes[0].store.head();
    return (await checkpointOf(saga))?.position === head && true;
  });

describe('a saga', () => {
  it('is told of the events of its types, each once, in order; live ones too', async () => {
    const channel = newChannel();
    await pause(channel, 1, 2);
    await resume(channel);
    await pause(channel, 1);
    const saga = notesPauses(channel);
    saga.start();
    await until('the past', () => saga.seen.length === 3);
    await resume(channel);
    await pause(channel, 3, 4, 5);
    await until('the present', () => saga.seen.length === 6);
    expect(saga.seen).toEqual([1, 2, 1, 3, 4, 5]);
  });

  it('goes on where it was, in another process too', async () => {
    const channel = newChannel();
    const saga = notesPauses(channel);
    const stop = saga.start(0);
    await pause(channel, 1, 2);
    await isLevel(saga);
    await stop();
    await pause(channel, 3);
    saga.start(1);
    await isLevel(saga);
    expect(saga.seen).toEqual([1, 2, 3]);
  });

  it('that is new may leave the past alone', async () => {
    const channel = newChannel();
    await pause(channel, 1, 2);
    const saga = notesPauses(channel, { startsAt: 'now' });
    saga.start();
    await until('its checkpoint', () => checkpointOf(saga));
    await pause(channel, 3);
    await isLevel(saga);
    expect(saga.seen).toEqual([3]);
  });

  it('is told again of an event that it could not take, before any other, and says so meanwhile', async () => {
    const channel = newChannel();
    const seen: string[] = [];
    let works = false;
    const saga = notesPauses(channel, {
      react: async ({ data }) => {
        if (data.channelId !== channel) return;
        seen.push('asked');
        if (!works) throw new Error('the chat does not answer');
        seen.push('done');
      },
    });
    saga.start();
    await pause(channel, 1, 2);
    const { error } = await until('it was asked again', async () => {
      const checkpoint = await checkpointOf(saga);
      return seen.length >= 3 && checkpoint?.error ? checkpoint : null;
    });
    expect(seen).not.toContain('done');
    expect(error).toMatch(/^ChannelPaused [0-9a-f-]{36}: Error: the chat does not answer$/);
    works = true;
    await isLevel(saga);
    expect(seen.slice(-4)).toEqual(['asked', 'done', 'asked', 'done']);
    expect((await checkpointOf(saga))!.error).toBeNull();
  });

  it('is told again of what it was at when its process ended', async () => {
    const channel = newChannel();
    const seen: string[] = [];
    let hangs = true;
    const saga = notesPauses(channel, {
      react: async ({ data }, signal) => {
        if (data.channelId !== channel) return;
        seen.push('asked');
        if (hangs) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    });
    const stop = saga.start();
    await pause(channel, 1);
    await until('it is at it', () => seen.length === 1);
    await stop();
    hangs = false;
    saga.start();
    await isLevel(saga);
    expect(seen).toEqual(['asked', 'asked']);
  });

  it('runs in one process at a time; another takes over', async () => {
    const channel = newChannel();
    const [first, second] = [notesPauses(channel), notesPauses(channel)];
    const stopFirst = first.start(0);
    await pause(channel, 1, 2);
    await isLevel(first);
    second.start(1);
    await pause(channel, 3, 4);
    await isLevel(first);
    expect([first.seen, second.seen]).toEqual([[1, 2, 3, 4], []]);
    await stopFirst();
    await pause(channel, 5);
    await until('the second has taken over', () => second.seen.length === 1);
    expect([first.seen.length, second.seen]).toEqual([4, [5]]);
  });
});
