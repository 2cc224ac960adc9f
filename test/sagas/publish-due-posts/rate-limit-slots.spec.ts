import { Client } from 'pg';
import { startTestPostgres, type TestPostgres } from '../../support/postgres.js';

let postgres: TestPostgres;
let workers: Client[];
beforeAll(async () => {
  postgres = await startTestPostgres({ migrated: true });
  workers = [1, 2, 3].map(() => new Client({ connectionString: postgres.connectionString }));
  for (const worker of workers) await worker.connect();
});
afterAll(async () => {
  for (const worker of workers) await worker.end();
  await postgres.stop();
});

interface SlotRequest {
  readonly request: number;
  readonly key: string;
  readonly limits: readonly (readonly [calls: number, perMs: number])[];
  readonly waiter?: string;
}
interface Slot {
  readonly request: number;
  /** Time of the slot, in seconds. */
  readonly at: number;
  readonly wait_ms: number;
}

const reserveSlots = async (worker: number, requests: readonly SlotRequest[]): Promise<Slot[]> => {
  const text = 'select request, extract(epoch from slot)::float8 as at, wait_ms from ops_reserve_slots($1)';
  return (await workers[worker]!.query<Slot>(text, [JSON.stringify(requests)])).rows;
};
let budgets = 0;
const newKey = (): string => `account/${++budgets}`;

describe('the rate limit towards a network (networks.md §3)', () => {
  it('holds over concurrent workers in every sliding second', async () => {
    const [key, limits] = [newKey(), [[10, 1_000]] as const];
    const reserveAsWorker = async (worker: number): Promise<number[]> => {
      const at: number[] = [];
      for (let i = 0; i < 5; i++) {
        const requests = Array.from({ length: 4 }, (_, request) => ({ request, key, limits }));
        at.push(...(await reserveSlots(worker, requests)).map((slot) => slot.at));
      }
      return at;
    };
    const slots = (await Promise.all([0, 1, 2].map(reserveAsWorker))).flat().sort((a, b) => a - b);
    expect(slots).toHaveLength(60);
    for (let i = 10; i < slots.length; i++) expect(slots[i]! - slots[i - 10]!).toBeGreaterThan(0.999_99);
  });

  it('keeps several limits of one key', async () => {
    const [key, limits] = [
      newKey(),
      [
        [1, 1_000],
        [3, 10_000],
      ] as const,
    ];
    const requests = Array.from({ length: 7 }, (_, request) => ({ request, key, limits }));
    const slots = await reserveSlots(0, requests);
    const rounded = slots.map(({ at }) => Math.round(at - slots[0]!.at));
    expect(rounded).toEqual([0, 1, 2, 10, 11, 12, 20]);
  });

  it('reserves no slot of the account while the request waits for the chat', async () => {
    const [chat, account] = [newKey(), newKey()];
    const request = [
      { request: 0, key: chat, limits: [[1, 600_000]] as const }, // the second request comes before the next slot
      { request: 0, key: account, limits: [[1, 1_000]] as const },
    ];
    expect(await reserveSlots(0, request)).toMatchObject([{ wait_ms: 0 }, { wait_ms: 0 }]);
    const [waits, ...more] = await reserveSlots(1, request);
    expect(waits!.wait_ms).toBeGreaterThan(0);
    expect(more).toEqual([]);
  });

  it('stores the slot that a request waits for under its own key, but for short waits', async () => {
    const [key, limits] = [newKey(), [[1, 1_000]] as const];
    const requests = Array.from({ length: 5 }, (_, request) => ({ request, key, limits, waiter: `${key}/${request}` }));
    const slots = await reserveSlots(0, requests);
    expect(slots.map(({ wait_ms }) => wait_ms)).toEqual([0, 1_000, 2_000, 3_000, 4_000]);
    const stored = await workers[0]!.query<{ key: string; at: number }>(
      `select key, extract(epoch from slots[1])::float8 as at from ops_pace where starts_with(key, $1) order by key`,
      [`${key}/`],
    );
    expect(stored.rows).toEqual(slots.slice(2).map(({ at, request }) => ({ key: `${key}/${request}`, at })));
    // Far enough away that the wait is never short, however late the request comes.
    const [again] = await reserveSlots(0, [{ ...requests[4]!, request: 0, limits: [[1, 600_000]] }]);
    const later = await workers[0]!.query('select 1 from ops_pace where key = $1 and slots[1] = to_timestamp($2)', [
      requests[4]!.waiter,
      again!.at,
    ]);
    expect(later.rowCount).toBe(1);
  });

  it('is not blocked after the clock was set back', async () => {
    const key = newKey();
    await workers[0]!.query("insert into ops_pace values ($1, array[clock_timestamp() + interval '2 hours'])", [key]);
    expect(await reserveSlots(0, [{ request: 0, key, limits: [[1, 1_000]] }])).toMatchObject([{ wait_ms: 0 }]);
  });
});
