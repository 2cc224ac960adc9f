import type { FastifyRequest } from 'fastify';
import type { DisableEndpoint } from '../../../commands/endpoint.js';
import type { KeyClaims, KnownKeys } from '../../../commands/post/key-claims.js';
import type { Settings } from '../../../config/settings.js';
import { systemClock } from '../../../kernel/clock.js';
import { silentLog } from '../../../kernel/log.js';
import type { Limiter, Verdict } from '../../../limits/limiter.js';
import type { MonthlyQuota } from '../../../limits/monthly-quota.js';
import type { EndpointSnapshot } from '../../../projections/discovery/endpoint-snapshots.queries.js';
import { LimitGuard } from './limit-guard.js';

const endpoint = {
  endpoint_id: 'ep_1',
  plan: 'pro',
  min_interval: 60,
  version: '7',
  epoch: '3',
  projects: [{}],
} as unknown as EndpointSnapshot;
const request = { id: 'req_1', logEntry: null } as unknown as FastifyRequest;
const keys = {
  endpointId: 'ep_1',
  keys: ['k'],
  keyIds: ['0'.repeat(40)],
  isAssumedNew: false,
  isAwaited: false,
  replay: null,
} as unknown as KnownKeys;
const replayed = { ...keys, replay: { bodyHash: 'abc' } } as unknown as KnownKeys;
const awaited = { ...keys, isAwaited: true };
const limitsProfile = { violationsToDisable: 5, plans: { pro: {} } };

interface Situation {
  /** The limiter's verdicts; the last one is repeated. */
  readonly verdicts: readonly Verdict[];
  /** The keys as a look-up would find them. */
  readonly found?: KnownKeys;
  readonly isLimited?: boolean;
  readonly eventStoreUrl?: string | null;
  /** Posts that the current month has left. */
  readonly left?: number;
  readonly disabling?: () => Promise<string>;
}

/** Creates a guard that records the commands and the keys that it passes to the limiter. */
const createGuard = ({
  verdicts,
  found = keys,
  isLimited = true,
  eventStoreUrl = null,
  left = 0,
  disabling = () => Promise.resolve('event'),
}: Situation) => {
  const asked: (readonly string[])[] = [];
  const executed: unknown[] = [];
  const limiter = {
    admitPost: (check: { keys: readonly string[] }) => {
      asked.push(check.keys);
      return Promise.resolve(verdicts[Math.min(asked.length, verdicts.length) - 1]!);
    },
    consumeBudget: () => Promise.resolve(verdicts[0]!),
    isPublishingLimited: () => isLimited,
  } as unknown as Limiter;
  const quota = {
    findCached: () => null,
    loadMonth: () => Promise.resolve({ left: { used: 2, left, resetsAt: 0, lastEvent: null } }),
  } as unknown as MonthlyQuota;
  const claims = {
    lookUpKeys: () => Promise.resolve(found),
    waitForConcurrentPost: () => Promise.resolve({ ...found, isAwaited: true }),
  } as unknown as KeyClaims;
  const settings = { limitsProfile, eventStoreUrl } as unknown as Settings;
  const disableEndpoint = {
    execute: (...disabled: unknown[]) => {
      executed.push(disabled);
      return disabling();
    },
  } as unknown as DisableEndpoint;
  return {
    guard: new LimitGuard(settings, systemClock, silentLog, claims, quota, limiter, disableEndpoint),
    asked,
    executed,
  };
};

const judge = (guard: LimitGuard, known = keys, isAcceptable = true) =>
  guard.judgePost(endpoint, { request, keys: known, isAcceptable, isLight: true });
const rejected: Verdict = {
  outcome: 'rejected',
  reason: 'min_interval',
  retryAfter: 7,
  violations: 5,
  disables: true,
};

