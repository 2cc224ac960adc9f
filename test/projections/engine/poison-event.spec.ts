import type { Infrastructure } from '../../../src/app/infrastructure.js';
import { projection } from '../../../src/domain/projection/projection.decider.js';
import type { Position } from '../../../src/event-store/port.js';
import { newUuid } from '../../../src/kernel/ids.js';
import type { Projection } from '../../../src/projections/engine/projection.js';
import { ProjectionStatuses } from '../../../src/projections/engine/projection-status.queries.js';
import { until } from '../../e2e/until.js';
import { startTwoProcesses, type TwoProcesses } from '../../support/two-workers.js';
import { countPauses, pauseChannel, type Program, startProgram } from './pauses-projection.js';

let two: TwoProcesses;
let here: Infrastructure;
let statuses: ProjectionStatuses;
let head: Position;
beforeAll(async () => {
  two = await startTwoProcesses('60');
  [here] = two.on;
  statuses = new ProjectionStatuses(here.pool, here.store, here.codec);
  for (const channel of ['tgt_1', 'tgt_poison', 'tgt_2']) head = await pauseChannel(here, channel, 1);
});
afterAll(() => two.stop());

const started: Program[] = [];
afterEach(async () => {
  for (const program of started.splice(0)) await program.stop();
});

const start = async (projection: Projection): Promise<Program> => {
  const program = await startProgram(here, projection);
  started.push(program);
  return program;
};

/** A projection that cannot apply the pause of one channel while it is broken. */
const breakable = (name: string, code = 1) => {
  const state = { isBroken: true };
  const counting = countPauses(name, code);
  const apply: Projection['apply'] = async (tx, events) => {
    await counting.apply(tx, events);
    if (state.isBroken && events.some(({ data }) => (data as { channelId: string }).channelId === 'tgt_poison'))
      throw new Error('boom');
  };
  return { state, projection: { ...counting, apply } };
};

const stopped = (name: string) =>
  until(`${name} has stopped`, async () => {
    const status = await statuses.find(name);
    return status?.state === 'stopped' && status;
  });

const skip = async (name: string): Promise<void> => {
  const { eventId, position, type: eventType, message: error } = (await statuses.findFailure(name))!;
  const origin = { actor: 'operator', requestId: '', causationId: '', correlationId: '', clientAddress: null };
  await here.aggregates.execute(
    projection,
    name,
    { type: 'SkipEvent', projection: name, eventId, position, eventType, error, reason: 'a test' },
    { ...origin, commandId: newUuid(), at: 0 },
  );
  await statuses.resume(name);
};

const COUNTED = (channel_id: string) => ({ channel_id, pauses: 1 });

describe('an event that a projection cannot apply', () => {
  it('stops it visibly at that event, with all before it applied, while others go on', async () => {
    const other = await start(countPauses('sound', 1));
    const program = await start(breakable('stopping').projection);
    const { error, skipped } = await stopped('stopping');
    expect(error).toMatchObject({ message: 'boom', type: 'ChannelPaused' });
    expect(skipped).toBe(0);
    const [event] = await here.store.readAll({ after: BigInt(error!.position) - 1n, limit: 1 });
    expect(event).toMatchObject({ id: error!.eventId, stream: 'channelPause-tgt_poison' });
    expect(await program.readRows()).toEqual([COUNTED('tgt_1')]);
    expect(await other.progress.waitFor(['sound'], head, 120_000)).toBe(true);
    expect((await statuses.find('sound'))?.state).toBe('live');
  });

  it('is tried again when the operator says so', async () => {
    const { state, projection: broken } = breakable('retried');
    const program = await start(broken);
    await stopped('retried');
    expect(await statuses.resume('retried')).toBe(true);
    await stopped('retried');
    state.isBroken = false;
    expect(await statuses.resume('retried')).toBe(true);
    expect(await program.progress.waitFor(['retried'], head, 120_000)).toBe(true);
    expect(await program.readRows()).toEqual(['tgt_1', 'tgt_2', 'tgt_poison'].map(COUNTED));
    expect(await statuses.find('retried')).toMatchObject({ state: 'live', error: null, skipped: 0 });
    expect(await statuses.resume('retried')).toBe(false);
  });

  it('is left out once it is skipped, also by later versions, until one can apply it', async () => {
    const program = await start(breakable('skipping').projection);
    await stopped('skipping');
    await skip('skipping');
    expect(await program.progress.waitFor(['skipping'], head, 120_000)).toBe(true);
    expect(await program.readRows()).toEqual(['tgt_1', 'tgt_2'].map(COUNTED));
    expect(await statuses.find('skipping')).toMatchObject({ state: 'live', error: null, skipped: 1 });

    const again = await start(breakable('skipping', 2).projection);
    expect(await again.progress.waitForOwnVersions(['skipping'], 60_000)).toBe(true);
    expect(await again.readRows()).toMatchObject(['tgt_1', 'tgt_2'].map(COUNTED));
    expect(await statuses.find('skipping')).toMatchObject({ version: 2, previous: 1, error: null, skipped: 1 });

    const { state, projection: mended } = breakable('skipping', 3);
    state.isBroken = false;
    const next = await start(mended);
    expect(await next.progress.waitForOwnVersions(['skipping'], 60_000)).toBe(true);
    expect(await next.readRows()).toMatchObject(['tgt_1', 'tgt_2', 'tgt_poison'].map(COUNTED));
    expect(await statuses.find('skipping')).toMatchObject({ version: 3, previous: 2, skipped: 1 });
  });
});
