// More than 20 s: three processes start for each of three groups of tests.
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { createManagementClient, type E2eHarness, e2eTest, shareHarness } from '../../../e2e/e2e-harness.js';
import { sendRequest, stopLimitClock } from './calls.js';

/** Builds a profile from version A with changes to the plan Business and to the rest; an interval may be 0. */
const createProfile = (business: object, rest: object = {}): string => {
  const { A } = JSON.parse(
    readFileSync(new URL('../../../../src/config/limits-profiles.json', import.meta.url), 'utf8'),
  );
  const plans = { ...A.plans, business: { ...A.plans.business, ...business } };
  return JSON.stringify({ ...A, plans, min_interval: { ...A.min_interval, min: 0 }, ...rest });
};

/** Starts three processes on one database, with one profile. */
const startThreeProcesses = async (stage: E2eHarness, profile: string) => {
  const LIMITS_PROFILE = join(await stage.createFolder(), 'limits.json');
  await writeFile(LIMITS_PROFILE, profile);
  const { url: TELEGRAM_API_URL } = await stage.startTelegram();
  const database = await stage.createDatabase();
  const shared = { ...database, TELEGRAM_API_URL, LIMITS_PROFILE };
  const start = async (ROLES: string) => stage.startGateway({ ...shared, ROLES, DATA_DIR: await stage.createFolder() });
  const gateways = await Promise.all([start('all'), start('api'), start('api')]);
  const manage = createManagementClient(gateways[0]);
  const urls = gateways.map(({ url }) => url);
  const endpointWith = async (settings: object) => {
    const { endpoints } = await manage.seed(1, [[0]], settings);
    const { id, path, token } = endpoints[0]!;
    return { id, slug: path.split('/').at(-1)!, token };
  };
  return { urls, manage, endpointWith, connectionString: database.DATABASE_URL };
};

const FIFTY = Array.from({ length: 50 }, (_, i) => i);

const chooseUrl = (urls: readonly string[], i: number): string => urls[i % urls.length]!;
const countByStatus = (statuses: readonly number[]): Record<number, number> =>
  Object.fromEntries(
    [...new Set(statuses)].sort().map((status) => [status, statuses.filter((s) => s === status).length]),
  );

/** Tests that a change of settings takes effect in every process at once. */
const testImmediateSettings = (
  test: (title: string, run: (deployment: Awaited<ReturnType<typeof startThreeProcesses>>) => Promise<void>) => void,
): void => {
  test('reject a rotated token and slug at once, each of them, however often they accepted it before', async (deployment) => {
    const endpoint = await deployment.endpointWith({ min_interval: 0 });
    const all = (address: typeof endpoint) =>
      Promise.all(deployment.urls.map(async (url) => (await sendRequest(url, address)).status));
    for (let round = 0; round < 3; round++) {
      expect(await all(endpoint)).toEqual([200, 200, 200]);
      const { token } = await deployment.manage.post<{ token: string }>(`/endpoints/${endpoint.id}/rotate-token`);
      expect(await all(endpoint)).toEqual([401, 401, 401]);
      Object.assign(endpoint, { token });
    }
    const { slug } = await deployment.manage.post<{ slug: string }>(`/endpoints/${endpoint.id}/rotate-slug`);
    expect(await all(endpoint)).toEqual([401, 401, 401]);
    expect(await all({ ...endpoint, slug })).toEqual([200, 200, 200]);
  });

  test('apply a changed project, allowlist and state at once, each of them', async (deployment) => {
    const endpoint = await deployment.endpointWith({ min_interval: 0 });
    const all = () =>
      Promise.all(
        deployment.urls.map(async (url) => {
          const { status, text } = await sendRequest(url, endpoint);
          return status === 200 ? (JSON.parse(text) as { queued_targets: number }).queued_targets : status;
        }),
      );
    const patch = (change: object) => deployment.manage.patch(`/endpoints/${endpoint.id}`, change);
    expect(await all()).toEqual([1, 1, 1]);
    await patch({ project_ids: [] });
    expect(await all()).toEqual([0, 0, 0]);
    await patch({ ip_allowlist: ['10.0.0.0/8'] });
    expect(await all()).toEqual([401, 401, 401]);
    await patch({ ip_allowlist: [] });
    await deployment.manage.post(`/endpoints/${endpoint.id}/disable`);
    expect(await all()).toEqual([403, 403, 403]);
    await deployment.manage.post(`/endpoints/${endpoint.id}/enable`);
    expect(await all()).toEqual([0, 0, 0]);
  });
};

