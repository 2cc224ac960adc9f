import { readLimitsProfile } from './limits-profile.js';
import { MASK, maskUrl } from './mask.js';
import {
  baseUrl,
  cidrs,
  databaseUrl,
  host,
  key32,
  matching,
  onOff,
  onOrOff,
  oneOf,
  type Setting,
  whole,
} from './setting.js';
import type { LogLevel, Role, Settings } from './settings.js';

const ROLES: readonly Role[] = ['api', 'worker', 'tools'];
const LEVELS: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** A setting that always has a value. */
const defaulted = <T>(initial: string, setting: Omit<Setting<T>, 'defaultText' | 'initial'>): Setting<T> => ({
  ...setting,
  initial,
  defaultText: initial,
});

/** A setting that is null where nobody set it; the words say what happens then. */
const optional = <T>(defaultText: string, setting: Omit<Setting<T>, 'defaultText' | 'initial'>): Setting<T | null> => ({
  ...setting,
  defaultText,
});

const hidden = { hide: () => MASK };

const roles = (text: string): ReadonlySet<Role> => {
  const words = text.split(',').map((word) => oneOf([...ROLES, 'all'])(word.trim()));
  return new Set(words.flatMap((word) => (word === 'all' ? ROLES : [word])));
};

const network = (name: keyof Settings['apiUrls'], before: string): Setting<string | null> =>
  optional("the stand-in in demo mode, else the network's own", {
    takes: 'an http or https URL',
    meaning: `base address of the network: what stands before ${before}`,
    hide: maskUrl,
    read: baseUrl,
    show: (s) => s.apiUrls[name] ?? '(default)',
  });

