import type { LimitsProfile } from '../../src/config/limits-profile.js';
import type { LimitedEndpoint, Limiter, Verdict } from '../../src/limits/limiter.js';
import { LimitsDatabase, profileWith } from './limits-database.js';

const SECONDS = process.env.TEST_LONG ? 20 : 3;

let database: LimitsDatabase;
beforeAll(async () => {
  database = await LimitsDatabase.start();
  // Logs every admission with its time in the database.
  await database.pool.query(`
    create table admission_log (endpoint_id text, at timestamptz);
    create function log_admission() returns trigger language plpgsql as $$
    begin
      insert into admission_log values (new.endpoint_id, new.last_at);
      return null;
    end $$;
    create trigger log_admission after update on ops_limit for each row
      when (new.hour_count <> old.hour_count) execute function log_admission()`);
});
afterAll(() => database.stop());

const admit = (limiter: Limiter, endpoint: LimitedEndpoint): Promise<Verdict> =>
  limiter.admitPost({ endpoint, keys: [], newStreams: [], consume: true, month: null });

/** Returns limiters of three processes, whose clock stands still: no interval and no minute ends on a busy machine. */
const newLimitersAtNoon = (profile: LimitsProfile): Promise<Limiter[]> =>
  Promise.all([1, 2, 3].map(async () => (await database.newLimiterAtNoon(profile)).limiter));

/** Returns the times, in ms, at which posts of an endpoint were admitted, in order. */
const admissionTimes = async ({ endpoint_id }: LimitedEndpoint): Promise<number[]> => {
  const text = 'select extract(epoch from at) * 1000 as at from admission_log where endpoint_id = $1 order by 1';
  return (await database.pool.query<{ at: string }>(text, [endpoint_id])).rows.map(({ at }) => Number(at));
};

describe('three processes over one database', () => {
  it(`admit at most ten posts in any sliding second, over ${SECONDS} s, and no fewer than the limit allows`, async () => {
    const profile = profileWith({ violationsToDisable: null, plan: { hourly: null } });
    const endpoints = await Promise.all([database.createEndpoint('pro', 0), database.createEndpoint('pro', 0)]);
    const runs = endpoints.map((endpoint) => ({
      endpoint,
      admitted: 0,
      rejected: [] as { from: number; to: number }[],
    }));
    const until = Date.now() + SECONDS * 1_000;
    const client = async (limiter: Limiter, run: (typeof runs)[number]): Promise<void> => {
      // Goes on for longer if the machine stood still meanwhile.
      while (Date.now() < until || run.admitted <= 20) {
        const from = Date.now();
        const { outcome } = await admit(limiter, run.endpoint);
        if (outcome === 'admitted') run.admitted++;
        else run.rejected.push({ from, to: Date.now() + 1 });
      }
    };
    const limiters = [database.newLimiter(profile), database.newLimiter(profile), database.newLimiter(profile)];
    const clients = limiters.flatMap((limiter) => runs.flatMap((run) => [1, 2, 3].map(() => client(limiter, run))));
    await Promise.all(clients);

    for (const { endpoint, admitted, rejected } of runs) {
      const times = await admissionTimes(endpoint);
      expect(times).toHaveLength(admitted);
      expect(times.length).toBeGreaterThan(20);
      // Each rejection follows ten admissions within a second. The database is on this machine, so its clock is the same.
      const needless = rejected.filter(
        ({ from, to }) => times.filter((at) => at > from - 1_000 && at <= to).length < 10,
      );
      expect(needless).toEqual([]);
      const tooClose = times.filter((at, i) => i >= 10 && at - times[i - 10]! < 1_000);
      expect(tooClose).toEqual([]);
    }
  });

  it('admit exactly the hourly quota of parallel posts', async () => {
    const profile = profileWith({ violationsToDisable: null, plan: { burst: null, hourly: 37 } });
    const endpoint = await database.createEndpoint('pro', 0);
    const limiters = [database.newLimiter(profile), database.newLimiter(profile), database.newLimiter(profile)];
    const verdicts = await Promise.all(Array.from({ length: 90 }, (_, i) => admit(limiters[i % 3]!, endpoint)));
    const admitted = verdicts.filter(({ outcome }) => outcome === 'admitted');
    const hours = (await admissionTimes(endpoint)).map((at) => Math.floor(at / 3_600_000));
    expect(hours).toHaveLength(admitted.length);
    const perHour = [...new Set(hours)].map((hour) => hours.filter((other) => other === hour).length);
    expect(perHour.length === 1 ? perHour[0] : Math.max(...perHour)).toBe(37); // the hour may have ended in the meantime
  });

  it('count exactly five violations of fifty requests, and disable once', async () => {
    const profile = profileWith();
    const endpoint = await database.createEndpoint('pro', 60);
    const limiters = await newLimitersAtNoon(profile);
    expect((await admit(limiters[0]!, endpoint)).outcome).toBe('admitted');
    const verdicts = await Promise.all(Array.from({ length: 50 }, (_, i) => admit(limiters[i % 3]!, endpoint)));
    const violations = verdicts.flatMap((verdict) => (verdict.outcome === 'rejected' ? [verdict] : []));
    expect(violations.map((verdict) => verdict.violations).sort()).toEqual([1, 2, 3, 4, 5]);
    expect(violations.filter(({ disables }) => disables)).toHaveLength(1);
    expect(verdicts.filter(({ outcome }) => outcome === 'disabled')).toHaveLength(45);
  });

  it('share sixty discovery requests a minute', async () => {
    const profile = profileWith({ violationsToDisable: null });
    const endpoint = await database.createEndpoint();
    const limiters = await newLimitersAtNoon(profile);
    const all = Array.from({ length: 100 }, (_, i) => limiters[i % 3]!.consumeBudget(endpoint, 'discovery'));
    const admitted = (await Promise.all(all)).filter(({ outcome }) => outcome === 'admitted');
    expect(admitted).toHaveLength(60);
  });

  it('evaluate batches of the same endpoints in opposite orders without a deadlock', async () => {
    const profile = profileWith({ violationsToDisable: null });
    const endpoints = await Promise.all(Array.from({ length: 40 }, () => database.createEndpoint('pro', 0)));
    const limiters = [database.newLimiter(profile), database.newLimiter(profile), database.newLimiter(profile)];
    const rounds = Array.from({ length: 10 }, (_, round) => round);
    const verdicts = await Promise.all(
      limiters.map(async (limiter, i) => {
        const ordered = i === 0 ? endpoints : endpoints.toReversed();
        const received: Verdict[] = [];
        for (const round of rounds)
          received.push(...(await Promise.all(ordered.slice(round).map((endpoint) => admit(limiter, endpoint)))));
        return received;
      }),
    );
    expect(verdicts.flat().every(({ outcome }) => outcome === 'admitted' || outcome === 'rejected')).toBe(true);
  });
});
