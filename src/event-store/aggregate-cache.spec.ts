import { channelPause } from '../domain/channel-pause/channel-pause.decider.js';
import { catalogue } from '../domain/catalogue.js';
import { newUuid } from '../kernel/ids.js';
import { EventCodec } from './codec.js';
import { MemoryEventStore } from './memory/memory-event-store.js';
import { Remembered } from './aggregate-cache.js';
import { Streams } from './aggregate-store.js';

const NOW = 1_000_000;
const MINUTE = 60_000;

const stage = () => {
  const streams = new Streams(new MemoryEventStore(), new EventCodec(catalogue));
  const pause = async (channelId: string, minutes: number) => {
    const execution = {
      commandId: newUuid(),
      at: NOW,
      actor: 'test',
      requestId: '',
      causationId: '',
      correlationId: '',
    };
    const asked = { at: NOW, minutes, minuteMs: MINUTE, source: 'management', postId: null } as const;
    await streams.run(channelPause, channelId, { type: 'Pause', channelId, ...asked }, execution);
  };
  return { streams, pause, pauses: new Remembered(streams, channelPause) };
};

describe('an aggregate that is remembered', () => {
  it('shows what others have appended since the last look', async () => {
    const { pause, pauses } = stage();
    expect((await pauses.load('tgt_1')).state.until).toBe(0);
    await pause('tgt_1', 5);
    expect(await pauses.load('tgt_1')).toMatchObject({ state: { until: NOW + 5 * MINUTE }, revision: 0n });
    await pause('tgt_1', 7);
    await pause('tgt_2', 9);
    expect(await pauses.load('tgt_1')).toMatchObject({ state: { until: NOW + 7 * MINUTE }, revision: 1n });
    expect((await pauses.load('tgt_2')).state.until).toBe(NOW + 9 * MINUTE);
  });

  it('is the same as the whole stream read at once', async () => {
    const { streams, pause, pauses } = stage();
    for (const minutes of [3, 1, 8, 13]) {
      await pause('tgt_1', minutes);
      await pauses.load('tgt_1');
    }
    expect(await pauses.load('tgt_1')).toEqual(await streams.load(channelPause, 'tgt_1'));
  });

  it('reads nothing twice', async () => {
    const { streams, pause, pauses } = stage();
    await pause('tgt_1', 5);
    await pauses.load('tgt_1');
    const asked: unknown[] = [];
    const read = streams.store.readStream.bind(streams.store);
    streams.store.readStream = async (stream, options) => (asked.push(options), read(stream, options));
    await pauses.load('tgt_1');
    expect(asked).toEqual([{ from: 1n }]);
  });
});
