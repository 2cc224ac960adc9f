import { MemoryEventStore } from '../../test/support/memory-event-store.js';
import { catalogue } from '../domain/catalogue.js';
import { channelPause } from '../domain/pause/pause.decider.js';
import { newUuid } from '../kernel/ids.js';
import { AggregateCache, AggregateStore } from './aggregate-store.js';
import { EventCodec } from './codec.js';

const NOW = 1_000_000;
const MINUTE = 60_000;

const createHarness = () => {
  const aggregates = new AggregateStore(new MemoryEventStore(), new EventCodec(catalogue));
  const pause = async (channelId: string, minutes: number) => {
    const context = {
      commandId: newUuid(),
      at: NOW,
      actor: 'test',
      requestId: '',
      clientAddress: null,
      causationId: '',
      correlationId: '',
    };
    const request = { at: NOW, minutes, minuteMs: MINUTE, source: 'management', postId: null } as const;
    await aggregates.execute(channelPause, channelId, { type: 'PauseChannel', channelId, ...request }, context);
  };
  return { aggregates, pause, pauses: new AggregateCache(aggregates, channelPause) };
};

describe('AggregateCache', () => {
  it('returns events that were appended since the last read', async () => {
    const { pause, pauses } = createHarness();
    expect((await pauses.loadLatest('tgt_1')).state.until).toBe(0);
    await pause('tgt_1', 5);
    expect(await pauses.loadLatest('tgt_1')).toMatchObject({ state: { until: NOW + 5 * MINUTE }, revision: 0n });
    await pause('tgt_1', 7);
    await pause('tgt_2', 9);
    expect(await pauses.loadLatest('tgt_1')).toMatchObject({ state: { until: NOW + 7 * MINUTE }, revision: 1n });
    expect((await pauses.loadLatest('tgt_2')).state.until).toBe(NOW + 9 * MINUTE);
  });

  it('returns the same aggregate as reading the whole stream', async () => {
    const { aggregates, pause, pauses } = createHarness();
    for (const minutes of [3, 1, 8, 13]) {
      await pause('tgt_1', minutes);
      await pauses.loadLatest('tgt_1');
    }
    expect(await pauses.loadLatest('tgt_1')).toEqual(await aggregates.loadAggregate(channelPause, 'tgt_1'));
  });

  it('reads no event twice', async () => {
    const { aggregates, pause, pauses } = createHarness();
    await pause('tgt_1', 5);
    await pauses.loadLatest('tgt_1');
    const reads: unknown[] = [];
    const read = aggregates.store.readStream.bind(aggregates.store);
    aggregates.store.readStream = async (stream, options) => (reads.push(options), read(stream, options));
    await pauses.loadLatest('tgt_1');
    expect(reads).toEqual([{ from: 1n }]);
  });
});
