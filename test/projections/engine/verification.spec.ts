import type { Infrastructure } from '../../../src/app/infrastructure.js';
import type { Projection } from '../../../src/projections/engine/projection.js';
import {
  type VerificationResult,
  verifyProjection,
} from '../../../src/projections/engine/verification/verify-projection.js';
import { startTwoProcesses, type TwoProcesses } from '../../support/two-workers.js';
import { countPauses, pauseChannel, type Program, startProgram } from './pauses-projection.js';

let two: TwoProcesses;
let here: Infrastructure;
let program: Program;
const projection: Projection = countPauses('verified', 1);
beforeAll(async () => {
  two = await startTwoProcesses('60');
  [here] = two.on;
  program = await startProgram(here, projection);
  for (const channel of ['tgt_1', 'tgt_2', 'tgt_3']) await pauseChannel(here, channel, 1);
  await catchUp();
});
afterAll(async () => {
  await program.stop();
  await two.stop();
});

/** Waits until the read model has applied every event. */
const catchUp = async (): Promise<void> =>
  expect(await program.progress.waitFor(['verified'], await here.store.readHead(), 120_000)).toBe(true);

const verify = async (): Promise<VerificationResult> => {
  const context = { signal: new AbortController().signal, report: () => undefined };
  return (await verifyProjection(here, projection, context))!;
};

describe('a verification of a read model', () => {
  it('finds nothing where live equals a fresh replay, while events go on', async () => {
    const stopping = new AbortController();
    const load = (async () => {
      for (let i = 0; !stopping.signal.aborted; i++) await pauseChannel(here, `tgt_load_${i}`, 1);
    })();
    for (let i = 0; i < 3; i++)
      expect(await verify()).toMatchObject({ missing: 0, extra: 0, different: 0, examples: [] });
    stopping.abort();
    await load;
    const left = await here.pool.query(`select from pg_namespace where nspname = 'verified_fresh'`);
    expect(left.rowCount).toBe(0);
  });

  it('finds each row that is missing, extra or different, with the events that name it', async () => {
    await catchUp(); // with the load of the test before
    const { rows } = await verify();
    await here.pool.query(`delete from verified_v1.channel where channel_id = 'tgt_1'`);
    await here.pool.query(`update verified_v1.channel set pauses = 9 where channel_id = 'tgt_2'`);
    await here.pool.query(`insert into verified_v1.channel values ('tgt_none', 1)`);
    const { examples, ...totals } = await verify();
    expect(totals).toMatchObject({ rows, missing: 1, extra: 1, different: 1 });
    const eventsOf = async (id: string) => (await here.store.readStream(`channelPause-${id}`)).map((event) => event.id);
    const row = (channel_id: string, pauses: number) => ({ channel_id, pauses });
    expect(examples).toEqual([
      {
        table: 'channel',
        key: 'tgt_2',
        kind: 'different',
        events: await eventsOf('tgt_2'),
        live: row('tgt_2', 9),
        fresh: row('tgt_2', 1),
      },
      { table: 'channel', key: 'tgt_none', kind: 'extra', live: row('tgt_none', 1), fresh: null, events: [] },
      {
        table: 'channel',
        key: 'tgt_1',
        kind: 'missing',
        events: await eventsOf('tgt_1'),
        live: null,
        fresh: row('tgt_1', 1),
      },
    ]);
  });

  it('shows up to twenty examples of each kind', async () => {
    await here.pool.query(`insert into verified_v1.channel select 'none_' || n, 1 from generate_series(1, 30) n`);
    const { extra, examples } = await verify();
    expect(extra).toBe(31);
    expect(examples.filter(({ kind }) => kind === 'extra')).toHaveLength(20);
  });
});
