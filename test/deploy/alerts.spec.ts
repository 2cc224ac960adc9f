import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPERATOR_KEY, TestGateway } from '../api/public/gateway.js';
import { until } from '../e2e/until.js';

const root = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const rules = read('deploy/prometheus-rules.yml');
const dashboard = JSON.parse(read('deploy/grafana-dashboard.json')) as {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
};
const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name!);

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
/** Runs Prometheus's own checks, which Debian's package `prometheus` contains. */
const withPromtool = hasPromtool ? it : it.skip;

describe('the alert rules', () => {
  const promtool = (...args: string[]): string => execFileSync('promtool', args, { cwd: root, encoding: 'utf8' });

  withPromtool('are valid for Prometheus (needs promtool)', () => {
    expect(promtool('check', 'rules', 'deploy/prometheus-rules.yml')).toContain(`${alerts.length} rules found`);
  });

  withPromtool('fire for what they describe, and not for usual figures (needs promtool)', () => {
    expect(promtool('test', 'rules', 'test/deploy/prometheus-rules.test.yml')).toContain('SUCCESS');
  });

  it('each have a test in which they fire', () => {
    const firing = read('test/deploy/prometheus-rules.test.yml').matchAll(/alertname: (\w+)\n\s+exp_alerts:/g);
    expect([...firing].map(([, name]) => name).sort()).toEqual([...alerts].sort());
  });

  it('each have a line in docs/alerts.md, and each line there is of a rule', () => {
    const documented = read('docs/alerts.md').matchAll(/^\| `(\w+)` +\| \S.+ \| \S.+ \|$/gm);
    expect([...documented].map(([, name]) => name).sort()).toEqual([...alerts].sort());
  });
});

describe('the metrics of the alert rules and of the dashboard', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start();
  });
  afterAll(() => gateway.stop());

  it('are all served', async () => {
    const expressions = [
      ...[...rules.matchAll(/expr: (.*(?:\n {10}.*)*)/g)].map(([, expression]) => expression!),
      ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ];
    expect(expressions.length).toBeGreaterThan(alerts.length);
    const names = expressions.flatMap((expression) =>
      [...expression.matchAll(/\b((?:crosspost|nodejs|process)_\w+)/g)].map(([, name]) => name!),
    );
    const used = new Set(names.map((name) => name.replace(/_bucket$/, '')));
    const page = await until('the metrics are served', async () => {
      const answer = await fetch(`${gateway.url}/metrics`, { headers: { authorization: `Bearer ${OPERATOR_KEY}` } });
      return answer.status === 200 && answer.text();
    });
    const served = new Set([...page.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name!));
    expect([...used].filter((name) => !served.has(name))).toEqual([]);
  });
});
