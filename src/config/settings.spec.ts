import { PLATFORMS } from '../platforms/catalogue.js';
import { defaultBaseUrl, describeSettings, helpText, loadSettings as load, SettingsError } from './settings.js';

const loadSettings = (env: NodeJS.ProcessEnv) => load(env, PLATFORMS.all);

const KEY = Buffer.alloc(32, 7);
const SECRETS_KEY = KEY.toString('base64');
const FORMER = [8, 9].map((byte) => Buffer.alloc(32, byte).toString('base64'));

const problemsOf = (env: NodeJS.ProcessEnv): readonly string[] => {
  try {
    loadSettings(env);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
};

describe('settings', () => {
  it('have the documented defaults', () => {
    expect(loadSettings({})).toEqual({
      host: '127.0.0.1',
      port: 3000,
      baseUrl: 'http://127.0.0.1:3000',
      dataDir: `${process.cwd()}/.data`,
      databaseUrl: null,
      databasePool: null,
      eventStoreUrl: null,
      roles: new Set(['api', 'worker', 'tools']),
      brand: 'service',
      operatorKey: null,
      secretsKey: null,
      secretsKeysPrevious: [],
      pacing: true,
      leaseMs: 30_000,
      reactionMs: 60_000,
      contentMonths: 0,
      archiveMonths: 0,
      deliveryBodyMs: 30 * 86_400_000,
      jobMs: 30 * 86_400_000,
      statisticsDays: 90,
      apiUrls: { telegram: null, vk: null, max: null, ok: null },
      demo: true,
      limitsProfile: expect.objectContaining({ name: 'A' }) as unknown,
      mediaProbe: true,
      mediaStore: { folder: `${process.cwd()}/.data/uploads` },
      mediaMs: 30 * 86_400_000,
      metricsKey: null,
      extraCertificates: null,
      restoredAt: null,
      metricsPort: null,
      allowPrivateAddresses: [],
      trustedProxies: [],
      corsOrigins: [],
      maintenance: false,
      historyOrigin: null,
      historyKey: null,
      minuteMs: 60_000,
      logLevel: 'info',
      environment: 'development',
      production: false,
    });
  });

  it('count as not set if they are empty or blank', () => {
    expect(loadSettings({ DATABASE_URL: '', PORT: ' ', OPERATOR_KEY: '', LIMITS_PROFILE: '' })).toEqual(
      loadSettings({}),
    );
  });

  it('are read from the environment', () => {
    const settings = loadSettings({
      HOST: '::',
      PORT: '0',
      BASE_URL: 'https://post.example.com/gate/',
      DATA_DIR: '/var/lib/crosspost',
      DATABASE_URL: 'postgresql://me:secret@db.example.com:5432/posts?sslmode=verify-full',
      DATABASE_POOL: '6',
      EVENT_STORE_URL: 'esdb+discover://admin:changeit@one:2113,two:2113?tls=true',
      ROLES: 'worker, tools',
      BRAND: 'Acme',
      OPERATOR_KEY: 'k',
      SECRETS_KEY,
      SECRETS_KEY_PREVIOUS: `${FORMER[0]}, ${FORMER[1]}`,
      PACING: 'off',
      LEASE_SECONDS: '5',
      SAGA_REACTION_SECONDS: '7',
      CONTENT_MONTHS: '18',
      ARCHIVE_MONTHS: '6',
      DELIVERY_BODY_DAYS: '2',
      JOB_DAYS: '3',
      TELEGRAM_API_URL: 'http://127.0.0.1:4001/',
      OK_API_URL: 'https://ok.example.com/api',
      DEMO: 'on',
      LIMITS_PROFILE: 'B',
      MEDIA_PROBE: 'off',
      ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8, ::1',
      TRUSTED_PROXIES: '10.1.2.3',
      CORS_ORIGINS: 'https://App.Example.com:443, http://localhost:5173',
      MAINTENANCE: 'on',
      MINUTE_MS: '50',
      LOG_LEVEL: 'warn',
      NODE_ENV: 'test',
    });
    expect(settings).toMatchObject({
      host: '::',
      port: 0,
      baseUrl: 'https://post.example.com/gate',
      dataDir: '/var/lib/crosspost',
      databaseUrl: 'postgresql://me:secret@db.example.com:5432/posts?sslmode=verify-full',
      databasePool: 6,
      eventStoreUrl: 'esdb+discover://admin:changeit@one:2113,two:2113?tls=true',
      roles: new Set(['worker', 'tools']),
      brand: 'acme',
      operatorKey: 'k',
      pacing: false,
      leaseMs: 5_000,
      reactionMs: 7_000,
      contentMonths: 18,
      archiveMonths: 6,
      deliveryBodyMs: 2 * 86_400_000,
      jobMs: 3 * 86_400_000,
      apiUrls: { telegram: 'http://127.0.0.1:4001', vk: null, max: null, ok: 'https://ok.example.com/api' },
      demo: true,
      mediaProbe: false,
      allowPrivateAddresses: ['127.0.0.0/8', '::1/128'],
      trustedProxies: ['10.1.2.3/32'],
      corsOrigins: ['https://app.example.com', 'http://localhost:5173'],
      maintenance: true,
      minuteMs: 50,
      logLevel: 'warn',
      environment: 'test',
      production: false,
    });
    expect(settings.secretsKey).toEqual(KEY);
    expect(settings.secretsKeysPrevious).toEqual([Buffer.alloc(32, 8), Buffer.alloc(32, 9)]);
    expect(settings.limitsProfile.name).toBe('B');
  });

  it('turn the demo off with DATABASE_URL, unless it is turned on', () => {
    const own = { DATABASE_URL: 'postgres://h/db', SECRETS_KEY };
    expect(loadSettings(own).demo).toBe(false);
    expect(loadSettings({ ...own, DEMO: 'on' }).demo).toBe(true);
    expect(loadSettings({ DEMO: 'off' }).demo).toBe(false);
  });

  it('have no base URL until the port is known', () => {
    expect(loadSettings({ PORT: '0' }).baseUrl).toBeNull();
    expect(defaultBaseUrl('0.0.0.0', 8080)).toBe('http://127.0.0.1:8080');
    expect(defaultBaseUrl('::', 8080)).toBe('http://[::1]:8080');
    expect(defaultBaseUrl('fd00::1', 80)).toBe('http://[fd00::1]:80');
    expect(defaultBaseUrl('post.local', 3000)).toBe('http://post.local:3000');
  });

  it('accept a key of 32 bytes in base64 or base64url, padded or not', () => {
    const key = Buffer.alloc(32, 0xfb);
    for (const encoding of ['base64', 'base64url'] as const)
      for (const text of [key.toString(encoding), key.toString(encoding).replace(/=$/, '')])
        expect(loadSettings({ SECRETS_KEY: text }).secretsKey).toEqual(key);
  });

  it.each<[string, string[]]>([
    ['HOST', ['a b', '-x', 'http://h', '1.2.3.4/8']],
    ['PORT', ['-1', '65536', '80.5', '0x50', 'http', '1e3']],
    [
      'BASE_URL',
      ['post.example.com', 'ftp://h', 'https://h/?q=1', 'https://h/#x', 'https://u@h', 'https://', 'http://a b'],
    ],
    ['DATABASE_URL', ['mysql://h/db', 'db', 'postgres:', 'postgres://h/a b', 'postgres://h:port/db']],
    ['DATABASE_POOL', ['5', '1001', '6.5', 'many']],
    ['EVENT_STORE_URL', ['http://h:2113', 'esdb:', 'kurrentdb:// h']],
    ['ROLES', ['boss', 'api,', 'api;worker', ',']],
    ['BRAND', ['1st', 'a_b', 'a b', 'a--b', '-a', 'a-', 'é', 'x'.repeat(33)]],
    ['OPERATOR_KEY', ['a b', 'ключ', 'x'.repeat(513)]],
    [
      'SECRETS_KEY',
      [
        'short',
        `${SECRETS_KEY}A`,
        KEY.toString('hex'),
        SECRETS_KEY.replace('B', '*'),
        Buffer.alloc(31).toString('base64'),
      ],
    ],
    ['SECRETS_KEY_PREVIOUS', ['short', `${SECRETS_KEY},`, `${SECRETS_KEY},short`, `${SECRETS_KEY};${SECRETS_KEY}`]],
    ['PACING', ['true', '1', 'ON', 'yes']],
    ['LEASE_SECONDS', ['0', '1.5', '3601', 'thirty']],
    ['SAGA_REACTION_SECONDS', ['0', '1.5', '3601', 'thirty']],
    ['TELEGRAM_API_URL', ['api.telegram.org', 'tg://x']],
    ['VK_API_URL', ['x']],
    ['MAX_API_URL', ['x']],
    ['OK_API_URL', ['x']],
    ['DEMO', ['maybe']],
    ['LIMITS_PROFILE', ['C', '/nowhere/limits.json', 'package.json']],
    ['MEDIA_PROBE', ['no']],
    ['ALLOW_PRIVATE_ADDRESSES', ['on', '10/8', '0x7f.1/8', '127.0.0.0/33', '10.0.0.0/8,', 'localhost']],
    ['TRUSTED_PROXIES', ['true', '1', 'loopback', '10.0.0.0/8 10.1.0.0/16']],
    [
      'CORS_ORIGINS',
      ['*', 'app.example.com', 'https://a.example/', 'https://*.a.example', 'ftp://a', 'null', 'https://a,'],
    ],
    ['MAINTENANCE', ['true']],
    ['MINUTE_MS', ['0', '3600001', '1.5']],
    ['LOG_LEVEL', ['verbose', 'INFO']],
    ['NODE_ENV', ['prod', 'Production', 'staging', 'dev']],
  ])('reject a wrong %s, and name it', (name, values) => {
    for (const value of values) {
      const problems = problemsOf({ SECRETS_KEY, [name]: value });
      expect([value, problems.length]).toEqual([value, 1]);
      expect(problems[0]).toMatch(new RegExp(`^${name} must be .+; got "`));
    }
  });

  it('report all errors at once, each with its name, its valid values and its value', () => {
    expect(problemsOf({ PORT: '70000', PACING: 'maybe', TRUSTED_PROXIES: '10.0.0.0/8,x' })).toEqual([
      'PORT must be a port from 0 to 65535; got "70000"',
      'PACING must be "on" or "off"; got "maybe"',
      'TRUSTED_PROXIES must be "none", or CIDRs, comma-separated, e.g. 10.0.0.0/8; got "10.0.0.0/8,x" ("x" is neither a CIDR nor an address)',
    ]);
    expect(problemsOf({ BASE_URL: 'http://me:hunter2@h', VK_API_URL: 'http://me@h' })).toEqual([
      'BASE_URL must be an http or https URL without query, e.g. https://post.example.com; got "http://me:********@h" (it must not contain a user or a password)',
      'VK_API_URL must be an http or https URL; got "http://me@h" (it must not contain a user or a password)',
    ]);
    expect(() => loadSettings({ PORT: 'x', ROLES: 'y' })).toThrow(/^Settings are wrong:\n {2}PORT .*\n {2}ROLES /);
  });

  it('never show a secret, not even a wrong one', () => {
    const problems = problemsOf({
      DATABASE_URL: 'mysql://me:hunter2@h/db?password=hunter2',
      EVENT_STORE_URL: 'http://admin:hunter2@h',
      BASE_URL: 'https://me:hunter2@h',
      OPERATOR_KEY: 'hunter2 hunter2',
      SECRETS_KEY: 'hunter2',
    });
    expect(problems).toHaveLength(5);
    expect(problems.join()).not.toContain('hunter2');
    for (const value of ['host=db user=me password=hunter2 dbname=x', 'me:hunter2@h/d', 'mysql:me:hunter2@h'])
      for (const name of ['DATABASE_URL', 'EVENT_STORE_URL', 'BASE_URL', 'VK_API_URL'])
        expect(problemsOf({ SECRETS_KEY, [name]: value })).toEqual([
          expect.stringMatching(/; got "\*{8}"( \(it has no scheme.*)?$/),
        ]);
    const settings = loadSettings({
      DATABASE_URL: 'postgres://me:hun@ter2@h/db?sslpassword=hunter2',
      EVENT_STORE_URL: 'esdb://admin:hunter2@a:2113,b:2113',
      OPERATOR_KEY: 'hunter2',
      SECRETS_KEY,
    });
    const shown = describeSettings(settings, PLATFORMS.all);
    expect(JSON.stringify(shown)).not.toMatch(/hun@?ter2|BwcH/);
    expect(shown).toMatchObject({
      DATABASE_URL: 'postgres://me:********@h/db?sslpassword=********',
      EVENT_STORE_URL: 'esdb://admin:********@a:2113,b:2113',
      OPERATOR_KEY: '********',
      SECRETS_KEY: '********',
      ROLES: 'api,worker,tools',
    });
  });

  it('require SECRETS_KEY with DATABASE_URL', () => {
    expect(problemsOf({ DATABASE_URL: 'postgres://h/db' })).toEqual([
      expect.stringContaining('SECRETS_KEY must be set with DATABASE_URL') as unknown,
    ]);
  });

  it('reject in production the values that are only for tests', () => {
    const own = { DATABASE_URL: 'postgres://h/db', SECRETS_KEY };
    const tests = { PACING: 'off', ALLOW_PRIVATE_ADDRESSES: '10.0.0.0/8', MINUTE_MS: '1000', OPERATOR_KEY: 'short' };
    const env = { ...own, ...tests };
    expect(problemsOf(env)).toEqual([]);
    expect(problemsOf({ ...env, NODE_ENV: 'production' })).toEqual([
      'PACING must be "on" with NODE_ENV=production; got "off"',
      'ALLOW_PRIVATE_ADDRESSES must be "off" with NODE_ENV=production; got "10.0.0.0/8"',
      'MINUTE_MS must be 60000 with NODE_ENV=production; got "1000"',
      'OPERATOR_KEY must be at least 16 characters with NODE_ENV=production; got "********"',
    ]);
    expect(
      problemsOf({ ...own, NODE_ENV: 'production', PACING: 'on', ALLOW_PRIVATE_ADDRESSES: 'off', MINUTE_MS: '60000' }),
    ).toEqual([]);
    expect(loadSettings({ ...own, NODE_ENV: 'production' }).production).toBe(true);
  });

  it('start no demo in production unless it is asked for, and then require the operator key', () => {
    const own = { DATABASE_URL: 'postgres://h/db', SECRETS_KEY };
    const key = { OPERATOR_KEY: 'a key of the operator'.replaceAll(' ', '-') };
    const noDatabase = [
      expect.stringMatching(/^DATABASE_URL must be set with NODE_ENV=production.* DEMO=on/) as unknown,
    ];
    const noKey = [expect.stringMatching(/^OPERATOR_KEY must be set for DEMO=on with NODE_ENV=production/) as unknown];
    for (const NODE_ENV of ['development', 'test', '']) expect(loadSettings({ NODE_ENV }).demo).toBe(true);
    for (const [env, problems] of [
      [{}, noDatabase],
      [key, noDatabase],
      [{ DEMO: 'off' }, noDatabase],
      [{ DEMO: 'on' }, noKey],
      [{ ...own, DEMO: 'on' }, noKey],
      [{ DEMO: 'on', ...key }, []],
      [own, []],
    ] as const)
      expect([env, problemsOf({ ...env, NODE_ENV: 'production' })]).toEqual([env, problems]);
    expect(loadSettings({ ...own, NODE_ENV: 'production' }).demo).toBe(false);
    expect(loadSettings({ ...key, DEMO: 'on', NODE_ENV: 'production' }).demo).toBe(true);
  });

  it('explain a base URL without a scheme, and show it', () => {
    const hosts = ['gateway:8080', '10.0.0.1:80', '[::1]:3000', 'gateway/api', 'http:/post.example.com', 'https//h.x/'];
    for (const host of ['post.example.com', 'post.example.com:8080/gate', 'localhost:3000', ...hosts])
      expect(problemsOf({ BASE_URL: host })).toEqual([
        `BASE_URL must be an http or https URL without query, e.g. https://post.example.com; got "${host}" (it has no scheme: begin it with https:// or http://)`,
      ]);
  });

  it('explain a password in DATABASE_URL that is not percent-encoded, and do not show it', () => {
    const behindAt = ['hu@n/ter2', 'hu@n?ter2', 'hu@n#ter2', 'hu@12/ter2', '@/ter2', 'h:u@n/ter2'];
    for (const password of [
      ...behindAt,
      'hun/ter2',
      'hun#ter2',
      'hun?ter2',
      '12/ter2',
      '12?ter2',
      '12#ter2',
      'ter2%',
      'ter2%zz',
    ]) {
      const [problem, ...others] = problemsOf({
        SECRETS_KEY,
        DATABASE_URL: `postgres://me:${password}@db.local/posts`,
      });
      expect(problem).toMatch(/^DATABASE_URL must be .*percent-encoded: % as %25, \/ as %2F/);
      expect([others, problem!.includes('ter2')]).toEqual([[], false]);
    }
    for (const url of [
      'postgres://me:h%2Fun%25@h/db',
      'postgres://me:a@b:c@h/db',
      'postgres://h:5432/db?user=me@tenant&password=x',
      'postgres://[::1]/db?user=me@tenant',
      'postgres://me:a@b@h/db?options=-c%20x=a@b',
      'postgres:///db?host=/run/postgresql',
      'postgres://me@/db?host=/run/postgresql',
    ])
      expect([url, problemsOf({ SECRETS_KEY, DATABASE_URL: url })]).toEqual([url, []]);
  });

  it('are all explained and all shown, in lines that fit a terminal', () => {
    const shown = Object.keys(describeSettings(loadSettings({}), PLATFORMS.all));
    const help = helpText(PLATFORMS.all);
    for (const name of shown) expect(help).toMatch(new RegExp(`^  ${name} +\\S`, 'm'));
    expect(help.match(/^ {2}[A-Z]/gm)).toHaveLength(shown.length);
    expect(Math.max(...help.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  });
});
