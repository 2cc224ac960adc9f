import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { countCharacters } from '../validation/text-measure.js';
import { type FieldProblem, tooLongPredicate } from '../validation/wording.js';
import { URL_MESSAGES } from './messages.js';

/** Decides which addresses the gateway may call on behalf of users (security.md, D-30). */
export interface AddressPolicy {
  /** True if some private addresses are allowed (for tests), along with plain http and other ports. */
  readonly allowsPrivate: boolean;
  /**
   * @param address an IP address as text; IPv4 written as IPv6 counts as IPv4
   * @returns false for an address that is not public, and for text that is not an address
   */
  allows(address: string): boolean;
  /** Address of the gateway's own files that may be fetched, without their names; null if there are none (ADR-401). */
  readonly ownFiles: string | null;
}

/** Injection token for the process's {@link AddressPolicy}. */
export const ADDRESS_POLICY = Symbol('AddressPolicy');

/**
 * Creates a policy that allows public addresses and the given private ones (`ALLOW_PRIVATE_ADDRESSES`).
 * @param allowPrivate valid CIDRs
 * @param ownFiles see {@link AddressPolicy.ownFiles}; the gateway may learn its own address only once it listens
 */
export const createAddressPolicy = (
  allowPrivate: readonly string[],
  ownFiles: () => string | null = () => null,
): AddressPolicy => {
  const ranges = allowPrivate.map((cidr) => ipaddr.parseCIDR(cidr));
  const inRange = (address: ipaddr.IPv4 | ipaddr.IPv6) =>
    ranges.some((range) => range[0].kind() === address.kind() && address.match(range));
  return {
    allowsPrivate: ranges.length > 0,
    get ownFiles() {
      return ownFiles();
    },
    allows(text) {
      if (!ipaddr.isValid(text)) return false;
      const address = ipaddr.process(text);
      return isPublic(address) || inRange(address);
    },
  };
};

/** Allows public addresses only: the default of `ALLOW_PRIVATE_ADDRESSES`. */
export const PUBLIC_ONLY = createAddressPolicy([]);

/** Global unicast addresses of IPv6; `range()` also reports other IPv6 addresses as unicast. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

const isPublic = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  address.range() === 'unicast' && (address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(GLOBAL_UNICAST));

/** Maximum number of characters in a URL (publish-api.md: Limits). */
export const MAX_URL_LENGTH = 2_048;

const problem = (code: string, predicate: string): FieldProblem => ({ code, predicate });

/**
 * Finds the reason why a URL must not be fetched, from the URL alone (publish-api.md: POST /v1/webhooks/{slug}; D-5;
 * security.md: Fetching media safely): https on port 443, at most 2,048 characters, no credentials, no dot at the end
 * of the host name, no private address. Host names are resolved and their addresses checked when the URL is fetched.
 */
export const findFetchUrlProblem = (url: string, policy: AddressPolicy = PUBLIC_ONLY): FieldProblem | undefined => {
  const long = findLengthProblem(url);
  if (long) return long;
  if (isOwnFile(url, policy)) return undefined;
  const plainHttp = /^http:\/\//i.test(url);
  if (!/^https:\/\//i.test(url) && !(plainHttp && policy.allowsPrivate)) return NOT_HTTPS;
  if (!isUrl(url)) return INVALID;
  const parsed = new URL(url);
  const { hostname, port } = parsed;
  if (parsed.username !== '' || parsed.password !== '')
    return problem('url_has_credentials', URL_MESSAGES.hasCredentials);
  if (hostname.endsWith('.')) return problem('url_host_invalid', URL_MESSAGES.hostEndsWithDot);

  const literal = hostname.replace(/^\[|\]$/g, '');
  const isLocalName = /(^|\.)localhost$/.test(hostname);
  const addresses = isLocalName ? ['127.0.0.1', '::1'] : isIP(literal) ? [literal] : [];
  if (addresses.length > 0 && !addresses.some((address) => policy.allows(address)))
    return problem('private_address', URL_MESSAGES.privateAddress);
  if ((plainHttp || port !== '') && !mayBePrivate(addresses, policy))
    return plainHttp ? NOT_HTTPS : problem('url_port', URL_MESSAGES.port({ port }));
  return undefined;
};

/** True for one of the gateway's own files. */
const isOwnFile = (url: string, { ownFiles }: AddressPolicy): boolean =>
  ownFiles !== null && url.startsWith(ownFiles) && /^[\w-]+\.jpg$/.test(url.slice(ownFiles.length));

/**
 * True if plain http and other ports are permitted: only for allowed private addresses and names that may resolve to
 * them.
 */
const mayBePrivate = (addresses: readonly string[], policy: AddressPolicy): boolean =>
  policy.allowsPrivate && !addresses.some((address) => PUBLIC_ONLY.allows(address));

/** Finds a problem with a button's URL (publish-api.md: Publish payload). The URL is shown and never fetched. */
export const findButtonUrlProblem = (url: string): FieldProblem | undefined =>
  findLinkProblem(url, /^(?:https|tg):\/\//i, 'https:// or tg://');

/** Finds a problem with a text_link's URL. The URL also becomes a link in HTML, so it must not be a script. */
export const findTextLinkProblem = (url: string): FieldProblem | undefined =>
  findLinkProblem(url, /^(?:(?:https?|tg):\/\/|(?:mailto|tel):)/i, 'https://, http://, tg://, mailto: or tel:');

const findLinkProblem = (url: string, beginning: RegExp, inWords: string): FieldProblem | undefined => {
  const scheme = beginning.exec(url)?.[0];
  if (scheme === undefined) return problem('url_scheme', URL_MESSAGES.scheme({ schemes: inWords }));
  return findLengthProblem(url) ?? (url === scheme || !isUrl(url) ? INVALID : undefined);
};

const findLengthProblem = (url: string): FieldProblem | undefined => {
  const length = countCharacters(url);
  return length > MAX_URL_LENGTH
    ? problem('url_too_long', tooLongPredicate(length, MAX_URL_LENGTH, 'characters'))
    : undefined;
};

const NOT_HTTPS = problem('url_not_https', URL_MESSAGES.notHttps);
const INVALID = problem('url_invalid', URL_MESSAGES.invalid);

/** Checks a URL against the URL standard, but also rejects control characters, surrounding spaces and extra slashes. */
const isUrl = (url: string): boolean =>
  !/\p{Cc}|^\s|\s$/u.test(url) && !/^https?:\/\/[/\\]/i.test(url) && URL.canParse(url);
