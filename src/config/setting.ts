import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { SETTING_MESSAGES } from './messages.js';
import type { Settings } from './settings.js';

/** One row of the schema: how to read, explain and show a setting. */
export interface Setting<T = unknown> {
  /** The valid values, as the end of the sentence "X must be …". */
  readonly takes: string;
  /** The effect of the setting, for `--help`. */
  readonly description: string;
  /** The human-readable default; in words if `initial` is absent, such as `embedded PostgreSQL 18`. */
  readonly defaultText: string;
  /** Used if the setting is not set. If absent, the setting is then null. */
  readonly initial?: string;
  /** True if `<name>_FILE` may be the path of a file that contains the value. */
  readonly mayBeFile?: true;
  /** Masks an invalid value in error messages. If absent, the value is shown unchanged. */
  readonly hide?: (text: string) => string;
  /** @throws Error that explains the problem, or has an empty message if `takes` is explanation enough */
  readonly read: (text: string) => T;
  /** Returns the value as it is logged at startup. */
  readonly show: (settings: Settings) => string;
}

/** Defines a setting that always has a value. */
export const defaulted = <T>(initial: string, setting: Omit<Setting<T>, 'defaultText' | 'initial'>): Setting<T> => ({
  ...setting,
  initial,
  defaultText: initial,
});

/** Defines a setting that is null if it is not set; the text describes the default behaviour. */
export const optional = <T>(
  defaultText: string,
  setting: Omit<Setting<T>, 'defaultText' | 'initial'>,
): Setting<T | null> => ({
  ...setting,
  defaultText,
});

/** A value that does not match `takes`. */
class InvalidValue extends Error {}

const requireThat = (condition: boolean): void => {
  if (!condition) throw new InvalidValue();
};

/** Parses `on` or `off`. */
export const parseOnOff = (text: string): boolean => {
  requireThat(text === 'on' || text === 'off');
  return text === 'on';
};

/** Formats a value for {@link parseOnOff}. */
export const formatOnOff = (value: boolean): string => (value ? 'on' : 'off');

/** Returns a parser for whole decimal numbers from `min` to `max`. */
export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    requireThat(/^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max);
    return Number(text);
  };

/** Returns a parser that accepts only the given words. */
export const oneOf =
  <T extends string>(words: readonly T[]) =>
  (text: string): T => {
    requireThat((words as readonly string[]).includes(text));
    return text as T;
  };

/** Parses an RFC 3339 date-time with an offset. */
export const parseTime = (text: string): { readonly text: string; readonly at: number } => {
  const at = Date.parse(text);
  // Date.parse accepts more forms, and moves a day that does not exist to the next month.
  requireThat(/^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(text) && Number.isFinite(at));
  const day = text.slice(0, 10);
  requireThat(new Date(`${day}T00:00:00Z`).toISOString().startsWith(day));
  return { text, at };
};

