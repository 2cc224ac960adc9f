import type { Pool } from 'pg';
import { accountBudget, CallTurns } from '../../src/postgres/call-turns.js';
import { DueClaims } from '../../src/sagas/engine/due-work.js';
import { GroupConcurrency } from '../../src/sagas/engine/group-concurrency.js';
import { DUE_CHANNELS } from '../../src/sagas/sample-statistics/sample-statistics.js';
import { GatewayHarness } from '../sagas/publish-due-posts/gateway-harness.js';

let harness: GatewayHarness;
let pool: Pool;
let turns: CallTurns;
beforeAll(async () => {
  harness = await GatewayHarness.start({ STATISTICS_DAYS: '0' });
  ({ pool } = harness.gateway.infrastructure);
  turns = new CallTurns(pool);
});
afterAll(() => harness.stop());

let owners = 0;
/** An account with eight calls a minute; so large a window that no busy machine can leave it. */
const newAccount = () =>
  accountBudget({ platform: 'vk', ownerId: `own_${++owners}`, credential: 'token' }, [[8, 60_000]]);

describe('a turn for a call that no one waits for', () => {
  it('is at most every fourth of the pace', async () => {
    const account = newAccount();
    expect(await turns.takeSpare(account, 'statistics')).toBe(0);
    const ms = await turns.takeSpare(account, 'statistics');
    expect(ms).toBeGreaterThan(0);
    expect(ms).toBeLessThanOrEqual(30_000);
  });

  it('is not there while others use half of the pace, and takes nothing then', async () => {
    const account = newAccount();
    for (let i = 0; i < 4; i++) expect(await turns.reserve([account])).toEqual({ count: 1, waitMs: 0 });
    expect(await turns.takeSpare(account, 'statistics')).toBeGreaterThan(0);
    for (let i = 0; i < 4; i++) expect(await turns.reserve([account])).toEqual({ count: 1, waitMs: 0 });
    expect((await turns.reserve([account])).waitMs).toBeGreaterThan(0);
  });

  it('counts, so that later calls of others keep the pace', async () => {
    const account = newAccount();
    expect(await turns.takeSpare(account, 'statistics')).toBe(0);
    for (let i = 0; i < 7; i++) expect((await turns.reserve([account])).waitMs).toBe(0);
    expect((await turns.reserve([account])).waitMs).toBeGreaterThan(0);
  });

  it("is another owner's too", async () => {
    expect(await turns.takeSpare(newAccount(), 'statistics')).toBe(0);
    expect(await turns.takeSpare(newAccount(), 'statistics')).toBe(0);
  });
});

it('channels of one owner leave room for those of another', async () => {
  const { leases } = harness.gateway.infrastructure;
  const channels = Array.from({ length: 40 }, (_, i) => `tgt_${String(i).padStart(32, '0')}`);
  await pool.query(
    `insert into ops_statistics_channel (channel_id, platform, owner_id, next_due)
     select id, 'vk', 'own_large', 1 from unnest($1::text[]) id union all select 'tgt_${'f'.repeat(32)}', 'vk', 'own_small', 2`,
    [channels],
  );
  const claims = new DueClaims(pool, leases, DUE_CHANNELS);
  const slots = new GroupConcurrency(['vk'], 16);
  const claim = async () => {
    const { claimed } = await claims.claim(leases.workerId!, 10, slots.free(), []);
    for (const each of claimed) slots.acquire(each);
    return claimed.map(({ owner }) => owner);
  };
  const first = await claim();
  expect(first.length).toBeLessThan(16);
  expect(await claim()).toContain('own_small');
});
