import { Client } from 'pg';
import type { Infrastructure } from '../../../src/app/infrastructure.js';
import { until } from '../../e2e/until.js';
import { startTwoProcesses, type TwoProcesses } from '../../support/two-workers.js';
import { countPauses, pauseChannel, type Program, startProgram } from './pauses-projection.js';

let two: TwoProcesses;
let here: Infrastructure;
let program: Program;
let other: Client;
beforeAll(async () => {
  two = await startTwoProcesses('60');
  [here] = two.on;
  program = await startProgram(here, countPauses('fenced', 1));
  other = new Client({ connectionString: here.connectionString });
  await other.connect();
});
afterAll(async () => {
  await other.end();
  await program.stop();
  await two.stop();
});

it('a process does not apply events that another one, which took over its lease, has applied', async () => {
  const { progress } = program;
  expect(await progress.waitFor(['fenced'], await pauseChannel(here, 'tgt_1', 1), 120_000)).toBe(true);
  // The other process applies the next event. Only its move of the checkpoint matters here.
  await other.query('begin');
  await other.query(`select from ops_checkpoint where name = 'fenced' for update`);
  const applied = await pauseChannel(here, 'tgt_1', 2);
  await until('this process wants to move the checkpoint, too', async () => {
    const { rowCount } = await here.pool.query(`select from pg_stat_activity
      where datname = current_database() and application_name = 'program' and wait_event_type = 'Lock'`);
    return rowCount === 1;
  });
  await other.query(`update ops_checkpoint set position = $1 where name = 'fenced'`, [applied]);
  await other.query('commit');
  expect(await progress.waitFor(['fenced'], await pauseChannel(here, 'tgt_1', 3), 120_000)).toBe(true);
  expect(await program.readRows()).toEqual([{ channel_id: 'tgt_1', pauses: 2 }]);
});