/** Parses an IP address or a host name. */
export const parseHost = (text: string): string => {
  requireThat(isIP(text) !== 0 || /^(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(text));
  return text;
};

/** Parses a base URL: http or https, without query, fragment or credentials. Trailing slashes are removed. */
export const parseBaseUrl = (text: string): string => {
  if (/^https?:\/\/[^/?#]*@/i.test(text)) throw new Error(SETTING_MESSAGES.hasUser);
  if (!text.includes('://')) throw new Error(SETTING_MESSAGES.noScheme);
  requireThat(URL.canParse(text) && /^https?:\/\/[^/?#@\s]+[^?#@\s]*$/i.test(text));
  return text.replace(/\/+$/, '');
};

/**
 * Parses a PostgreSQL URL. The host may be omitted if it is in the query, or if the server is a local socket.
 * @throws Error that explains percent-encoding if the password contains a character that ends it too early, or an
 * incomplete percent-encoding
 */
export const parseDatabaseUrl = (text: string): string => {
  requireThat(/^postgres(ql)?:\/\/\S+$/i.test(text));
  // A `/`, `?` or `#` in a password ends the authority too early, which leaves the `@` in the rest.
  const [, authority = '', rest = ''] = /^[^:]+:\/\/([^/?#]*)(.*)$/s.exec(text)!;
  const isNoPort = /:.*\D/.test(authority.replace(/^\[[^\]]*\]/, ''));
  const isCutOff = !authority.includes('@') && (isNoPort ? rest.includes('@') : /^[^=]*@/.test(rest));
  // If a password contains an `@`, the rest of it looks like the host.
  const hasFragment = rest.includes('#');
  const isCutOffBehindAt = authority.includes('@') && /^[^=]*@/.test(rest);
  const isHalfEncoded = /%(?![0-9a-f]{2})/i.test(authority);
  if (isCutOff || isCutOffBehindAt || hasFragment || isHalfEncoded) throw new Error(SETTING_MESSAGES.encodePassword);
  requireThat(URL.canParse(text.replace('@/', '@host/')));
  return text;
};

/** Parses CIDRs or single addresses, separated by commas. Returns CIDRs: `10.0.0.0/8`, `::1/128`. */
export const parseCidrs = (text: string): readonly string[] => text.split(',').map((part) => parseCidr(part.trim()));

const parseCidr = (item: string): string => {
  const [address = '', bits] = item.split('/');
  // ipaddr.js alone would accept `10` and `0x7f.1` as addresses, which are more likely mistakes.
  const version = isIP(address);
  if (version !== 0 && bits === undefined) return `${item}/${version === 4 ? 32 : 128}`;
  if (version === 0 || !ipaddr.isValidCIDR(item)) throw new Error(SETTING_MESSAGES.notCidr({ value: item }));
  return item;
};

/** Parses origins separated by commas. Returns them as browsers send them: in lower case, without a default port. */
export const parseOrigins = (text: string): readonly string[] =>
  text.split(',').map((part) => parseOrigin(part.trim()));

const parseOrigin = (item: string): string => {
  const isOrigin = /^https?:\/\/[^/?#@\s*]+$/i.test(item) && URL.canParse(item);
  if (!isOrigin) throw new Error(SETTING_MESSAGES.notOrigin);
  return new URL(item).origin;
};

/** Parses 32 bytes in base64 or base64url, with or without padding. */
export const parseKey32 = (text: string): Buffer => {
  // Buffer.from silently drops characters that are not base64, so the format is checked first.
  requireThat(/^[A-Za-z0-9+/_-]{43}=?$/.test(text));
  return Buffer.from(text, 'base64');
};

/** Returns a parser that accepts text matching a pattern. */
export const matching =
  (form: RegExp) =>
  (text: string): string => {
    requireThat(form.test(text));
    return text;
  };

/** A setting's value before it is parsed. */
export interface GivenValue {
  /** Undefined if it is not set. */
  readonly text: string | undefined;
  /** Name for messages; includes the file if the value comes from a file. */
  readonly name: string;
}

/**
 * Returns the value of a setting that may be in a file: from the variable of that name, or from the file at the path in
 * `<name>_FILE`, without surrounding whitespace. An empty variable counts as not set.
 * @throws Error with a sentence that names the setting and the path if both are set, or the file cannot be read or is
 * empty
 */
export const readGivenValue = (env: NodeJS.ProcessEnv, name: string, mayBeFile: boolean): GivenValue => {
  const text = env[name]?.trim();
  const path = mayBeFile ? env[`${name}_FILE`]?.trim() : undefined;
  if (!path) return { text: text === '' ? undefined : text, name };
  if (text) throw new Error(SETTING_MESSAGES.bothGiven({ name }));
  const content = readSecretFile(name, path).trim();
  if (content === '') throw new Error(SETTING_MESSAGES.emptyFile({ name, path }));
  return { text: content, name: SETTING_MESSAGES.fromFile({ name, path }) };
};

const readSecretFile = (name: string, path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new Error(SETTING_MESSAGES.unreadableFile({ name, path, code }), { cause: error });
  }
};
