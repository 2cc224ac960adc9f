import { type Running } from '../../src/app/start.js';
import { until } from '../e2e/until.js';
import { freePort } from '../support/free-port.js';
import { startGateway } from '../support/gateway-process.js';
import { startTestPostgres } from '../support/postgres.js';
import { SECRETS_KEY, TestEnvironment } from '../support/test-environment.js';

const OPERATOR_KEY = 'service_operator_listener_tests';
const withKey = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

const startEnvironment = (env: Readonly<Record<string, string>>) =>
  TestEnvironment.start({ startNetworks: () => Promise.resolve({}), operatorKey: OPERATOR_KEY, env });

describe('the listener of METRICS_PORT', () => {
  let environment: TestEnvironment<Record<string, never>>;
  let running: Running;
  beforeAll(async () => {
    environment = await startEnvironment({ METRICS_PORT: '0' });
    running = await environment.startProcess();
  });
  afterAll(() => environment.stop());

  it('serves metrics, liveness and readiness, and nothing else', async () => {
    const statuses = async (...paths: string[]) =>
      Promise.all(paths.map(async (path) => (await fetch(running.metricsAddress + path)).status));
    expect(await statuses('/metrics', '/healthz')).toEqual([200, 200]);
    // A busy machine may take longer than the three seconds after which a check counts as failed.
    await until('it is ready', async () => {
      const ready = await fetch(`${running.metricsAddress}/readyz`);
      expect(await ready.json()).toMatchObject({ checks: { database: 'ok', event_store: 'ok' } });
      return true;
    });
    expect(await statuses('/manage/v1/owners', '/v1/webhooks/x', '/openapi.json', '/')).toEqual([404, 404, 404, 404]);
  });

  it('leaves the root of the other address, which leads to something that exists', async () => {
    const root = await fetch(running.address);
    expect(root.status).toBe(200);
    if (!root.redirected)
      expect(await root.json()).toMatchObject({ ok: true, routes: expect.arrayContaining(['GET /healthz']) });
  });

  it('answers what it does not serve in the form of every other answer', async () => {
    const answer = await fetch(`${running.metricsAddress}/nothing`, { method: 'POST', body: '{}' });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({
      ok: false,
      code: 'not_found',
      request_id: expect.stringMatching(/^req_/),
    });
  });

  it('closes /metrics on PORT to all but the operator', async () => {
    const refused = await fetch(`${running.address}/metrics`);
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(await refused.json()).toMatchObject({ ok: false, code: 'unauthorized' });
    expect((await fetch(`${running.address}/metrics`, withKey(OPERATOR_KEY))).status).toBe(200);
    expect((await fetch(`${running.address}/healthz`)).status).toBe(200);
  });
});

describe('METRICS_KEY', () => {
  it('is a key for /metrics and for nothing else', async () => {
    const environment = await startEnvironment({ METRICS_KEY: 'scraper' });
    try {
      const { address } = await environment.startProcess();
      const statusOf = async (path: string, init?: RequestInit) => (await fetch(address + path, init)).status;
      expect(await statusOf('/metrics')).toBe(401);
      expect(await statusOf('/metrics', withKey('scraper'))).toBe(200);
      expect(await statusOf('/manage/v1/owners', withKey('scraper'))).toBe(401);
    } finally {
      await environment.stop();
    }
  });
});

describe('a process', () => {
  it('prints the address of the listener, and ends with a sentence if its port is taken', async () => {
    const postgres = await startTestPostgres({ migrated: true });
    const metricsPort = String(await freePort());
    const env = {
      PORT: '0',
      METRICS_PORT: metricsPort,
      DATABASE_URL: postgres.connectionString,
      SECRETS_KEY,
      OPERATOR_KEY,
    };
    const first = await startGateway(env);
    try {
      expect(first.program.output).toMatch(new RegExp(`Metrics +http://127\\.0\\.0\\.1:${metricsPort}/metrics`));
      await expect(startGateway(env)).rejects.toThrow(/METRICS_PORT \d+ on 127\.0\.0\.1 is used by another program/);
    } finally {
      await first.program.terminate();
      await postgres.stop();
    }
  });
});
