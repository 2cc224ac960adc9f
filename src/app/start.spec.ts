import type { Role } from '../config/settings.js';
import { banner, type Demo, describeServices, type Running } from './start.js';

it.each<[Role[], boolean, string]>([
  [['api', 'worker', 'tools'], true, '/v1, /manage/v1, /sse, /walls, /healthz, /readyz, /metrics, publishes posts'],
  [['api'], false, '/v1, /manage/v1, /healthz, /readyz, /metrics'],
  [['worker', 'tools'], false, '/sse, /healthz, /readyz, /metrics, publishes posts'],
  [['tools'], false, '/sse, /healthz, /readyz, /metrics'],
])('a process with the roles %j (demo: %s) serves %s', (roles, demo, expected) => {
  expect(describeServices({ roles: new Set(roles), demo })).toBe(expected);
});

describe('the banner', () => {
  const baseUrl = 'http://127.0.0.1:3000';
  const bannerOf = (roles: readonly Role[], demo: Demo | null, generated: 'now' | 'before' | null = null): string[] =>
    banner(
      {
        address: baseUrl,
        metricsAddress: null,
        settings: { baseUrl, roles: new Set(roles), demo: demo !== null, dataDir: '/data' },
        infrastructure: { keys: { operatorKey: 'the-key', operatorKeyGenerated: generated } },
        networks: { standIns: [] },
      } as unknown as Running,
      demo,
    ).split('\n');
  const endpoint = { url: `${baseUrl}/v1/webhooks/slug`, token: 'token', enableUrl: null };

  it("begins with the console's address, which in demo mode signs in", () => {
    const [, demo] = bannerOf(['api', 'worker', 'tools'], { endpoint, signInCode: 'c0de' });
    expect(demo).toBe(`  Console        ${baseUrl}/console#code=c0de`);
    expect(bannerOf(['api', 'worker', 'tools'], { endpoint, signInCode: null })[1]).toBe(
      `  Console        ${baseUrl}/console`,
    );
    expect(bannerOf(['api'], null)[1]).toBe(`  Console    ${baseUrl}/console`);
  });

  it('shows a generated operator key at the first start alone, later where it is kept', () => {
    const lineOf = (generated: 'now' | 'before' | null): string =>
      bannerOf(['api'], null, generated).find((line) => line.includes('Operator key')) ?? '';
    expect(lineOf('now')).toMatch(/Operator key +the-key$/);
    expect(lineOf('before')).toMatch(/Operator key +in \/data\/keys\.json$/);
    expect(lineOf(null)).toBe('');
  });

  it('names no console and no endpoint where there is none', () => {
    expect(bannerOf(['worker'], null)[1]).toBe(`  Crosspost  ${baseUrl}  (worker)`);
    const lines = bannerOf(['api', 'worker'], { endpoint: null, signInCode: 'c0de' }).join('\n');
    expect(lines).not.toMatch(/Demo endpoint|curl/);
  });
});
