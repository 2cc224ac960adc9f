import { readLimitsProfile } from '../config/limits-profile.js';
import { computePostsLeft } from '../domain/owner/monthly-quota.js';
import type { EndpointSnapshot } from '../projections/discovery/endpoint-snapshots.queries.js';
import type { FindPostsLeft } from '../projections/posts/usage.queries.js';
import { MonthlyQuota } from './monthly-quota.js';

const endpoint = {
  endpoint_id: 'ep_1',
  owner_id: 'own_1',
  version: '1',
  plan: 'free',
  pack_posts: 0,
} as unknown as EndpointSnapshot;

/** A quota of an owner who has published nothing, and a clock that a test sets. */
const create = (at: string) => {
  let now = Date.parse(at);
  const find: FindPostsLeft['execute'] = (owners, time, monthlyPosts) =>
    Promise.resolve(
      new Map(
        owners.map(({ owner_id, plan, pack_posts }) => [
          owner_id,
          computePostsLeft([], { plan, packPosts: pack_posts }, time, monthlyPosts),
        ]),
      ),
    );
  const quota = new MonthlyQuota({ execute: find } as FindPostsLeft, { now: () => now }, readLimitsProfile('A'));
  return { quota, setTime: (time: string) => void (now = Date.parse(time)) };
};

describe('the cached month of an owner (D-18)', () => {
  it('is not used in another month, in UTC', async () => {
    const { quota, setTime } = create('2026-11-30T23:59:59.999Z');
    expect(quota.findCached(endpoint)).toBeUndefined();
    const november = await quota.loadMonth(endpoint);
    expect(november).toMatchObject({ ownerMonth: 'own_1/2026-11' });
    expect(quota.findCached(endpoint)).toBe(november);
    setTime('2026-12-01T00:00:00Z');
    expect(quota.findCached(endpoint)).toBeUndefined();
    expect(await quota.loadMonth(endpoint)).toMatchObject({ ownerMonth: 'own_1/2026-12' });
  });

  it('is not used for another version of the endpoint, whose owner may have another plan or more packs', async () => {
    const { quota } = create('2026-11-30T12:00:00Z');
    const before = await quota.loadMonth(endpoint);
    const changed = { ...endpoint, version: '2', pack_posts: 5 };
    expect(quota.findCached(changed)).toBeUndefined();
    expect((await quota.loadMonth(changed))!.usedUpAt).toBe(before!.usedUpAt + 5);
  });

  it('does not exist for a plan without a quota', async () => {
    const { quota } = create('2026-11-30T12:00:00Z');
    const unlimited: EndpointSnapshot = { ...endpoint, plan: 'business' };
    expect([quota.findCached(unlimited), await quota.loadMonth(unlimited)]).toEqual([null, null]);
  });
});
