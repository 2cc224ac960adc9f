import { resolve } from 'node:path';
import type { LimitsProfile } from './limits-profile.js';
import { mediaStoreOf, mediaStoreProblem, type MediaStoreSettings } from './media-settings.js';
import { SETTING_MESSAGES } from './messages.js';
import { MASK } from './redact.js';
import { DAY_MS, type NetworkSetting, schemaWith, type SettingName, type SettingValues } from './schema.js';
import { type GivenValue, readGivenValue, type Setting } from './setting.js';

export { helpText } from './help.js';

/** A part of the program that a process can run. */
export type Role = 'api' | 'worker' | 'tools';
/** Minimum level of messages to log. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
/** The environment that a process runs in. Only production rejects test settings. */
export type Environment = 'development' | 'test' | 'production';

/** All settings, read once at startup (management-api.md: Settings). Times are in milliseconds. */
export interface Settings {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Without a trailing slash; null until the port is known, see {@link defaultBaseUrl}. */
  readonly baseUrl: string | null;
  /** Absolute path. */
  readonly dataDir: string;
  /** Null for the embedded PostgreSQL. */
  readonly databaseUrl: string | null;
  /** Null if derived from the roles. */
  readonly databasePool: number | null;
  /** Null if the events are in the database. */
  readonly eventStoreUrl: string | null;
  /** Time at which a backup was restored (D-80), and its text, which acts once; null if none was. */
  readonly restoredAt: { readonly text: string; readonly at: number } | null;
  readonly roles: ReadonlySet<Role>;
  /** Lower case (D-34). */
  readonly brand: string;
  /** Null if generated, see generated-keys.ts. */
  readonly operatorKey: string | null;
  /** 32 bytes; null (only with the embedded PostgreSQL) if generated, see generated-keys.ts. */
  readonly secretsKey: Buffer | null;
  /** Previous keys that can still decrypt secrets, oldest last; 32 bytes each. */
  readonly secretsKeysPrevious: readonly Buffer[];
  readonly pacing: boolean;
  readonly leaseMs: number;
  /** How long a saga may take to handle an event, in ms. */
  readonly reactionMs: number;
  /** How long the bodies of finished deliveries are kept in tables, in ms. */
  readonly deliveryBodyMs: number;
  /** How long finished jobs are kept, in ms. */
  readonly jobMs: number;
  /** After how many months what people wrote is erased; 0: never (D-100). */
  readonly contentMonths: number;
  /** After how many months old history moves from the database into files; 0: never (D-101). */
  readonly archiveMonths: number;
  /** How long all samples of a publication are kept, in days that MINUTE_MS scales; 0: none are taken. */
  readonly statisticsDays: number;
  /** Base URLs by network, without a trailing slash; null for the network's own URL, or its stand-in in demo mode. */
  readonly apiUrls: Readonly<Record<string, string | null>>;
  readonly demo: boolean;
  /** PEM certificates to trust for calls to the networks, in addition to Node's own; null if there are none. */
  readonly extraCertificates: readonly string[] | null;
  /** Null if there is none; see {@link metricsPort}. */
  readonly metricsKey: string | null;
  /** Port of the listener for metrics and health; 0 for any free port; null if there is none. */
  readonly metricsPort: number | null;
  readonly limitsProfile: LimitsProfile;
  readonly mediaProbe: boolean;
  readonly mediaStore: MediaStoreSettings;
  /** How long an uploaded file is kept after its last need, in ms. */
  readonly mediaMs: number;
  /** CIDRs; empty if off. */
  readonly allowPrivateAddresses: readonly string[];
  /** CIDRs; empty if there are none. */
  readonly trustedProxies: readonly string[];
  /** Origins, as browsers send them; empty if there are none. */
  readonly corsOrigins: readonly string[];
  readonly maintenance: boolean;
  /** Origin of the history's checkpoints; null if derived from the base URL. */
  readonly historyOrigin: string | null;
  /** 32 bytes; null if derived from the secrets key. */
  readonly historyKey: Buffer | null;
  readonly minuteMs: number;
  readonly logLevel: LogLevel;
  readonly environment: Environment;
  /** True if {@link environment} is production. */
  readonly production: boolean;
}

/** Reports invalid settings, which prevent startup. The message lists all of them, one per line, secrets masked. */
export class SettingsError extends Error {
  constructor(readonly problems: readonly string[]) {
    const title = problems.length === 1 ? SETTING_MESSAGES.oneWrong : SETTING_MESSAGES.moreWrong;
    super([title, ...problems.map((problem) => `  ${problem}`)].join('\n'));
    this.name = 'SettingsError';
  }
}

/**
 * Reads and validates all settings from the environment and from the secret files that it points to. An empty value
 * counts as not set.
 * @throws SettingsError listing every invalid setting: its name, its valid values and its value
 */