describe('three processes of the API', () => {
  const test = shareHarness(async (stage) => {
    const deployment = await startThreeProcesses(stage, createProfile({ burst: null, hourly: 40 }));
    const database = new Client({ connectionString: deployment.connectionString });
    await database.connect();
    await stopLimitClock(database); // the interval, the hour and its quota do not end during a test
    await database.end();
    return deployment;
  });

  test('answer fifty parallel posts with one key under an interval: one 200, forty-nine 202, no violation (D-19)', async (deployment) => {
    const endpoint = await deployment.endpointWith({ min_interval: 60 });
    const send = (i: number, key: string) =>
      sendRequest(chooseUrl(deployment.urls, i), endpoint, {
        body: { text: 'fifty' },
        headers: { 'idempotency-key': key },
      });
    const answers = await Promise.all(FIFTY.map((i) => send(i, 'fifty')));
    expect(countByStatus(answers.map(({ status }) => status))).toEqual({ 200: 1, 202: 49 });
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const others = [];
    for (const i of [0, 1, 2, 3, 4, 5]) others.push((await send(i, `other ${i}`)).status);
    expect(others).toEqual([429, 429, 429, 429, 429, 503]); // none of the fifty counted as a violation
  });

  test('count five violations of fifty and disable the endpoint once, for all of them', async (deployment) => {
    const endpoint = await deployment.endpointWith({ min_interval: 60 });
    expect((await sendRequest(deployment.urls[0]!, endpoint)).status).toBe(200);
    const answers = await Promise.all(FIFTY.map((i) => sendRequest(chooseUrl(deployment.urls, i), endpoint)));
    expect(countByStatus(answers.map(({ status }) => status))).toEqual({ 429: 5, 503: 45 });
    for (const url of deployment.urls) expect((await sendRequest(url, endpoint)).status).toBe(503);
    const endpointView = await deployment.manage.get<{ disabled_by: string }>(`/endpoints/${endpoint.id}`);
    expect(endpointView.disabled_by).toBe('rate_limits');
    await deployment.manage.post(`/endpoints/${endpoint.id}/enable`);
    for (const [i, url] of deployment.urls.entries())
      expect((await sendRequest(url, endpoint, { headers: { 'idempotency-key': `after ${i}` } })).status).toBe(429);
  });

  test('accept exactly the hour’s quota', async (deployment) => {
    const endpoint = await deployment.endpointWith({ min_interval: 0 });
    const answers = await Promise.all(FIFTY.map((i) => sendRequest(chooseUrl(deployment.urls, i), endpoint)));
    expect(countByStatus(answers.map(({ status }) => status))).toEqual({ 200: 40, 429: 5, 503: 5 });
  });

  testImmediateSettings(test);
});

describe('three processes of the API without limits', () => {
  const nothing = { burst: null, hourly: null, monthly_posts: null };
  const test = shareHarness((stage) =>
    startThreeProcesses(stage, createProfile(nothing, { replays_per_minute: null, violations_to_disable: null })),
  );

  // Here, only the append checks whether the endpoint has changed and whether a key is known.
  testImmediateSettings(test);

  test('answer fifty parallel posts with one key, and with two: one 200, forty-nine 202', async (deployment) => {
    const endpoint = await deployment.endpointWith({ min_interval: 0 });
    for (const [key, body] of [
      ['one', { text: 'fifty' }],
      ['two', { text: 'fifty', external_id: 'fifty' }],
    ] as const) {
      const headers = { 'idempotency-key': key };
      const answers = await Promise.all(
        FIFTY.map((i) => sendRequest(chooseUrl(deployment.urls, i), endpoint, { body, headers })),
      );
      expect(countByStatus(answers.map(({ status }) => status))).toEqual({ 200: 1, 202: 49 });
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    }
  });

  test('answer a known key before checking the body, and reject it after the token was rotated', async (deployment) => {
    const endpoint = await deployment.endpointWith({ min_interval: 0 });
    const headers = { 'idempotency-key': 'known' };
    const first = await sendRequest(deployment.urls[1]!, endpoint, { headers });
    expect(first.status).toBe(200);
    const bodies = [
      { text: 'Hello' },
      { text: 'Another' },
      { text: '' },
      { text: 'To', targets: [{ id: 'nowhere' }] },
      '{',
    ];
    for (const [i, body] of bodies.entries()) {
      const again = await sendRequest(chooseUrl(deployment.urls, i), endpoint, { headers, body });
      expect([again.status, again.text]).toEqual([202, first.text]);
      expect(again.headers.get('idempotency-payload-mismatch')).toBe(i === 0 ? null : 'true');
    }
    await deployment.manage.post(`/endpoints/${endpoint.id}/rotate-token`);
    for (const url of deployment.urls) expect((await sendRequest(url, endpoint, { headers })).status).toBe(401);
  });
});

const SECONDS = process.env.TEST_LONG ? 20 : 3;

describe('the burst of three processes of the API', () => {
  e2eTest(
    `is at most ten posts in any sliding second, over ${SECONDS} s, by the time of the limiter`,
    async (stage) => {
      const unlimitedOtherwise = createProfile({ hourly: null }, { violations_to_disable: null });
      const { urls, endpointWith, connectionString } = await startThreeProcesses(stage, unlimitedOtherwise);
      const endpoint = await endpointWith({ min_interval: 0 });
      const database = new Client({ connectionString });
      await database.connect();
      stage.addCleanup(() => database.end());
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
      let accepted = 0;
      const client = async (url: string): Promise<number[]> => {
        const statuses: number[] = [];
        // However slow the machine is, more posts are accepted than two bursts.
        while (Date.now() < until || accepted <= 20) {
          const { status } = await sendRequest(url, endpoint);
          statuses.push(status);
          if (status === 200) accepted++;
        }
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
