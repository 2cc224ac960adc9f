import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { manageOf, scene, sharing, type Stage } from '../../../e2e/e2e-harness.js';
import { call } from './calls.js';

/** Version A, but for what is said of the plan Business and of the rest; an interval may be 0. */
const profileWith = (business: object, rest: object = {}): string => {
  const { A } = JSON.parse(
    readFileSync(new URL('../../../../src/config/limits-profiles.json', import.meta.url), 'utf8'),
  );
  const plans = { ...A.plans, business: { ...A.plans.business, ...business } };
  return JSON.stringify({ ...A, plans, min_interval: { ...A.min_interval, min: 0 }, ...rest });
};

/** Three processes over one database, under one profile. */
const threeProcesses = async (stage: Stage, profile: string) => {
  const LIMITS_PROFILE = join(await stage.folder(), 'limits.json');
  await writeFile(LIMITS_PROFILE, profile);
  const { url: TELEGRAM_API_URL } = await stage.telegram();
  const database = await stage.database();
  const shared = { ...database, TELEGRAM_API_URL, LIMITS_PROFILE };
  const start = async (ROLES: string) => stage.gateway({ ...shared, ROLES, DATA_DIR: await stage.folder() });
  const gateways = await Promise.all([start('all'), start('api'), start('api')]);
  const manage = manageOf(gateways[0]);
  const urls = gateways.map(({ url }) => url);
  const endpointWith = async (settings: object) => {
    const { endpoints } = await manage.seed(1, [[0]], settings);
    const { id, path, token } = endpoints[0]!;
    return { id, slug: path.split('/').at(-1)!, token };
  };
  return { urls, manage, endpointWith, connectionString: database.DATABASE_URL };
};

const FIFTY = Array.from({ length: 50 }, (_, i) => i);

const urlOf = (urls: readonly string[], i: number): string => urls[i % urls.length]!;
const count = (statuses: readonly number[]): Record<number, number> =>
  Object.fromEntries(
    [...new Set(statuses)].sort().map((status) => [status, statuses.filter((s) => s === status).length]),
  );

/** What every process of a deployment knows the moment a change of settings is answered. */
const settingsCountAtOnce = (
  test: (title: string, play: (on: Awaited<ReturnType<typeof threeProcesses>>) => Promise<void>) => void,
): void => {
  test('refuse a rotated token and slug at once, each of them, however often they saw it before', async (on) => {
    const endpoint = await on.endpointWith({ min_interval: 0 });
    const all = (address: typeof endpoint) =>
      Promise.all(on.urls.map(async (url) => (await call(url, address)).status));
    for (let round = 0; round < 3; round++) {
      expect(await all(endpoint)).toEqual([200, 200, 200]);
      const { token } = await on.manage.post<{ token: string }>(`/endpoints/${endpoint.id}/rotate-token`);
      expect(await all(endpoint)).toEqual([401, 401, 401]);
      Object.assign(endpoint, { token });
    }
    const { slug } = await on.manage.post<{ slug: string }>(`/endpoints/${endpoint.id}/rotate-slug`);
    expect(await all(endpoint)).toEqual([401, 401, 401]);
    expect(await all({ ...endpoint, slug })).toEqual([200, 200, 200]);
  });

  test('let a changed project, allowlist and state count at once in each of them', async (on) => {
    const endpoint = await on.endpointWith({ min_interval: 0 });
    const all = () =>
      Promise.all(
        on.urls.map(async (url) => {
          const { status, text } = await call(url, endpoint);
          return status === 200 ? (JSON.parse(text) as { queued_targets: number }).queued_targets : status;
        }),
      );
    const patch = (change: object) => on.manage.patch(`/endpoints/${endpoint.id}`, change);
    expect(await all()).toEqual([1, 1, 1]);
    await patch({ project_ids: [] });
    expect(await all()).toEqual([0, 0, 0]);
    await patch({ ip_allowlist: ['10.0.0.0/8'] });
    expect(await all()).toEqual([401, 401, 401]);
    await patch({ ip_allowlist: [] });
    await on.manage.post(`/endpoints/${endpoint.id}/disable`);
    expect(await all()).toEqual([403, 403, 403]);
    await on.manage.post(`/endpoints/${endpoint.id}/enable`);
    expect(await all()).toEqual([0, 0, 0]);
  });
};

