import { setTimeout as sleep } from 'node:timers/promises';
import type { Infrastructure } from '../../../src/app/infrastructure.js';
import { DecisionRecorder } from '../../../src/commands/projection.js';
import { translation } from '../../../src/domain/translation/translation.decider.js';
import type { CommandContext } from '../../../src/event-store/codec.js';
import type { EventStore, Position } from '../../../src/event-store/port.js';
import { JobTable } from '../../../src/jobs/job.js';
import { streamOf } from '../../../src/kernel/events.js';
import { newId, newUuid } from '../../../src/kernel/ids.js';
import { isRejection } from '../../../src/kernel/result.js';
import { withTransaction } from '../../../src/postgres/pool.js';
import { audit } from '../../../src/projections/audit/audit.projection.js';
import { createRebuildHandler } from '../../../src/projections/engine/rebuild/rebuild-job.js';
import { Decisions, Rebuilds } from '../../../src/projections/engine/rebuild/rebuilds.js';
import { until } from '../../e2e/until.js';
import { startTwoProcesses, type TwoProcesses } from '../../support/two-workers.js';
import { type Program, startProgram } from './pauses-projection.js';

let two: TwoProcesses;
let on: Infrastructure;
let program: Program;
let rebuilds: Rebuilds;
/** Streams whose events no reader of the log receives any more, not even a lane of another process from its memory. */
const deleted = new Set<string>();
beforeAll(async () => {
  two = await startTwoProcesses('60');
  [on] = two.on;
  const subscribe: EventStore['subscribe'] = async function* (options) {
    for await (const batch of on.store.subscribe(options))
      yield { ...batch, events: batch.events.filter(({ stream }) => !deleted.has(stream)) };
  };
  program = await startProgram({ ...on, store: override(on.store, { subscribe }) }, audit);
  expect(await program.progress.waitForOwnVersions(['audit'], 60_000)).toBe(true);
  rebuilds = new Rebuilds(on.pool, on.store, [audit], new Decisions(on.pool, new DecisionRecorder(on.aggregates)));
});
afterAll(async () => {
  await program.stop();
  await two.stop();
});

const override = (store: EventStore, part: Partial<EventStore>): EventStore =>
  Object.assign(Object.create(store) as EventStore, part);

const newContext = (): CommandContext => {
  const origin = { actor: 'system:test', requestId: 'r', causationId: 'r', correlationId: 'r', clientAddress: null };
  return { ...origin, commandId: newUuid(), at: Date.now() };
};

/** Stores a translation and waits until the live version has its entry. */
const storeTranslation = async (): Promise<{ readonly stream: string; readonly position: Position }> => {
  const id = newUuid();
  const command = { type: 'StoreTranslation', postId: 'post_1', text: 'Hallo', places: [] } as const;
  const result = await on.aggregates.execute(translation, id, command, newContext());
  if (isRejection(result)) throw new Error(String(result.rejection));
  const { position } = result.aggregate;
  expect(await program.progress.waitFor(['audit'], position, 60_000)).toBe(true);
  return { stream: streamOf(translation, id), position };
};

/** Stores a translation that the candidate's lane, which waits for its checkpoint, has not read when it is deleted. */
const storeUnseen = async (): Promise<Position> => {
  await storeTranslation();
  await until('the lane of the candidate waits', async () => {
    const text = `select from pg_stat_activity where application_name = 'program' and wait_event_type = 'Lock'`;
    return (await on.pool.query(text)).rowCount !== 0;
  });
  const { stream, position } = await storeTranslation();
  await on.store.deleteStream(stream);
  deleted.add(stream);
  return position;
};

const isListed = async (position: Position): Promise<boolean> =>
  (await on.pool.query('select from audit.entry where position = $1', [position])).rowCount === 1;

describe('an exchange of versions keeps what was deleted before the other version came to it', () => {
  it('while its job compared it', async () => {
    let compare = (): void => undefined;
    const isCompared = new Promise<void>((resolve) => (compare = resolve));
    let arrive = (): void => undefined;
    const hasLocked = new Promise<void>((resolve) => (arrive = resolve));
    // The comparison reads the skipped events when it holds the candidate's checkpoint.
    const readStream: EventStore['readStream'] = async (...all) => {
      arrive();
      await isCompared;
      return on.store.readStream(...all);
    };
    const deps = { ...on, store: override(on.store, { readStream }) };
    const job = await rebuilds.start('audit', 'auto', newId('job'), newContext());
    const { signal } = new AbortController();
    const running = createRebuildHandler(deps, rebuilds, [audit]).run(job, { signal, report: () => undefined });
    await hasLocked;
    const position = await storeUnseen();
    compare();
    expect(await running).toMatchObject({ promoted: true });
    expect(await isListed(position)).toBe(true);
  });

  it('while an operator asked for it', async () => {
    const job = await rebuilds.start('audit', 'manual', newId('job'), newContext());
    const { version } = job.params as { readonly version: number };
    const checkpoint = 'from ops_checkpoint where name = $1 and version = $2';
    await until('the candidate is level', async () => {
      const { rows } = await on.pool.query<{ level: boolean }>(`select level ${checkpoint}`, ['audit', version]);
      return rows[0]!.level;
    });
    // A promotion gives up if the candidate is behind for 5 s, which a busy machine exceeds: here no time passes.
    const realNow = performance.now.bind(performance);
    const startedAt = performance.now();
    let position: Position;
    performance.now = () => startedAt;
    try {
      const held = await withTransaction(on.pool, async (tx) => {
        await tx.query(`select ${checkpoint} for update`, ['audit', version]);
        const unseen = await storeUnseen();
        const promoting = rebuilds.promote('audit', newContext());
        await sleep(200);
        return { position: unseen, promotion: promoting };
      });
      ({ position } = held);
      await held.promotion;
    } finally {
      performance.now = realNow;
    }
    await new JobTable(on.pool).end(job.id, 'done', null);
    expect(await isListed(position)).toBe(true);
  });
});
