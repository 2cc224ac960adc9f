import { countOf } from '../kernel/message.js';
import { readExtraCertificates } from './extra-certificates.js';
import { readLimitsProfile } from './limits-profile.js';
import { mediaSettings } from './media-settings.js';
import { MASK, maskBaseUrl, maskUrl } from './redact.js';
import {
  defaulted,
  formatOnOff,
  matching,
  oneOf,
  optional,
  parseBaseUrl,
  parseCidrs,
  parseDatabaseUrl,
  parseHost,
  parseKey32,
  parseOnOff,
  parseOrigins,
  parseTime,
  type Setting,
  wholeNumber,
} from './setting.js';
import type { Environment, LogLevel, Role } from './settings.js';

const ROLES: readonly Role[] = ['api', 'worker', 'tools'];
const ENVIRONMENTS: readonly Environment[] = ['development', 'test', 'production'];
const LEVELS: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** A day, in ms. */
export const DAY_MS = 86_400_000;

// Parts that several settings share.
const secret = { hide: () => MASK, mayBeFile: true } as const;
const accessKey = {
  ...secret,
  takes: 'visible ASCII characters without spaces',
  read: matching(/^[\x21-\x7e]{1,512}$/),
};
const key32 = { ...secret, takes: '32 bytes in base64, e.g. from "openssl rand -base64 32"', read: parseKey32 };
const onOff = { takes: '"on" or "off"', read: parseOnOff };
const seconds = { takes: 'whole seconds from 1 to 3600', read: wholeNumber(1, 3_600) };
const days = { takes: 'whole days from 1 to 36500', read: wholeNumber(1, 36_500) };

const parseRoles = (text: string): ReadonlySet<Role> => {
  const words = text.split(',').map((word) => oneOf([...ROLES, 'all'])(word.trim()));
  return new Set(words.flatMap((word) => (word === 'all' ? ROLES : [word])));
};

/** The part of a network descriptor that the settings need. */
export interface NetworkSetting {
  readonly id: string;
  /** Display name. */
  readonly title: string;
  readonly baseUrl: {
    /** Name of the setting. */
    readonly setting: string;
    /** First path segment after the base URL in a call. */
    readonly path: string;
  };
}

const networkUrl = ({ id, title, baseUrl }: NetworkSetting): Setting<string | null> =>
  optional("the stand-in in demo mode, else the network's own", {
    takes: 'an http or https URL',
    description: `base URL of ${title}: the part before ${baseUrl.path}`,
    hide: maskBaseUrl,
    read: parseBaseUrl,
    show: (s) => s.apiUrls[id] ?? '(default)',
  });

