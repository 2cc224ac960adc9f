import type { KeyClaims, KnownKeys } from '../../../commands/post/key-claims.js';
import type { Settings } from '../../../config/settings.js';
import { systemClock } from '../../../kernel/clock.js';
import { silentLog } from '../../../kernel/log.js';
import type { Limiter, Verdict } from '../../../limits/limiter.js';
import type { MonthlyQuota } from '../../../limits/monthly-quota.js';
import type { EndpointSnapshot } from '../../../projections/discovery/endpoint-snapshots.queries.js';
import { LimitGuard, MAX_LIMITER_CALLS } from './limit-guard.js';

const endpoint = { endpoint_id: 'ep_1', plan: 'pro', min_interval: 60 } as EndpointSnapshot;
const keys = { endpointId: 'ep_1', keys: ['k'], keyIds: ['0'.repeat(40)], isAssumedNew: false } as unknown as KnownKeys;
const replayed = { ...keys, replay: {} } as unknown as KnownKeys;
const limitsProfile = { violationsToDisable: 5, plans: { pro: {} } };

/** Creates a guard whose limiter gives these verdicts, the last one forever; records the keys that it was asked with. */
const createGuard = (verdicts: readonly Verdict[], found: KnownKeys = keys) => {
  const asked: (readonly string[])[] = [];
  const limiter = {
    admitPost: (check: { keys: readonly string[] }) => {
      asked.push(check.keys);
      return Promise.resolve(verdicts[Math.min(asked.length, verdicts.length) - 1]!);
    },
    consumeBudget: () => Promise.resolve(verdicts[0]!),
  } as unknown as Limiter;
  const quota = {
    findCached: () => null,
    loadMonth: () => Promise.resolve({ left: { used: 2, left: 0, resetsAt: 0, lastEvent: null } }),
  } as unknown as MonthlyQuota;
  const claims = {
    lookUpKeys: () => Promise.resolve(found),
    waitForConcurrentPost: () => Promise.resolve(found),
  } as unknown as KeyClaims;
  const settings = { limitsProfile } as unknown as Settings;
  return { guard: new LimitGuard(settings, systemClock, silentLog, claims, quota, limiter), asked };
};

const judge = (guard: LimitGuard) => guard.judgePost(endpoint, keys, () => true);
const rejected: Verdict = {
  ...{ outcome: 'rejected', reason: 'min_interval', retryAfter: 7, violations: 5, disables: true },
};

describe('the limit guard', () => {
  it('passes an admitted post with the time at which it took its tokens', async () => {
    const { guard } = createGuard([{ outcome: 'admitted', at: 'now' }]);
    expect(await judge(guard)).toEqual({ outcome: 'passed', endpoint, knownKeys: keys, takenAt: 'now' });
  });

  it('passes a repeated post, which takes no tokens, after a look at its keys', async () => {
    for (const outcome of ['stored', 'in_flight'] as const) {
      const { guard } = createGuard([{ outcome }], replayed);
      expect(await judge(guard)).toEqual({ outcome: 'passed', endpoint, knownKeys: replayed, takenAt: null });
    }
  });

  it('judges a post without its keys if the concurrent post with a key was not stored', async () => {
    const { guard, asked } = createGuard([{ outcome: 'in_flight' }, { outcome: 'admitted', at: 'now' }]);
    expect(await judge(guard)).toMatchObject({ outcome: 'passed', takenAt: 'now' });
    expect(asked).toEqual([['0'.repeat(16)], []]);
  });

  it('returns a rate limit as a rejection, and whether it disables the endpoint', async () => {
    const { guard } = createGuard([rejected]);
    const expected = { outcome: 'rejected', disables: true, rejection: { status: 429, reason: 'min_interval' } };
    expect(await judge(guard)).toMatchObject(expected);
    expect(await guard.judgeBudget(endpoint, 'replays')).toMatchObject(expected);
  });

  it('returns a used-up month as a rejection', async () => {
    const { guard } = createGuard([{ outcome: 'quota' }]);
    expect(await judge(guard)).toMatchObject({ outcome: 'rejected', disables: false, rejection: { status: 402 } });
  });

  it('returns a changed or disabled endpoint to the gate, with what the next call needs', async () => {
    for (const outcome of ['stale', 'disabled'] as const) {
      const { guard } = createGuard([{ outcome }]);
      const next = { endpoint, knownKeys: keys, keys: ['0'.repeat(16)], attempts: 1 };
      expect(await judge(guard)).toEqual({ outcome, ...next });
    }
  });

  it('gives up after a limited number of calls, counted over all of its calls for a request', async () => {
    const { guard, asked } = createGuard([{ outcome: 'stored' }]);
    const verdict = await guard.judgePost(endpoint, keys, () => true, [], MAX_LIMITER_CALLS - 3);
    expect(verdict).toMatchObject({ outcome: 'unstable' });
    expect(asked).toHaveLength(3);
  });
});