/** Every setting there is, in the order in which they are explained (management-api.md: Settings). */
export const schema = {
  HOST: defaulted('127.0.0.1', {
    takes: 'an IP address or a host name',
    meaning: 'where the API listens',
    read: host,
    show: (s) => s.host,
  }),
  PORT: defaulted('3000', {
    takes: 'a port from 0 to 65535',
    meaning: 'where the API listens; 0 picks a free one and prints it',
    read: whole(0, 65_535),
    show: (s) => String(s.port),
  }),
  BASE_URL: optional('from host and port', {
    takes: 'an http or https URL without query, e.g. https://post.example.com',
    meaning: 'what URLs in answers start with',
    hide: maskUrl,
    read: baseUrl,
    show: (s) => s.baseUrl ?? '(from host and port)',
  }),
  DATA_DIR: defaulted('.data', {
    takes: 'a folder',
    meaning: "the embedded PostgreSQL's data, the generated keys, and media on their way to the networks",
    read: (text) => text,
    show: (s) => s.dataDir,
  }),
  DATABASE_URL: optional('embedded PostgreSQL 18', {
    takes: 'a PostgreSQL URL: postgresql://user:password@host:5432/database',
    meaning:
      'PostgreSQL 15 or later: read models, schedule, limits, secrets; and events, unless EVENT_STORE_URL is set',
    hide: maskUrl,
    read: databaseUrl,
    show: (s) => (s.databaseUrl === null ? '(embedded PostgreSQL)' : maskUrl(s.databaseUrl)),
  }),
  EVENT_STORE_URL: optional('the database', {
    takes: 'a KurrentDB or EventStoreDB URL: kurrentdb://… or esdb://…',
    meaning: 'events in KurrentDB or EventStoreDB',
    hide: maskUrl,
    read: matching(/^(kurrentdb|esdb)(\+discover)?:\/\/\S+$/i),
    show: (s) => (s.eventStoreUrl === null ? '(the database)' : maskUrl(s.eventStoreUrl)),
  }),
  ROLES: defaulted('all', {
    takes: 'api, worker, tools or all, comma-separated',
    meaning: 'which parts of the program this process runs',
    read: roles,
    show: (s) => [...s.roles].join(','),
  }),
  BRAND: defaulted('service', {
    takes: 'a word of 1 to 32 letters, digits and single hyphens that begins with a letter',
    meaning: 'the name in headers, tokens and tools: X-Service-…, service_live_…, service_publish',
    read: (text) => matching(/^(?=.{1,32}$)[a-z][a-z0-9]*(-[a-z0-9]+)*$/)(text.toLowerCase()),
    show: (s) => s.brand,
  }),
  OPERATOR_KEY: optional('generated, kept in DATA_DIR, shown at start', {
    ...hidden,
    takes: 'visible ASCII characters without spaces',
    meaning: "the operator's key of the management API",
    read: matching(/^[\x21-\x7e]{1,512}$/),
    show: (s) => (s.operatorKey === null ? '(generated)' : MASK),
  }),
  SECRETS_KEY: optional('generated, kept in DATA_DIR, with the embedded PostgreSQL; must be set with DATABASE_URL', {
    ...hidden,
    takes: '32 bytes in base64, e.g. from "openssl rand -base64 32"',
    meaning: 'encrypts credentials; a process whose key does not fit the database refuses to start',
    read: key32,
    show: (s) => (s.secretsKey === null ? '(generated)' : MASK),
  }),
  PACING: defaulted('on', {
    takes: '"on" or "off"',
    meaning:
      'off: no pacing of our own towards the networks (their 429s are still obeyed); for tests, refused with NODE_ENV=production',
    read: onOff,
    show: (s) => onOrOff(s.pacing),
  }),
  LEASE_SECONDS: defaulted('30', {
    takes: 'whole seconds from 1 to 3600',
    meaning: 'how long a worker that fell silent keeps a channel',
    read: whole(1, 3600),
    show: (s) => String(s.leaseMs / 1000),
  }),
  TELEGRAM_API_URL: network('telegram', '/bot<token>/…'),
  VK_API_URL: network('vk', '/method/…'),
  MAX_API_URL: network('max', '/messages'),
  OK_API_URL: network('ok', '/fb.do'),
  DEMO: optional('on without DATABASE_URL, else off', {
    takes: '"on" or "off"',
    meaning: 'stand-in networks and a seeded demo owner',
    read: onOff,
    show: (s) => onOrOff(s.demo),
  }),
  LIMITS_PROFILE: defaulted('A', {
    takes: '"A", "B", or the path of a JSON file of the form that A and B have in dist/config/limits-profiles.json',
    meaning: 'plan figures and rate limits; null in a file means unlimited',
    read: (text) => readLimitsProfile(text),
    show: (s) => s.limitsProfile.name,
  }),
  MEDIA_PROBE: defaulted('on', {
    takes: '"on" or "off"',
    meaning: 'look at media with small reads before a post is accepted',
    read: onOff,
    show: (s) => onOrOff(s.mediaProbe),
  }),
  ALLOW_PRIVATE_ADDRESSES: defaulted('off', {
    takes: '"off", or CIDRs, comma-separated, e.g. 127.0.0.0/8,::1/128',
    meaning:
      'private addresses that media, webhooks and translation may reach, over plain http too; for tests, refused with NODE_ENV=production',
    read: (text) => (text === 'off' ? [] : cidrs(text)),
    show: (s) => s.allowPrivateAddresses.join(',') || 'off',
  }),
  TRUSTED_PROXIES: defaulted('none', {
    takes: '"none", or CIDRs, comma-separated, e.g. 10.0.0.0/8',
    meaning: 'proxies whose X-Forwarded-For counts',
    read: (text) => (text === 'none' ? [] : cidrs(text)),
    show: (s) => s.trustedProxies.join(',') || 'none',
  }),
  MAINTENANCE: defaulted('off', {
    takes: '"on" or "off"',
    meaning: 'on: /v1 answers 503 rejected_disabled',
    read: onOff,
    show: (s) => onOrOff(s.maintenance),
  }),
  MINUTE_MS: defaulted('60000', {
    takes: 'whole milliseconds from 1 to 3600000',
    meaning:
      "length of a pause-minute and of the backlog's spacing, for demos and tests; refused with NODE_ENV=production",
    read: whole(1, 3_600_000),
    show: (s) => String(s.minuteMs),
  }),
  LOG_LEVEL: defaulted('info', {
    takes: LEVELS.join(', '),
    meaning: 'how much is logged, to stderr',
    read: oneOf(LEVELS),
    show: (s) => s.logLevel,
  }),
  NODE_ENV: optional('development', {
    takes: 'any word',
    meaning: 'production: refuses what is only for tests',
    read: (text) => text,
    show: (s) => (s.production ? 'production' : 'development'),
  }),
} satisfies Record<string, Setting>;

/** Name of a setting, as the environment has it. */
export type SettingName = keyof typeof schema;

/** What reading the schema gives, by name. */
export type SettingValues = {
  readonly [Name in SettingName]: (typeof schema)[Name] extends Setting<infer T> ? T : never;
};
