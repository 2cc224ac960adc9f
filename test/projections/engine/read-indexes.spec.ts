import type { Infrastructure } from '../../../src/app/infrastructure.js';
import { projectionsOf } from '../../../src/app/modules/read-models.js';
import { newId } from '../../../src/kernel/ids.js';
import { tableSchema } from '../../../src/projections/engine/projection.js';
import { readVersions, VersionStore } from '../../../src/projections/engine/version-store.js';
import { until } from '../../e2e/until.js';
import { startTwoProcesses, type TwoProcesses } from '../../support/two-workers.js';
import { startProgram } from './pauses-projection.js';

let two: TwoProcesses;
let on: Infrastructure;
beforeAll(async () => {
  two = await startTwoProcesses('60');
  [on] = two.on;
});
afterAll(() => two.stop());

const listIndexes = async (schema: string): Promise<string[]> => {
  const { rows } = await on.pool.query<{ text: string }>(
    `select replace(indexdef, $1 || '.', '') as text from pg_indexes where schemaname = $1 order by 1`,
    [schema],
  );
  return rows.map(({ text }) => text);
};

const deferring = projectionsOf({ minuteMs: 60_000 }).filter(({ readIndexes }) => readIndexes !== undefined);

it.each(deferring.map((projection) => [projection.name, projection] as const))(
  'a candidate of %s has all indexes once it is level',
  async (name, projection) => {
    const program = await startProgram(on, projection);
    try {
      expect(await program.progress.waitForOwnVersions([name], 60_000)).toBe(true);
      await new VersionStore(on.pool, projection, on.store).createRebuild(() => Promise.resolve(newId('job')));
      const { live, candidate } = (await readVersions(on.pool, name))!;
      await until('the candidate is level', async () => {
        const text = 'select level from ops_checkpoint where name = $1 and version = $2';
        return (await on.pool.query<{ level: boolean }>(text, [name, candidate!.version])).rows[0]?.level === true;
      });
      const expected = await listIndexes(tableSchema(name, live.version));
      expect(expected.length).toBeGreaterThan(5);
      expect(await listIndexes(tableSchema(name, candidate!.version))).toEqual(expected);
    } finally {
      await program.stop();
    }
  },
);