describe('the limit guard', () => {
  it('admits a post with the time at which it took its tokens', async () => {
    const { guard } = createGuard({ verdicts: [{ outcome: 'admitted', at: 'now' }] });
    expect(await judge(guard)).toEqual({ outcome: 'admitted', takenAt: 'now', condition: null });
  });

  it('admits a post without a call where nothing is limited, if its append can verify the endpoint', async () => {
    const { guard, asked } = createGuard({ verdicts: [{ outcome: 'admissible' }], isLimited: false });
    const condition = { subject: 'ep_1', version: '7' };
    expect(await judge(guard)).toEqual({ outcome: 'admitted', takenAt: null, condition });
    expect(asked).toEqual([]);
    expect(await judge(guard, keys, false)).toEqual({ outcome: 'admissible' });
    const heavy = { request, keys, isAcceptable: true, isLight: false };
    expect(await guard.judgePost(endpoint, heavy)).toEqual({ outcome: 'admissible' });
    expect(asked).toHaveLength(2);
  });

  it('repeats the answer of a known key, which takes no tokens, after a look at the keys', async () => {
    for (const outcome of ['stored', 'in_flight'] as const) {
      const { guard, asked } = createGuard({ verdicts: [{ outcome }], found: replayed });
      const again = await judge(guard);
      expect(again).toMatchObject({ outcome: 'again', keys: { replay: replayed.replay } });
      if (again.outcome === 'again')
        expect(await judge(guard, again.keys)).toEqual({ outcome: 'replay', replay: replayed.replay });
      expect(asked).toHaveLength(1);
    }
  });

  it('judges a post without its keys if the concurrent post with a key was not stored', async () => {
    const { guard, asked } = createGuard({ verdicts: [{ outcome: 'in_flight' }, { outcome: 'admitted', at: 'now' }] });
    expect(await judge(guard)).toEqual({ outcome: 'again', keys: awaited });
    expect(await judge(guard, awaited)).toMatchObject({ outcome: 'admitted', takenAt: 'now' });
    expect(asked).toEqual([['0'.repeat(16)], []]);
  });

  it('looks at keys that were not read before it rejects a post', async () => {
    const assumed = { ...keys, isAssumedNew: true };
    const eventStoreUrl = 'kurrentdb://elsewhere';
    for (const outcome of ['unread', 'quota', 'admissible'] as const) {
      const { guard } = createGuard({ verdicts: [{ outcome }], eventStoreUrl });
      expect(await judge(guard, assumed, false)).toEqual({ outcome: 'again', keys });
    }
  });

  it('rejects a post beyond a rate limit, and disables the endpoint where the violations are too many', async () => {
    const { guard, executed } = createGuard({ verdicts: [rejected] });
    await expect(judge(guard)).rejects.toMatchObject({ status: 429, reason: 'min_interval' });
    expect(executed).toEqual([['ep_1', 'rate_limits', '3', expect.any(String), request]]);
    const budget = guard.takeFromBudget(request, endpoint, 'replays');
    await expect(budget).rejects.toMatchObject({ status: 429, reason: 'min_interval' });
  });

  it('rejects a post beyond a rate limit though the endpoint could not be disabled', async () => {
    const disabling = () => Promise.reject(new Error('the store is away'));
    const { guard } = createGuard({ verdicts: [rejected], disabling });
    await expect(judge(guard)).rejects.toMatchObject({ status: 429, reason: 'min_interval' });
  });

  it('disables an endpoint whose violations were recorded before, and names the event', async () => {
    const { guard } = createGuard({ verdicts: [{ outcome: 'disabled' }] });
    await expect(judge(guard)).rejects.toMatchObject({ status: 503, why: { event_id: 'event' } });
  });

  it('rejects a post of a used-up month, and asks again where the month has posts left after all', async () => {
    const verdicts: Verdict[] = [{ outcome: 'quota' }];
    await expect(judge(createGuard({ verdicts }).guard)).rejects.toMatchObject({ status: 402 });
    expect(await judge(createGuard({ verdicts, left: 1 }).guard)).toEqual({ outcome: 'again', keys });
  });

  it('reports a changed endpoint, for which nothing was taken', async () => {
    const { guard } = createGuard({ verdicts: [{ outcome: 'stale' }] });
    expect(await judge(guard)).toEqual({ outcome: 'stale' });
    expect(await guard.takeFromBudget(request, endpoint, 'replays')).toBe(false);
  });
});