describe('three processes of the API', () => {
  const test = sharing((stage) => threeProcesses(stage, profileWith({ burst: null, hourly: 40 })));

  test('answer fifty parallel posts with one key under an interval: one 200, forty-nine 202, no violation (D-19)', async (on) => {
    const endpoint = await on.endpointWith({ min_interval: 60 });
    const send = (i: number, key: string) =>
      call(urlOf(on.urls, i), endpoint, { body: { text: 'fifty' }, headers: { 'idempotency-key': key } });
    const answers = await Promise.all(FIFTY.map((i) => send(i, 'fifty')));
    expect(count(answers.map(({ status }) => status))).toEqual({ 200: 1, 202: 49 });
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const others = [];
    for (const i of [0, 1, 2, 3, 4, 5]) others.push((await send(i, `other ${i}`)).status);
    expect(others).toEqual([429, 429, 429, 429, 429, 503]); // none of the fifty was counted
  });

  test('count five violations of fifty and switch off once, for all of them', async (on) => {
    const endpoint = await on.endpointWith({ min_interval: 60 });
    expect((await call(on.urls[0]!, endpoint)).status).toBe(200);
    const answers = await Promise.all(FIFTY.map((i) => call(urlOf(on.urls, i), endpoint)));
    expect(count(answers.map(({ status }) => status))).toEqual({ 429: 5, 503: 45 });
    for (const url of on.urls) expect((await call(url, endpoint)).status).toBe(503);
    const history = await on.manage.get<{ disabled_by: string }>(`/endpoints/${endpoint.id}`);
    expect(history.disabled_by).toBe('rate_limits');
    await on.manage.post(`/endpoints/${endpoint.id}/enable`);
    for (const [i, url] of on.urls.entries())
      expect((await call(url, endpoint, { headers: { 'idempotency-key': `after ${i}` } })).status).toBe(429);
  });

  test('accept exactly the hour’s quota', async (on) => {
    const endpoint = await on.endpointWith({ min_interval: 0 });
    // Away from the hour's end, at which a second quota begins.
    const left = 3_600_000 - (Date.now() % 3_600_000);
    if (left < 10_000) await new Promise((resolve) => setTimeout(resolve, left));
    const answers = await Promise.all(FIFTY.map((i) => call(urlOf(on.urls, i), endpoint)));
    expect(count(answers.map(({ status }) => status))).toEqual({ 200: 40, 429: 5, 503: 5 });
  });

  settingsCountAtOnce(test);
});

describe('three processes of the API that limit nothing', () => {
  const nothing = { burst: null, hourly: null, monthly_posts: null };
  const test = sharing((stage) =>
    threeProcesses(stage, profileWith(nothing, { replays_per_minute: null, violations_to_disable: null })),
  );

  // Here no call before the append asks whether an endpoint has changed and whether a key is known.
  settingsCountAtOnce(test);

  test('answer fifty parallel posts with one key, and with two: one 200, forty-nine 202', async (on) => {
    const endpoint = await on.endpointWith({ min_interval: 0 });
    for (const [key, body] of [
      ['one', { text: 'fifty' }],
      ['two', { text: 'fifty', external_id: 'fifty' }],
    ] as const) {
      const headers = { 'idempotency-key': key };
      const answers = await Promise.all(FIFTY.map((i) => call(urlOf(on.urls, i), endpoint, { body, headers })));
      expect(count(answers.map(({ status }) => status))).toEqual({ 200: 1, 202: 49 });
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    }
  });

  test('answer a known key before anything is said of the body, and to nobody whose token was rotated', async (on) => {
    const endpoint = await on.endpointWith({ min_interval: 0 });
    const headers = { 'idempotency-key': 'known' };
    const first = await call(on.urls[1]!, endpoint, { headers });
    expect(first.status).toBe(200);
    const bodies = [
      { text: 'Hello' },
      { text: 'Another' },
      { text: '' },
      { text: 'To', targets: [{ id: 'nowhere' }] },
      '{',
    ];
    for (const [i, body] of bodies.entries()) {
      const again = await call(urlOf(on.urls, i), endpoint, { headers, body });
      expect([again.status, again.text]).toEqual([202, first.text]);
      expect(again.headers.get('idempotency-payload-mismatch')).toBe(i === 0 ? null : 'true');
    }
    await on.manage.post(`/endpoints/${endpoint.id}/rotate-token`);
    for (const url of on.urls) expect((await call(url, endpoint, { headers })).status).toBe(401);
  });
});

const SECONDS = process.env.TEST_LONG ? 20 : 4;

describe('the burst of three processes of the API', () => {
  scene(
    `is at most ten posts in any sliding second, over ${SECONDS} s, by the time at which they were judged`,
    async (stage) => {
      const unlimitedOtherwise = profileWith({ hourly: null }, { violations_to_disable: null });
      const { urls, endpointWith, connectionString } = await threeProcesses(stage, unlimitedOtherwise);
      const endpoint = await endpointWith({ min_interval: 0 });
      const database = new Client({ connectionString });
      await database.connect();
      stage.atTheEnd(() => database.end());
      await database.query(`
      create table taken_log (at timestamptz);
      create function log_taken() returns trigger language plpgsql as $$
      begin
        insert into taken_log values (new.last_at);
        return null;
      end $$;
      create trigger log_taken after update on ops_limit for each row
        when (new.last_at is distinct from old.last_at) execute function log_taken()`);

      const until = Date.now() + SECONDS * 1_000;
      const client = async (url: string): Promise<number[]> => {
        const statuses: number[] = [];
        while (Date.now() < until) statuses.push((await call(url, endpoint)).status);
        return statuses;
      };
      const statuses = (await Promise.all([...urls, ...urls, ...urls].map(client))).flat();
      const { rows } = await database.query<{ at: string }>(
        'select extract(epoch from at) * 1000 as at from taken_log order by 1',
      );
      const times = rows.map(({ at }) => Number(at));
      expect(times.filter((at, i) => i >= 10 && at - times[i - 10]! < 1_000)).toEqual([]);
      expect(statuses.filter((status) => status === 200)).toHaveLength(times.length);
      expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
      expect(times.length).toBeGreaterThan(20);
    },
  );
});
