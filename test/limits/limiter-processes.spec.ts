import type { LimitedEndpoint, Limiter, Verdict } from '../../src/limits/limiter.js';
import { LimitsDatabase, profileWith } from './limits-database.js';

const SECONDS = process.env.TEST_LONG ? 20 : 4;

let database: LimitsDatabase;
beforeAll(async () => {
  database = await LimitsDatabase.start();
  // Every acceptance with the time that it was judged at, as the database has it.
  await database.pool.query(`
    create table taken_log (endpoint_id text, at timestamptz);
    create function log_taken() returns trigger language plpgsql as $$
    begin
      insert into taken_log values (new.endpoint_id, new.last_at);
      return null;
    end $$;
    create trigger log_taken after update on ops_limit for each row
      when (new.hour_count <> old.hour_count) execute function log_taken()`);
});
afterAll(() => database.stop());

const ask = (limiter: Limiter, endpoint: LimitedEndpoint): Promise<Verdict> =>
  limiter.post({ endpoint, keys: [], newStreams: [], take: true, month: null });

/** Milliseconds at which posts of an endpoint were taken, in order. */
const takenAt = async ({ endpoint_id }: LimitedEndpoint): Promise<number[]> => {
  const text = 'select extract(epoch from at) * 1000 as at from taken_log where endpoint_id = $1 order by 1';
  return (await database.pool.query<{ at: string }>(text, [endpoint_id])).rows.map(({ at }) => Number(at));
};

describe('three processes over one database', () => {
  it(`take at most ten posts in any sliding second, over ${SECONDS} s, and as many as there is room for`, async () => {
    const profile = profileWith({ violationsToDisable: null, plan: { hourly: null } });
    const endpoints = await Promise.all([database.endpoint('pro', 0), database.endpoint('pro', 0)]);
    const until = Date.now() + SECONDS * 1_000;
    const client = async (limiter: Limiter, endpoint: LimitedEndpoint): Promise<number> => {
      let taken = 0;
      while (Date.now() < until) if ((await ask(limiter, endpoint)).outcome === 'taken') taken++;
      return taken;
    };
    const limiters = [database.process(profile), database.process(profile), database.process(profile)];
    const clients = limiters.flatMap((limiter) =>
      endpoints.flatMap((endpoint) => [1, 2, 3].map(() => client(limiter, endpoint))),
    );
    const answered = (await Promise.all(clients)).reduce((sum, taken) => sum + taken, 0);

    let counted = 0;
    for (const endpoint of endpoints) {
      const times = await takenAt(endpoint);
      counted += times.length;
      expect(times.length).toBeGreaterThan(20);
      const tooClose = times.filter((at, i) => i >= 10 && at - times[i - 10]! < 1_000);
      expect(tooClose).toEqual([]);
    }
    expect(counted).toBe(answered);
  });

  it('take exactly the hour’s quota of parallel posts', async () => {
    const profile = profileWith({ violationsToDisable: null, plan: { burst: null, hourly: 37 } });
    const endpoint = await database.endpoint('pro', 0);
    const limiters = [database.process(profile), database.process(profile), database.process(profile)];
    const verdicts = await Promise.all(Array.from({ length: 90 }, (_, i) => ask(limiters[i % 3]!, endpoint)));
    const taken = verdicts.filter(({ outcome }) => outcome === 'taken');
    const hours = (await takenAt(endpoint)).map((at) => Math.floor(at / 3_600_000));
    expect(hours).toHaveLength(taken.length);
    const perHour = [...new Set(hours)].map((hour) => hours.filter((other) => other === hour).length);
    expect(perHour.length === 1 ? perHour[0] : Math.max(...perHour)).toBe(37); // the hour may have ended meanwhile
  });

  it('count five violations of fifty, neither more nor fewer, and switch off once', async () => {
    const profile = profileWith();
    const endpoint = await database.endpoint('pro', 60);
    const limiters = [database.process(profile), database.process(profile), database.process(profile)];
    expect((await ask(limiters[0]!, endpoint)).outcome).toBe('taken');
    const verdicts = await Promise.all(Array.from({ length: 50 }, (_, i) => ask(limiters[i % 3]!, endpoint)));
    const violations = verdicts.flatMap((verdict) => (verdict.outcome === 'refused' ? [verdict] : []));
    expect(violations.map((verdict) => verdict.violations).sort()).toEqual([1, 2, 3, 4, 5]);
    expect(violations.filter(({ disables }) => disables)).toHaveLength(1);
    expect(verdicts.filter(({ outcome }) => outcome === 'disabled')).toHaveLength(45);
  });

  it('share sixty discovery requests a minute', async () => {
    const profile = profileWith({ violationsToDisable: null });
    const endpoint = await database.endpoint();
    const limiters = [database.process(profile), database.process(profile), database.process(profile)];
    const all = Array.from({ length: 100 }, (_, i) => limiters[i % 3]!.budget(endpoint, 'discovery'));
    const taken = (await Promise.all(all)).filter(({ outcome }) => outcome === 'taken');
    expect(taken).toHaveLength(60);
  });

  it('judge batches of the same endpoints in opposite orders without a deadlock', async () => {
    const profile = profileWith({ violationsToDisable: null });
    const endpoints = await Promise.all(Array.from({ length: 40 }, () => database.endpoint('pro', 0)));
    const limiters = [database.process(profile), database.process(profile), database.process(profile)];
    const rounds = Array.from({ length: 10 }, (_, round) => round);
    const verdicts = await Promise.all(
      limiters.map(async (limiter, i) => {
        const ordered = i === 0 ? endpoints : endpoints.toReversed();
        const seen: Verdict[] = [];
        for (const round of rounds)
          seen.push(...(await Promise.all(ordered.slice(round).map((endpoint) => ask(limiter, endpoint)))));
        return seen;
      }),
    );
    expect(verdicts.flat().every(({ outcome }) => outcome === 'taken' || outcome === 'refused')).toBe(true);
  });
});
