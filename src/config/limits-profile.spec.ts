import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PLANS } from '../domain/owner/owner.events.js';
import { readLimitsProfile } from './limits-profile.js';

describe('limits profiles', () => {
  it.each([
    ['A', { pro: [10, 1, 100], maxi: [10, 1, 300], business: [10, 1, 1000] }],
    ['B', { pro: [1, 5, 300], maxi: [1, 2, 1000], business: [1, 1, 5000] }],
  ] as const)(
    'version %s has the published bursts and hourly quotas (publish-api.md: Limits, D-15)',
    (name, figures) => {
      const { plans } = readLimitsProfile(name);
      for (const [plan, [requests, perSeconds, hourly]] of Object.entries(figures))
        expect(plans[plan as keyof typeof figures]).toMatchObject({ burst: { requests, perSeconds }, hourly });
    },
  );

  it.each(['A', 'B'])(
    'version %s has the figures that both versions share (publish-api.md: Limits; D-16, D-17, D-18, D-45, D-67)',
    (name) => {
      const { plans, ...rest } = readLimitsProfile(name);
      const column = <K extends keyof (typeof plans)['free']>(key: K): unknown[] =>
        PLANS.map((plan) => plans[plan][key]);
      expect(column('monthlyPosts')).toEqual([30, 150, 500, 2000, 10_000, null]);
      expect(column('sandboxDaily')).toEqual([100, 1000, null, null, null, null]);
      expect(column('webhookInput')).toEqual([false, false, false, true, true, true]);
      expect(column('webhookOutput')).toEqual([false, false, true, true, true, true]);
      const capsOf = (owned: number, targetsPerPost: number, plannedPosts: number, keys: number, mediaMb: number) => ({
        channels: owned,
        projects: owned,
        endpoints: owned,
        webhookOutputs: owned,
        outputsPerProject: 20,
        targetsPerPost,
        plannedPosts,
        keys,
        mediaBytes: mediaMb * 1_048_576,
      });
      expect(column('resources')).toEqual([
        capsOf(10, 50, 50, 5, 100),
        capsOf(25, 100, 500, 10, 500),
        capsOf(50, 200, 2_000, 25, 2_048),
        capsOf(200, 500, 10_000, 50, 20_480),
        capsOf(500, 1000, 50_000, 100, 102_400),
        capsOf(2000, 2000, 500_000, 500, 512_000),
      ]);
      expect(rest).toEqual({
        name,
        minInterval: { min: 1, max: 60, default: 10 },
        discoveryPerMinute: 60,
        pausesPerMinute: 60,
        changesPerMinute: 60,
        managementChangesPerMinute: 600,
        uploadsPerMinute: 60,
        replaysPerMinute: 60,
        probesPerMinute: 600,
        probeBytesPerMinute: 209_715_200,
        previewMsPerMinute: 10_000,
        violationsToDisable: 5,
      });
    },
  );

  describe('from a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'limits-'));
    const file = join(folder, 'limits.json');
    afterAll(() => rmSync(folder, { recursive: true }));

    type Tree = Record<string, unknown>;
    const changed = (path: string, value: unknown): string => {
      const { A } = JSON.parse(readFileSync(new URL('./limits-profiles.json', import.meta.url), 'utf8')) as { A: Tree };
      const keys = path.split('.');
      const last = keys.pop()!;
      const place = keys.reduce<Tree>((tree, key) => tree[key] as Tree, A);
      if (value === undefined) delete place[last];
      else place[last] = value;
      writeFileSync(file, JSON.stringify(A));
      return file;
    };

    it('accept null for unlimited and 0 for the smallest interval', () => {
      expect(readLimitsProfile(changed('plans.pro.burst', null)).plans.pro.burst).toBeNull();
      expect(readLimitsProfile(changed('plans.pro.hourly', null)).plans.pro.hourly).toBeNull();
      expect(readLimitsProfile(changed('violations_to_disable', null)).violationsToDisable).toBeNull();
      const interval = { min: 0, max: 60, default: 0 };
      expect(readLimitsProfile(changed('min_interval', interval))).toMatchObject({ name: file, minInterval: interval });
    });

    it('have the published probe budget where it is missing, and none where it is null (D-51)', () => {
      expect(readLimitsProfile(changed('probes_per_minute', undefined)).probesPerMinute).toBe(600);
      expect(readLimitsProfile(changed('probe_bytes_per_minute', undefined)).probeBytesPerMinute).toBe(209_715_200);
      expect(readLimitsProfile(changed('preview_ms_per_minute', undefined)).previewMsPerMinute).toBe(10_000);
      expect(readLimitsProfile(changed('preview_ms_per_minute', null)).previewMsPerMinute).toBeNull();
      expect(readLimitsProfile(changed('probes_per_minute', null)).probesPerMinute).toBeNull();
    });

    it('have no caps where a plan names none, and none for what it leaves out (D-67)', () => {
      const none = {
        channels: null,
        projects: null,
        endpoints: null,
        webhookOutputs: null,
        outputsPerProject: null,
        targetsPerPost: null,
        plannedPosts: null,
        keys: null,
        mediaBytes: null,
      };
      for (const absent of [undefined, null, {}])
        expect(readLimitsProfile(changed('plans.pro.resources', absent)).plans.pro.resources).toEqual(none);
      const some = { channels: 3, projects: null, webhook_outputs: 0 };
      const { resources } = readLimitsProfile(changed('plans.pro.resources', some)).plans.pro;
      expect(resources).toEqual({ ...none, channels: 3, webhookOutputs: 0 });
    });

    it.each<[string, unknown, string]>([
      ['plans.pro.resources', 10, 'plans.pro.resources must be an object; it is 10'],
      [
        'plans.pro.resources.channels',
        -1,
        'plans.pro.resources.channels must be a whole number from 0 to 1000000000, or null for unlimited; it is -1',
      ],
      [
        'plans.pro.resources.targets_per_post',
        0,
        'plans.pro.resources.targets_per_post must be a whole number from 1 to 1000000000, or null for unlimited; it is 0',
      ],
      ['probes_per_minute', 0, 'probes_per_minute must be a whole number from 1 to 1000000000, or null for unlimited'],
      ['probe_bytes_per_minute', '1 MB', 'probe_bytes_per_minute must be a whole number from 1, or null for unlimited'],
      ['plans', undefined, 'plans must be an object; it is missing'],
      ['plans.pro', undefined, 'plans.pro must be an object; it is missing'],
      ['plans.pro', [], 'plans.pro must be an object; it is []'],
      ['plans.pro.hourly', '100', 'plans.pro.hourly must be a whole number from 0, or null for unlimited; it is "100"'],
      ['plans.maxi.hourly', 1.5, 'plans.maxi.hourly must be a whole number from 0, or null for unlimited; it is 1.5'],
      ['plans.free.sandbox_daily', -1, 'plans.free.sandbox_daily must be a whole number from 0, or null'],
      ['plans.free.webhook_input', 'no', 'plans.free.webhook_input must be true or false; it is "no"'],
      ['plans.pro.burst', undefined, 'plans.pro.burst must be an object; it is missing'],
      ['plans.pro.burst.requests', 0, 'plans.pro.burst.requests must be a whole number from 1 to 1000000000; it is 0'],
      ['plans.pro.burst.requests', 5e9, 'plans.pro.burst.requests must be a whole number from 1 to 1000000000'],
      [
        'plans.pro.burst.per_seconds',
        0,
        'plans.pro.burst.per_seconds must be a number above 0, at most 2678400; it is 0',
      ],
      [
        'plans.pro.burst.per_seconds',
        5e9,
        'plans.pro.burst.per_seconds must be a number above 0, at most 2678400; it is 5',
      ],
      ['min_interval.min', null, 'min_interval.min must be a whole number from 0 to 2678400; it is null'],
      ['min_interval.max', 0, 'min_interval.max must be a whole number from 1 to 2678400; it is 0'],
      ['min_interval.max', 5e12, 'min_interval.max must be a whole number from 1 to 2678400; it is 5000000000000'],
      ['min_interval.default', 61, 'min_interval.default must be a whole number from 1 to 60; it is 61'],
      [
        'discovery_per_minute',
        0,
        'discovery_per_minute must be a whole number from 1 to 1000000000, or null for unlimited; it is 0',
      ],
      [
        'replays_per_minute',
        undefined,
        'replays_per_minute must be a whole number from 1 to 1000000000, or null for unlimited',
      ],
    ])('report a wrong %s (%p)', (path, value, message) => {
      expect(() => readLimitsProfile(changed(path, value))).toThrow(`${file}: ${message}`);
    });

    it('report a file that does not exist or is not JSON', () => {
      expect(() => readLimitsProfile(join(folder, 'none.json'))).toThrow(`cannot read ${folder}/none.json (ENOENT)`);
      writeFileSync(file, '{ plans');
      expect(() => readLimitsProfile(file)).toThrow(`${file} is not JSON`);
      writeFileSync(file, '[]');
      expect(() => readLimitsProfile(file)).toThrow(`${file}: the file must be an object; it is []`);
    });
  });
});