/** All settings except the networks' base URLs, in the order of `--help` (management-api.md: Settings). */
export const schema = {
  HOST: defaulted('127.0.0.1', {
    takes: 'an IP address or a host name',
    description: 'address that the API listens on',
    read: parseHost,
    show: (s) => s.host,
  }),
  PORT: defaulted('3000', {
    takes: 'a port from 0 to 65535',
    description: 'port that the API listens on; 0 chooses a free port and prints it',
    read: wholeNumber(0, 65_535),
    show: (s) => String(s.port),
  }),
  BASE_URL: optional('from host and port', {
    takes: 'an http or https URL without query, e.g. https://post.example.com',
    description: 'start of the URLs in responses',
    hide: maskBaseUrl,
    read: parseBaseUrl,
    show: (s) => s.baseUrl ?? '(from host and port)',
  }),
  DATA_DIR: defaulted('.data', {
    takes: 'a folder',
    description: "folder for the embedded PostgreSQL's data, the generated keys, and media files during publishing",
    read: (text) => text,
    show: (s) => s.dataDir,
  }),
  DATABASE_URL: optional('embedded PostgreSQL 18', {
    takes: 'a PostgreSQL URL: postgresql://user:password@host:5432/database',
    description:
      'PostgreSQL 15 or later for read models, the schedule, limits and secrets, and for events unless EVENT_STORE_URL is set',
    hide: maskUrl,
    mayBeFile: true,
    read: parseDatabaseUrl,
    show: (s) => (s.databaseUrl === null ? '(embedded PostgreSQL)' : maskUrl(s.databaseUrl)),
  }),
  DATABASE_POOL: optional('from the roles: 20 for api, 26 with worker', {
    takes: 'a number of connections from 6 to 1000',
    description:
      'maximum number of connections to PostgreSQL that this process opens; checked at start against the limits of the server',
    read: wholeNumber(6, 1_000),
    show: (s) => (s.databasePool === null ? '(from the roles)' : String(s.databasePool)),
  }),
  EVENT_STORE_URL: optional('the database', {
    takes: 'a KurrentDB or EventStoreDB URL: kurrentdb://… or esdb://…',
    description: 'KurrentDB or EventStoreDB that stores the events',
    hide: maskUrl,
    mayBeFile: true,
    read: matching(/^(kurrentdb|esdb)(\+discover)?:\/\/\S+$/i),
    show: (s) => (s.eventStoreUrl === null ? '(the database)' : maskUrl(s.eventStoreUrl)),
  }),
  RESTORED_AT: optional('none', {
    takes: 'a date and time with an offset, e.g. 2026-11-02T10:00:00Z',
    description:
      'time at which a backup was restored on a machine that cannot notice it; holds what was waiting, once for each value',
    read: parseTime,
    show: (s) => s.restoredAt?.text ?? 'none',
  }),
  ROLES: defaulted('all', {
    takes: 'api, worker, tools or all, comma-separated',
    description: 'parts of the program that this process runs',
    read: parseRoles,
    show: (s) => [...s.roles].join(','),
  }),
  BRAND: defaulted('service', {
    takes: 'a word of 1 to 32 letters, digits and single hyphens that begins with a letter',
    description: 'name in headers, tokens and tools: X-Service-…, service_live_…, service_publish',
    read: (text) => matching(/^(?=.{1,32}$)[a-z][a-z0-9]*(-[a-z0-9]+)*$/)(text.toLowerCase()),
    show: (s) => s.brand,
  }),
  OPERATOR_KEY: optional('generated, stored in DATA_DIR, shown at start', {
    ...accessKey,
    description: "the operator's key for the management API",
    show: (s) => (s.operatorKey === null ? '(generated)' : MASK),
  }),
  SECRETS_KEY: optional('generated and stored in DATA_DIR with the embedded PostgreSQL; required with DATABASE_URL', {
    ...key32,
    description: 'key that encrypts credentials; a process whose key differs from that of its database does not start',
    show: (s) => (s.secretsKey === null ? '(generated)' : MASK),
  }),
  SECRETS_KEY_PREVIOUS: defaulted('none', {
    ...secret,
    takes: '"none", or former values of SECRETS_KEY, comma-separated, the oldest last',
    description:
      'keys for secrets that SECRETS_KEY cannot decrypt; needed until "crosspost secrets reseal" has finished',
    read: (text) => (text === 'none' ? [] : text.split(',').map((key) => parseKey32(key.trim()))),
    show: (s) => (s.secretsKeysPrevious.length === 0 ? 'none' : MASK),
  }),
  PACING: defaulted('on', {
    ...onOff,
    description:
      'paces calls to the networks; off: only the waits that networks demand (429) are kept; off is for tests and not allowed with NODE_ENV=production',
    show: (s) => formatOnOff(s.pacing),
  }),
  LEASE_SECONDS: defaulted('30', {
    ...seconds,
    description: 'time after which other workers take over the channels of a worker that no longer responds',
    show: (s) => String(s.leaseMs / 1000),
  }),
  SAGA_REACTION_SECONDS: defaulted('60', {
    ...seconds,
    description: 'how long a saga may take for an event; then it stops working on the event and tries again',
    show: (s) => String(s.reactionMs / 1000),
  }),
  DELIVERY_BODY_DAYS: defaulted('30', {
    ...days,
    description: 'how long the tables keep the bodies of finished webhook deliveries; the history keeps them for good',
    show: (s) => String(s.deliveryBodyMs / DAY_MS),
  }),
  JOB_DAYS: defaulted('30', {
    ...days,
    description: 'how long finished jobs are kept',
    show: (s) => String(s.jobMs / DAY_MS),
  }),
  CONTENT_MONTHS: defaulted('0', {
    takes: 'whole months from 0 to 1200',
    description:
      'content of months that ended longer ago is erased: what people wrote, and where they wrote from; 0: it is kept for ever',
    read: wholeNumber(0, 1_200),
    show: (s) => String(s.contentMonths),
  }),
  ARCHIVE_MONTHS: defaulted('0', {
    takes: 'whole months from 0 to 1200',
    description:
      'the history of months that ended longer ago moves from the database into files beside the uploads; 0: it stays',
    read: wholeNumber(0, 1_200),
    show: (s) => String(s.archiveMonths),
  }),
  STATISTICS_DAYS: defaulted('90', {
    takes: 'whole days from 0 to 36500',
    description:
      'how long all samples of the numbers of a publication are kept, then only the last; 0: no numbers are read',
    read: wholeNumber(0, 36_500),
    show: (s) => String(s.statisticsDays),
  }),
  DEMO: optional('on without DATABASE_URL, else off; never on by default with NODE_ENV=production', {
    ...onOff,
    description:
      'starts stand-ins of the networks and creates a demo owner; with NODE_ENV=production OPERATOR_KEY must then be set',
    show: (s) => formatOnOff(s.demo),
  }),
  METRICS_KEY: optional('none', {
    ...accessKey,
    description:
      "bearer key for /metrics; if neither this nor METRICS_PORT is set, /metrics requires the operator's key with NODE_ENV=production",
    show: (s) => (s.metricsKey === null ? 'none' : MASK),
  }),
  EXTRA_CA_CERTS: optional('none', {
    takes: 'the path of a PEM file with one or more certificates',
    description:
      "certificates of authorities to trust for calls to the networks, in addition to Node's own, for a network whose authority Node does not know",
    read: readExtraCertificates,
    show: (s) => (s.extraCertificates === null ? 'none' : countOf(s.extraCertificates.length, 'certificate')),
  }),
  METRICS_PORT: optional('none', {
    takes: 'a port from 0 to 65535 other than PORT',
    description:
      "port, on HOST, of a separate listener for /metrics, /healthz and /readyz; /metrics on PORT then requires METRICS_KEY or the operator's key; 0 chooses a free port and prints it",
    read: wholeNumber(0, 65_535),
    show: (s) => (s.metricsPort === null ? 'none' : String(s.metricsPort)),
  }),
  LIMITS_PROFILE: defaulted('A', {
    takes: '"A", "B", or the path of a JSON file in the form of A or B in dist/config/limits-profiles.json',
    description: 'limits of the plans, and rate limits; null in a file means unlimited',
    read: readLimitsProfile,
    show: (s) => s.limitsProfile.name,
  }),
  MEDIA_PROBE: defaulted('on', {
    ...onOff,
    description: 'checks media with small reads before a post is accepted',
    show: (s) => formatOnOff(s.mediaProbe),
  }),
  ...mediaSettings,
  ALLOW_PRIVATE_ADDRESSES: defaulted('off', {
    takes: '"off", or CIDRs, comma-separated, e.g. 127.0.0.0/8,::1/128',
    description:
      'private addresses that media, webhooks and translation may use, with http allowed; for tests, not allowed with NODE_ENV=production',
    read: (text) => (text === 'off' ? [] : parseCidrs(text)),
    show: (s) => s.allowPrivateAddresses.join(',') || 'off',
  }),
  TRUSTED_PROXIES: defaulted('none', {
    takes: '"none", or CIDRs, comma-separated, e.g. 10.0.0.0/8',
    description: 'proxies whose X-Forwarded-For header is trusted',
    read: (text) => (text === 'none' ? [] : parseCidrs(text)),
    show: (s) => s.trustedProxies.join(',') || 'none',
  }),
  CORS_ORIGINS: defaulted('none', {
    takes: '"none", or origins, comma-separated, e.g. https://app.example.com',
    description: 'origins whose pages may call /v1, /manage/v1 and the assistant tools',
    hide: (text) => text.replaceAll(/\/\/[^/,]*@/g, `//${MASK}@`),
    read: (text) => (text === 'none' ? [] : parseOrigins(text)),
    show: (s) => s.corsOrigins.join(',') || 'none',
  }),
  MAINTENANCE: defaulted('off', {
    ...onOff,
    description: 'on: all requests to /v1 are rejected with 503 rejected_disabled',
    show: (s) => formatOnOff(s.maintenance),
  }),
  HISTORY_ORIGIN: optional("BASE_URL without its scheme, and /history; later the log's own", {
    takes: 'a URL without scheme, spaces and "+", e.g. post.example.com/history',
    description: "origin and key name of the history's checkpoints",
    read: matching(/^(?!.*:\/\/)[^\s+]{1,200}$/),
    show: (s) => s.historyOrigin ?? '(from BASE_URL)',
  }),
  HISTORY_KEY: optional('derived from SECRETS_KEY', {
    ...key32,
    description: "seed of the Ed25519 key that signs the history's checkpoints",
    show: (s) => (s.historyKey === null ? '(derived)' : MASK),
  }),
  MINUTE_MS: defaulted('60000', {
    takes: 'whole milliseconds from 1 to 3600000',
    description:
      'length of a minute in pauses, backlog spacing, webhook retries, notices, secret overlaps, take-backs and statistics; for demos and tests: NODE_ENV=production allows only 60000',
    read: wholeNumber(1, 3_600_000),
    show: (s) => String(s.minuteMs),
  }),
  LOG_LEVEL: defaulted('info', {
    takes: LEVELS.join(', '),
    description: 'lowest level of messages that are logged to stderr',
    read: oneOf(LEVELS),
    show: (s) => s.logLevel,
  }),
  NODE_ENV: defaulted('development', {
    takes: '"development", "test" or "production"',
    description:
      'production: needs DATABASE_URL, or DEMO=on with OPERATOR_KEY, and does not allow settings that are only for tests',
    read: oneOf(ENVIRONMENTS),
    show: (s) => s.environment,
  }),
} satisfies Record<string, Setting>;

/** Environment variable of a setting. */
export type SettingName = keyof typeof schema;

/** Parsed values of the settings, by name. */
export type SettingValues = {
  readonly [Name in SettingName]: (typeof schema)[Name] extends Setting<infer T> ? T : never;
};

/** First setting after the networks' base URLs, in the order of `--help`. */
const AFTER_NETWORKS: SettingName = 'DEMO';

/** Returns all settings by name, including the networks', in the order of `--help`. */
export const schemaWith = (networks: readonly NetworkSetting[]): readonly (readonly [string, Setting])[] => {
  const urls = networks.map((network) => [network.baseUrl.setting, networkUrl(network)] as const);
  return Object.entries(schema).flatMap(([name, setting]: [string, Setting]) =>
    name === AFTER_NETWORKS ? [...urls, [name, setting] as const] : [[name, setting] as const],
  );
};
