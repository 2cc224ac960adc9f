import { Client } from 'pg';
import { createLogger } from '../../../src/config/logger.js';
import { migrate } from '../../../src/postgres/migrations.js';
import { migrations } from '../../../src/postgres/migrations/all.js';
import { startTestPostgres, type TestPostgres } from '../../support/postgres.js';

let postgres: TestPostgres;
let workers: Client[];
beforeAll(async () => {
  postgres = await startTestPostgres();
  await migrate(postgres.connectionString, migrations, createLogger({ logLevel: 'error' }));
  workers = [1, 2, 3].map(() => new Client({ connectionString: postgres.connectionString }));
  for (const worker of workers) await worker.connect();
});
afterAll(async () => {
  for (const worker of workers) await worker.end();
  await postgres.stop();
});

interface Ask {
  readonly ask: number;
  readonly key: string;
  readonly limits: readonly (readonly [calls: number, perMs: number])[];
}
interface Turn {
  readonly ask: number;
  /** Seconds. */
  readonly at: number;
  readonly wait_ms: number;
}

const take = async (worker: number, asks: readonly Ask[]): Promise<Turn[]> => {
  const text = 'select ask, extract(epoch from turn)::float8 as at, wait_ms from ops_take_turns($1)';
  return (await workers[worker]!.query<Turn>(text, [JSON.stringify(asks)])).rows;
};
let budgets = 0;
const newKey = (): string => `account/${++budgets}`;

describe('the pace towards a network (networks.md §3)', () => {
  it('holds together over workers that ask at the same time: at most so many in any sliding second', async () => {
    const [key, limits] = [newKey(), [[10, 1_000]] as const];
    const ofWorker = async (worker: number): Promise<number[]> => {
      const at: number[] = [];
      for (let i = 0; i < 5; i++) {
        const asks = Array.from({ length: 4 }, (_, ask) => ({ ask, key, limits }));
        at.push(...(await take(worker, asks)).map((turn) => turn.at));
      }
      return at;
    };
    const turns = (await Promise.all([0, 1, 2].map(ofWorker))).flat().sort((a, b) => a - b);
    expect(turns).toHaveLength(60);
    for (let i = 10; i < turns.length; i++) expect(turns[i]! - turns[i - 10]!).toBeGreaterThan(0.999_99);
  });

  it('keeps several limits of one budget', async () => {
    const [key, limits] = [
      newKey(),
      [
        [1, 1_000],
        [3, 10_000],
      ] as const,
    ];
    const asks = Array.from({ length: 7 }, (_, ask) => ({ ask, key, limits }));
    const turns = await take(0, asks);
    const rounded = turns.map(({ at }) => Math.round(at - turns[0]!.at));
    expect(rounded).toEqual([0, 1, 2, 10, 11, 12, 20]);
  });

  it('takes no turn of an account for who still waits for the chat', async () => {
    const [chat, account] = [newKey(), newKey()];
    const ask = [
      { ask: 0, key: chat, limits: [[1, 1_000]] as const },
      { ask: 0, key: account, limits: [[1, 1_000]] as const },
    ];
    expect(await take(0, ask)).toMatchObject([{ wait_ms: 0 }, { wait_ms: 0 }]);
    const [waits, ...more] = await take(1, ask);
    expect(waits!.wait_ms).toBeGreaterThan(0);
    expect(more).toEqual([]);
  });

  it('is not stopped by a clock that was set back', async () => {
    const key = newKey();
    await workers[0]!.query("insert into ops_pace values ($1, array[clock_timestamp() + interval '2 hours'])", [key]);
    expect(await take(0, [{ ask: 0, key, limits: [[1, 1_000]] }])).toMatchObject([{ wait_ms: 0 }]);
  });
});
