import { resolve } from 'node:path';
import type { LimitsProfile } from './limits-profile.js';
import { MASK } from './mask.js';
import { type SettingName, type SettingValues, schema } from './schema.js';
import type { Setting } from './setting.js';

export { helpText } from './help.js';

/** A part of the program that a process runs. */
export type Role = 'api' | 'worker' | 'tools';
/** Least weight of what is logged. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** Everything that can be set, read once at the start (management-api.md: Settings). Times in milliseconds. */
export interface Settings {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Without a slash at its end; null until the port is known, see {@link defaultBaseUrl}. */
  readonly baseUrl: string | null;
  /** Absolute. */
  readonly dataDir: string;
  /** null: the embedded PostgreSQL. */
  readonly databaseUrl: string | null;
  /** null: events lie in the database. */
  readonly eventStoreUrl: string | null;
  readonly roles: ReadonlySet<Role>;
  /** Lower case (D-34). */
  readonly brand: string;
  /** null: generated, see generated-keys.ts. */
  readonly operatorKey: string | null;
  /** 32 bytes; null only with the embedded PostgreSQL: generated, see generated-keys.ts. */
  readonly secretsKey: Buffer | null;
  readonly pacing: boolean;
  readonly leaseMs: number;
  /** Without a slash at their ends; null: the stand-ins in demo mode, else the networks' own. */
  readonly apiUrls: Readonly<Record<'telegram' | 'vk' | 'max' | 'ok', string | null>>;
  readonly demo: boolean;
  readonly limitsProfile: LimitsProfile;
  readonly mediaProbe: boolean;
  /** CIDRs; empty: off. */
  readonly allowPrivateAddresses: readonly string[];
  /** CIDRs; empty: none. */
  readonly trustedProxies: readonly string[];
  readonly maintenance: boolean;
  readonly minuteMs: number;
  readonly logLevel: LogLevel;
  /** NODE_ENV=production. */
  readonly production: boolean;
}

/** Settings that stop the start. The message lists all of them, one a line, secrets masked. */
export class SettingsError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(
      [`${problems.length === 1 ? 'A setting is' : 'Settings are'} wrong:`, ...problems.map((p) => `  ${p}`)].join(
        '\n',
      ),
    );
    this.name = 'SettingsError';
  }
}

/**
 * Reads and checks the whole environment. An empty value counts as not set.
 * @throws SettingsError listing every wrong setting: its name, what it takes, what it got.
 */
export const loadSettings = (env: NodeJS.ProcessEnv): Settings => {
  const { values, problems } = readAll(env);
  const faults = [...problems, ...contradictions(values, env)];
  if (faults.length > 0) throw new SettingsError(faults);
  return {
    host: values.HOST,
    port: values.PORT,
    baseUrl: values.BASE_URL ?? (values.PORT === 0 ? null : defaultBaseUrl(values.HOST, values.PORT)),
    dataDir: resolve(values.DATA_DIR),
    databaseUrl: values.DATABASE_URL,
    eventStoreUrl: values.EVENT_STORE_URL,
    roles: values.ROLES,
    brand: values.BRAND,
    operatorKey: values.OPERATOR_KEY,
    secretsKey: values.SECRETS_KEY,
    pacing: values.PACING,
    leaseMs: values.LEASE_SECONDS * 1000,
    apiUrls: {
      telegram: values.TELEGRAM_API_URL,
      vk: values.VK_API_URL,
      max: values.MAX_API_URL,
      ok: values.OK_API_URL,
    },
    demo: values.DEMO ?? values.DATABASE_URL === null,
    limitsProfile: values.LIMITS_PROFILE,
    mediaProbe: values.MEDIA_PROBE,
    allowPrivateAddresses: values.ALLOW_PRIVATE_ADDRESSES,
    trustedProxies: values.TRUSTED_PROXIES,
    maintenance: values.MAINTENANCE,
    minuteMs: values.MINUTE_MS,
    logLevel: values.LOG_LEVEL,
    production: values.NODE_ENV === 'production',
  };
};

/**
 * What URLs in answers start with when BASE_URL is not set and the port is known. A wildcard address is no place
 * that a client could reach, so loopback stands in for it.
 */
export const defaultBaseUrl = (host: string, port: number): string => {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
};

/** Every setting as a start-up log may show it: secrets and the passwords of URLs masked, by environment name. */
export const describeSettings = (settings: Settings): Record<string, string> =>
  Object.fromEntries(entries().map(([name, setting]) => [name, setting.show(settings)]));

const entries = (): [SettingName, Setting][] => Object.entries(schema) as [SettingName, Setting][];

const readAll = (env: NodeJS.ProcessEnv): { values: SettingValues; problems: string[] } => {
  const values: Partial<Record<SettingName, unknown>> = {};
  const problems: string[] = [];
  for (const [name, setting] of entries()) {
    const text = env[name]?.trim();
    try {
      const given = text === undefined || text === '' ? setting.initial : text;
      values[name] = given === undefined ? null : setting.read(given);
    } catch (error) {
      const got = setting.hide ? setting.hide(text ?? '') : text;
      const detail = (error as Error).message;
      problems.push(`${name} takes ${setting.takes}; got "${got}"${detail === '' ? '' : ` (${detail})`}`);
    }
  }
  return { values: values as SettingValues, problems };
};

/** What each setting alone cannot say. Sees values that may be undefined where reading them failed. */
const contradictions = (values: Partial<SettingValues>, env: NodeJS.ProcessEnv): string[] => {
  const found: string[] = [];
  if (typeof values.DATABASE_URL === 'string' && values.SECRETS_KEY === null)
    found.push(
      'SECRETS_KEY must be set with DATABASE_URL, the same for every process: 32 bytes in base64, e.g. from "openssl rand -base64 32"; got nothing',
    );
  if (values.NODE_ENV !== 'production') return found;
  const refuse = (name: SettingName, takes: string, got = env[name]): void => {
    found.push(`${name} takes ${takes} with NODE_ENV=production; got "${got}"`);
  };
  if (values.PACING === false) refuse('PACING', 'only "on"');
  if (values.ALLOW_PRIVATE_ADDRESSES && values.ALLOW_PRIVATE_ADDRESSES.length > 0)
    refuse('ALLOW_PRIVATE_ADDRESSES', 'only "off"');
  if (values.MINUTE_MS !== undefined && values.MINUTE_MS !== 60_000) refuse('MINUTE_MS', 'only 60000');
  if (typeof values.OPERATOR_KEY === 'string' && values.OPERATOR_KEY.length < 16)
    refuse('OPERATOR_KEY', 'at least 16 characters', MASK);
  return found;
};
