import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Settings } from './settings.js';

/** One row of the schema: everything that reading, explaining and showing a setting needs. */
export interface Setting<T = unknown> {
  /** What a value looks like, as the end of the sentence "X takes …". */
  readonly takes: string;
  readonly meaning: string;
  /** As shown to people; where `initial` is absent this is words, e.g. `embedded PostgreSQL 18`. */
  readonly defaultText: string;
  /** Read in place of an absent value; absent: the setting is null. */
  readonly initial?: string;
  /** How a wrong value is shown. Default: as it is. */
  readonly hide?: (text: string) => string;
  /** @throws Error with an empty message where `takes` says it all, else with what is wrong. */
  readonly read: (text: string) => T;
  /** The value as a start-up log may show it. */
  readonly show: (settings: Settings) => string;
}

/** Thrown by readers: `takes` says what was expected. */
class NotUnderstood extends Error {}

const understood = (condition: boolean): void => {
  if (!condition) throw new NotUnderstood();
};

/** `on` or `off`. */
export const onOff = (text: string): boolean => {
  understood(text === 'on' || text === 'off');
  return text === 'on';
};

/** The value as {@link onOff} takes it. */
export const onOrOff = (value: boolean): string => (value ? 'on' : 'off');

/** A whole decimal number within the bounds, both inclusive. */
export const whole =
  (min: number, max: number) =>
  (text: string): number => {
    understood(/^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max);
    return Number(text);
  };

/** One of a few words. */
export const oneOf =
  <T extends string>(words: readonly T[]) =>
  (text: string): T => {
    understood((words as readonly string[]).includes(text));
    return text as T;
  };

/** An IP address or a host name. */
export const host = (text: string): string => {
  understood(isIP(text) !== 0 || /^(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(text));
  return text;
};

/** The base of other URLs: http or https, without query, fragment or credentials; a slash at its end is dropped. */
export const baseUrl = (text: string): string => {
  if (/^https?:\/\/[^/?#]*@/i.test(text)) throw new Error('there must be no user and no password in it');
  understood(URL.canParse(text) && /^https?:\/\/[^/?#@\s]+[^?#@\s]*$/i.test(text));
  return text.replace(/\/+$/, '');
};

/** Where a PostgreSQL is. The host may be missing: it then stands in the query, or is a local socket. */
export const databaseUrl = (text: string): string => {
  understood(/^postgres(ql)?:\/\/\S+$/i.test(text) && URL.canParse(text.replace('@/', '@host/')));
  return text;
};

/** CIDRs, or single addresses, separated by commas. Answers CIDRs: `10.0.0.0/8`, `::1/128`. */
export const cidrs = (text: string): readonly string[] => text.split(',').map((part) => cidr(part.trim()));

const cidr = (item: string): string => {
  const [address = '', bits] = item.split('/');
  // ipaddr.js alone would take `10` and `0x7f.1` for addresses; people who wrote these meant something else.
  const version = isIP(address);
  if (version !== 0 && bits === undefined) return `${item}/${version === 4 ? 32 : 128}`;
  if (version === 0 || !ipaddr.isValidCIDR(item)) throw new Error(`"${item}" is neither a CIDR nor an address`);
  return item;
};

/** 32 bytes in base64 or base64url, with or without padding. */
export const key32 = (text: string): Buffer => {
  // Buffer.from drops what is not base64 without a word, so the form is checked first.
  understood(/^[A-Za-z0-9+/_-]{43}=?$/.test(text));
  return Buffer.from(text, 'base64');
};

/** Text of a form. */
export const matching =
  (form: RegExp) =>
  (text: string): string => {
    understood(form.test(text));
    return text;
  };
