import { createHash } from 'node:crypto';
import { ScheduleDelivery } from '../../src/commands/delivery.js';
import { catalogue } from '../../src/domain/catalogue.js';
import { delivery } from '../../src/domain/delivery/delivery.decider.js';
import type { DeliveryBodyPartStored, DeliveryScheduled } from '../../src/domain/delivery/delivery.events.js';
import { AggregateStore, emptyAggregate } from '../../src/event-store/aggregate-store.js';
import { type CommandContext, EventCodec } from '../../src/event-store/codec.js';
import { DeliveryBodies } from '../../src/projections/webhook-deliveries/webhook-deliveries.queries.js';
import { MemoryEventStore, MemoryLog } from '../support/memory-event-store.js';

const ID = 'dlv_1';
const codec = new EventCodec(catalogue);
const context: CommandContext = {
  commandId: `schedule/${ID}`,
  at: 1_000,
  actor: 'system:schedule-deliveries',
  requestId: 'req_1',
  causationId: 'evt_1',
  correlationId: 'req_1',
  clientAddress: null,
};
const facts = { deliveryId: ID, outputId: 'whk_1', ownerId: 'own_1', kind: 'post.published', at: 1_000 } as const;
/** Returns a body in three parts, each of which has only this letter. */
const bodyOf = (letter: string) => JSON.stringify({ text: letter.repeat(1_500_000) });

let log: MemoryLog;
beforeEach(() => {
  log = new MemoryLog();
});

/** A store of a process that ends before or after one of its appends, counted from 0. */
class MortalStore extends MemoryEventStore {
  private appends = 0;

  constructor(
    private readonly killAt = Infinity,
    private readonly when: 'before' | 'after' = 'before',
  ) {
    super({ log });
  }

  override async append(...args: Parameters<MemoryEventStore['append']>) {
    const isLast = this.appends++ === this.killAt;
    if (isLast && this.when === 'before') throw new Error('killed');
    const result = await super.append(...args);
    if (isLast) throw new Error('killed');
    return result;
  }
}

const schedule = (body: string, store = new MortalStore()) =>
  new ScheduleDelivery(new AggregateStore(store, codec)).execute(context, { ...facts, body });

const readEvents = async () =>
  (await new MemoryEventStore({ log }).readStream(`delivery-${ID}`)).map(
    (stored) => codec.decode<DeliveryScheduled>(stored).data,
  );

const readBody = async () => {
  const [scheduled] = await readEvents();
  const row = { delivery_id: ID, body: scheduled!.body, parts: scheduled!.parts?.count ?? null };
  return new DeliveryBodies(new MemoryEventStore({ log }), codec).readBody(row);
};

/** Reads the body, and returns its letter; says so if the body is a mixture. */
const readLetter = async () => {
  const body = await readBody();
  if (body === null) return null;
  return ['a', 'b', 'c'].find((letter) => body === bodyOf(letter)) ?? 'a body that was never scheduled';
};

/** Stores the first parts of a body as earlier versions did, whose part ids do not depend on the body. */
const storeEarlierParts = async (body: string, most = Infinity) => {
  const aggregates = new AggregateStore(new MemoryEventStore({ log }), codec);
  const stream = `deliveryBody-${ID}`;
  const bytes = Buffer.from(body);
  let after = emptyAggregate({ initial: null });
  let index = 0;
  for (let from = 0; from < bytes.length && index < most; from += 600_000, index++) {
    const chunk = bytes.subarray(from, from + 600_000).toString('base64');
    const part: DeliveryBodyPartStored = { type: 'DeliveryBodyPartStored', data: { deliveryId: ID, index, chunk } };
    const each = { ...context, commandId: `${context.commandId}/part ${index}` };
    const { events, hash } = await aggregates.encodeEvents(stream, [part], after, each);
    after = { state: null, hash, ...(await aggregates.appendWithRetry(stream, after.revision, events)) };
  }
  return index;
};

describe('a body in parts', () => {
  it('is stored once and read as it was scheduled', async () => {
    await schedule(bodyOf('a'));
    await schedule(bodyOf('a'));
    expect(await readLetter()).toBe('a');
    expect(log.events).toHaveLength(4);
  });

  it.each([0, 1, 2, 3].flatMap((at) => [[at, 'before'] as const, [at, 'after'] as const]))(
    'is that of one attempt alone, if the process is killed at append %i (%s) and the body changes meanwhile',
    async (at, when) => {
      await expect(schedule(bodyOf('a'), new MortalStore(at, when))).rejects.toThrow('killed');
      await schedule(bodyOf('b'));
      await schedule(bodyOf('c'));
      const isScheduled = at === 3 && when === 'after';
      expect(await readLetter()).toBe(isScheduled ? 'a' : 'b');
      expect(await readEvents()).toHaveLength(1);
    },
  );

  it('is that of one attempt alone, however often the process is killed and the body changes back', async () => {
    for (const [letter, at] of [
      ['a', 2],
      ['b', 2],
      ['c', 3],
      ['b', 3],
    ] as const)
      await expect(schedule(bodyOf(letter), new MortalStore(at))).rejects.toThrow();
    await schedule(bodyOf('a'));
    expect(await readLetter()).toBe('a');
  });

  it('is read where an earlier version has stored it', async () => {
    const count = await storeEarlierParts(bodyOf('a'));
    const sha256 = createHash('sha256').update(bodyOf('a')).digest('hex');
    const command = { type: 'ScheduleDelivery', ...facts, body: null, parts: { count, sha256 } } as const;
    await new AggregateStore(new MemoryEventStore({ log }), codec).execute(delivery, ID, command, context);
    expect(await readLetter()).toBe('a');
  });

  it.each([1, 2, 3])('is whole where an earlier version was killed after %i parts of another', async (count) => {
    await storeEarlierParts(bodyOf('a'), count);
    await schedule(bodyOf('b'));
    expect(await readLetter()).toBe('b');
  });

  it('is not returned if what is stored is not what was scheduled', async () => {
    await schedule(bodyOf('a'));
    const stream = log.streams.get(`deliveryBody-${ID}`)!;
    stream[1] = { ...stream[1]!, data: stream[2]!.data };
    expect(await readLetter()).toBeNull();
    stream.splice(1);
    expect(await readLetter()).toBeNull();
  });
});
