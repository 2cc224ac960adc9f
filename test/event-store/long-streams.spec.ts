import { catalogue } from '../../src/domain/catalogue.js';
import { channelPause, PAUSE_MEMORY, projectPause } from '../../src/domain/pause/pause.decider.js';
import { AggregateStore, emptyAggregate } from '../../src/event-store/aggregate-store.js';
import { type CommandContext, EventCodec } from '../../src/event-store/codec.js';
import type { ReadStreamOptions } from '../../src/event-store/port.js';
import { type Decider, type DomainEvent, fold, streamOf } from '../../src/kernel/events.js';
import { newUuid } from '../../src/kernel/ids.js';
import { isRejection } from '../../src/kernel/result.js';
import { MemoryEventStore } from '../support/memory-event-store.js';

const codec = new EventCodec(catalogue);
const T = Date.UTC(2025, 2, 14);
const MINUTE = 60_000;

const contextOf = (commandId = newUuid()): CommandContext => ({
  commandId,
  at: T,
  actor: 'operator',
  requestId: 'req_1',
  causationId: commandId,
  correlationId: commandId,
  clientAddress: null,
});

/** A store that records its reads of streams. */
class RecordingStore extends MemoryEventStore {
  readonly reads: ReadStreamOptions[] = [];

  override async readStream(stream: string, options: ReadStreamOptions = {}) {
    this.reads.push(options);
    return super.readStream(stream, options);
  }
}

const pauses = [
  {
    name: 'project',
    decider: projectPause as unknown as Decider<object, unknown, DomainEvent>,
    target: { projectId: 'x_1' },
    types: ['PauseProject', 'ResumeProject'],
  },
  {
    name: 'channel',
    decider: channelPause as unknown as Decider<object, unknown, DomainEvent>,
    target: { channelId: 'x_1' },
    types: ['PauseChannel', 'ResumeChannel'],
  },
];

describe.each(pauses)('the long stream of the pause of a $name', ({ decider, target, types: [pause, resume] }) => {
  const pauseAt = (n: number, postId: string | null = n % 3 ? `post_${n}` : null) => ({
    type: pause,
    ...target,
    at: T + n * MINUTE,
    minutes: 1 + ((n * 7) % 60),
    minuteMs: MINUTE,
    source: postId ? 'publication' : 'management',
    postId,
  });
  const resumeAt = (n: number) => ({ type: resume, ...target, at: T + n * MINUTE });

  /** Writes the events of some thousand commands. Returns them, and the id of the last command that wrote one. */
  const writeHistory = async (store: MemoryEventStore) => {
    const aggregates = new AggregateStore(store, codec);
    const events: DomainEvent[] = [];
    let known = emptyAggregate(decider);
    for (let n = 0; events.length < 2 * PAUSE_MEMORY + 300; n++) {
      const decided = decider.decide(n % 11 === 0 ? resumeAt(n) : pauseAt(n), known.state);
      if (isRejection(decided)) throw new Error(decided.rejection);
      const encoded = await aggregates.encodeEvents(streamOf(decider, 'x_1'), decided, known, contextOf());
      if (decided.length === 0) continue;
      const { revision, position } = await aggregates.appendWithRetry(
        ...([streamOf(decider, 'x_1'), known.revision, encoded.events] as const),
      );
      events.push(...decided);
      const state = decided.reduce((folded, event) => decider.evolve(folded, event), known.state);
      known = { state, revision, position, hash: encoded.hash };
    }
    return { events, known };
  };

  it('is read from its end, and gives the same aggregate as all of its events', async () => {
    const store = new RecordingStore();
    const { events, known } = await writeHistory(store);
    expect(fold(decider, events)).toEqual(known.state);
    const aggregates = new AggregateStore(store, codec);
    expect(await aggregates.loadAggregate(decider, 'x_1')).toEqual(known);
    expect(store.reads).toEqual([{ direction: 'backwards', limit: PAUSE_MEMORY }]);
  });

  it('is continued by a command, which is recognised when it is repeated', async () => {
    const store = new RecordingStore();
    const { known } = await writeHistory(store);
    const aggregates = new AggregateStore(store, codec);
    const context = contextOf();
    const first = await aggregates.execute(decider, 'x_1', pauseAt(100_000, 'post_new'), context);
    expect(first).toMatchObject({ events: [{}], aggregate: { revision: known.revision + 1n } });
    expect(await aggregates.execute(decider, 'x_1', pauseAt(100_001, 'post_new'), context)).toEqual(first);
    expect(await aggregates.execute(decider, 'x_1', pauseAt(100_002, 'post_new'), contextOf())).toMatchObject({
      events: [],
    });
    expect(store.reads.every(({ limit }) => limit === PAUSE_MEMORY)).toBe(true);
    const [last, before] = await store.readStream(streamOf(decider, 'x_1'), { direction: 'backwards', limit: 2 });
    expect(codec.verifyHash(last!, codec.readEnvelope(before!).hash)).toBe(true);
  });
});