export const loadSettings = (env: NodeJS.ProcessEnv, networks: readonly NetworkSetting[]): Settings => {
  const { values, apiUrls, problems } = readAll(env, networks);
  const faults = [...problems, ...findContradictions(values, env)];
  if (faults.length > 0) throw new SettingsError(faults);
  return {
    host: values.HOST,
    port: values.PORT,
    baseUrl: values.BASE_URL ?? (values.PORT === 0 ? null : defaultBaseUrl(values.HOST, values.PORT)),
    dataDir: resolve(values.DATA_DIR),
    databaseUrl: values.DATABASE_URL,
    databasePool: values.DATABASE_POOL,
    eventStoreUrl: values.EVENT_STORE_URL,
    restoredAt: values.RESTORED_AT,
    roles: values.ROLES,
    brand: values.BRAND,
    operatorKey: values.OPERATOR_KEY,
    secretsKey: values.SECRETS_KEY,
    secretsKeysPrevious: values.SECRETS_KEY_PREVIOUS,
    pacing: values.PACING,
    leaseMs: values.LEASE_SECONDS * 1000,
    reactionMs: values.SAGA_REACTION_SECONDS * 1000,
    deliveryBodyMs: values.DELIVERY_BODY_DAYS * DAY_MS,
    jobMs: values.JOB_DAYS * DAY_MS,
    contentMonths: values.CONTENT_MONTHS,
    archiveMonths: values.ARCHIVE_MONTHS,
    statisticsDays: values.STATISTICS_DAYS,
    apiUrls,
    demo: values.DEMO ?? (values.DATABASE_URL === null && values.NODE_ENV !== 'production'),
    extraCertificates: values.EXTRA_CA_CERTS,
    metricsKey: values.METRICS_KEY,
    metricsPort: values.METRICS_PORT,
    limitsProfile: values.LIMITS_PROFILE,
    mediaProbe: values.MEDIA_PROBE,
    mediaStore: mediaStoreOf(values, resolve(values.DATA_DIR)),
    mediaMs: values.MEDIA_DAYS,
    allowPrivateAddresses: values.ALLOW_PRIVATE_ADDRESSES,
    trustedProxies: values.TRUSTED_PROXIES,
    corsOrigins: values.CORS_ORIGINS,
    maintenance: values.MAINTENANCE,
    historyOrigin: values.HISTORY_ORIGIN,
    historyKey: values.HISTORY_KEY,
    minuteMs: values.MINUTE_MS,
    logLevel: values.LOG_LEVEL,
    environment: values.NODE_ENV,
    production: values.NODE_ENV === 'production',
  };
};

/** Returns the base URL for responses if BASE_URL is not set. Uses loopback in place of a wildcard address. */
export const defaultBaseUrl = (host: string, port: number): string => {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
};

/** Returns every setting as logged at startup, by environment variable, with secrets and URL passwords masked. */
export const describeSettings = (
  settings: Settings,
  networks: readonly NetworkSetting[],
): Readonly<Record<string, string>> =>
  Object.fromEntries(schemaWith(networks).map(([name, setting]) => [name, setting.show(settings)]));

const readAll = (
  env: NodeJS.ProcessEnv,
  networks: readonly NetworkSetting[],
): { values: SettingValues; apiUrls: Settings['apiUrls']; problems: string[] } => {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, setting] of schemaWith(networks)) {
    let value: GivenValue;
    try {
      value = readGivenValue(env, name, setting.mayBeFile ?? false);
    } catch (error) {
      problems.push((error as Error).message);
      continue;
    }
    try {
      const given = value.text ?? setting.initial;
      values[name] = given === undefined ? null : setting.read(given);
    } catch (error) {
      problems.push(describeWrong(setting, value, (error as Error).message));
    }
  }
  const apiUrls = Object.fromEntries(networks.map(({ id, baseUrl }) => [id, values[baseUrl.setting] as string | null]));
  return { values: values as SettingValues, apiUrls, problems };
};

const describeWrong = ({ takes, hide }: Setting, { name, text }: GivenValue, reason: string): string => {
  const value = String(hide ? hide(text ?? '') : text);
  return reason === ''
    ? SETTING_MESSAGES.wrong({ name, takes, value })
    : SETTING_MESSAGES.wrongBecause({ name, takes, value, reason });
};

/** Finds errors in combinations of settings. A value is undefined if reading it failed. */
const findContradictions = (values: Partial<SettingValues>, env: NodeJS.ProcessEnv): string[] => {
  const found: string[] = [];
  if (typeof values.DATABASE_URL === 'string' && values.SECRETS_KEY === null)
    found.push(SETTING_MESSAGES.secretsKeyMissing);
  if (values.METRICS_PORT && values.METRICS_PORT === values.PORT)
    found.push(SETTING_MESSAGES.samePort({ value: String(env.METRICS_PORT) }));
  const storeProblem = mediaStoreProblem(values);
  if (storeProblem) found.push(storeProblem);
  return values.NODE_ENV === 'production' ? [...found, ...findUnfitForProduction(values, env)] : found;
};

/** Finds values that NODE_ENV=production does not allow (management-api.md: Settings). */
const findUnfitForProduction = (values: Partial<SettingValues>, env: NodeJS.ProcessEnv): string[] => {
  const found: string[] = [];
  if (values.DATABASE_URL === null && values.DEMO !== undefined && values.DEMO !== true)
    found.push(SETTING_MESSAGES.databaseMissing);
  if (values.DEMO === true && values.OPERATOR_KEY === null) found.push(SETTING_MESSAGES.operatorKeyMissing);
  const refuse = (name: SettingName, takes: string, got = env[name]): void => {
    found.push(SETTING_MESSAGES.wrongInProduction({ name, takes, value: String(got) }));
  };
  if (values.PACING === false) refuse('PACING', '"on"');
  if (values.ALLOW_PRIVATE_ADDRESSES && values.ALLOW_PRIVATE_ADDRESSES.length > 0)
    refuse('ALLOW_PRIVATE_ADDRESSES', '"off"');
  if (values.MINUTE_MS !== undefined && values.MINUTE_MS !== 60_000) refuse('MINUTE_MS', '60000');
  if (typeof values.OPERATOR_KEY === 'string' && values.OPERATOR_KEY.length < 16)
    refuse('OPERATOR_KEY', 'at least 16 characters', MASK);
  return found;
};

/**
 * Returns the path of BASE_URL without a trailing slash; may be empty. A proxy serves this process under that path.
 * @param settings the settings of a listening process
 */
export const getPathPrefix = ({ baseUrl }: Pick<Settings, 'baseUrl'>): string =>
  new URL(baseUrl!).pathname.replace(/\/$/, '');
