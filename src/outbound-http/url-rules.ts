import { isIP } from 'node:net';
import { PUBLIC_ONLY, type AddressPolicy } from './address-policy.js';
import { LIMITS } from '../payload/payload.js';
import { charactersIn } from '../validation/text-measure.js';
import { tooLong, type Complaint } from '../validation/wording.js';

const complaint = (code: string, what: string): Complaint => ({ code, what });

/**
 * Whether the service may fetch a URL for somebody, as far as the URL alone tells (publish-api.md: Publish, rule 3; D-5;
 * security.md: Fetching media safely): https on port 443, at most 2048 characters, no credentials, no private address.
 * Names are looked up, and their addresses judged, when it is fetched.
 */
export const fetchUrlComplaint = (url: string, policy: AddressPolicy = PUBLIC_ONLY): Complaint | undefined => {
  const long = lengthComplaint(url);
  if (long) return long;
  const plainHttp = /^http:\/\//i.test(url);
  if (!/^https:\/\//i.test(url) && !(plainHttp && policy.allowsPrivate)) return NOT_HTTPS;
  if (!isUrl(url)) return INVALID;
  const parsed = new URL(url);
  const { hostname, port } = parsed;
  if (parsed.username !== '' || parsed.password !== '')
    return complaint('url_has_credentials', 'must not have a user name or password in it');
  if (hostname.endsWith('.')) return complaint('url_host_invalid', 'has a host that ends with a dot: remove the dot');

  const literal = hostname.replace(/^\[|\]$/g, '');
  const isLocalName = /(^|\.)localhost$/.test(hostname);
  const addresses = isLocalName ? ['127.0.0.1', '::1'] : isIP(literal) ? [literal] : [];
  if (addresses.length > 0 && !addresses.some((address) => policy.allows(address)))
    return complaint('private_address', 'points at a private address: use one that the Internet can reach');
  if ((plainHttp || port !== '') && !mayBePrivate(addresses, policy))
    return plainHttp ? NOT_HTTPS : complaint('url_port', `uses port ${port}: only 443, the port of https, is allowed`);
  return undefined;
};

/** Plain http and other ports are for private addresses that are allowed; behind a name there may be one. */
const mayBePrivate = (addresses: readonly string[], policy: AddressPolicy): boolean =>
  policy.allowsPrivate && !addresses.some((address) => PUBLIC_ONLY.allows(address));

/** What is wrong with the URL of a button (publish-api.md: Publish payload, Button). It is never fetched, only shown. */
export const buttonUrlComplaint = (url: string): Complaint | undefined =>
  linkComplaint(url, /^(?:https|tg):\/\//i, 'https:// or tg://');

/** What is wrong with the URL of a text_link: it becomes a link in HTML as well, so it may not be a script. */
export const textLinkComplaint = (url: string): Complaint | undefined =>
  linkComplaint(url, /^(?:(?:https?|tg):\/\/|(?:mailto|tel):)/i, 'https://, http://, tg://, mailto: or tel:');

const linkComplaint = (url: string, beginning: RegExp, inWords: string): Complaint | undefined => {
  const scheme = beginning.exec(url)?.[0];
  if (scheme === undefined) return complaint('url_scheme', `must begin with ${inWords}`);
  return lengthComplaint(url) ?? (url === scheme || !isUrl(url) ? INVALID : undefined);
};

const lengthComplaint = (url: string): Complaint | undefined => {
  const length = charactersIn(url);
  return length > LIMITS.urlLength
    ? complaint('url_too_long', tooLong(length, LIMITS.urlLength, 'characters'))
    : undefined;
};

const NOT_HTTPS = complaint('url_not_https', 'must be an https:// URL');
const INVALID = complaint('url_invalid', 'is not a valid URL: check it in a browser');

/** A URL as the standard reads it, but without its leniency: no control characters, outer spaces or doubled slashes. */
const isUrl = (url: string): boolean =>
  !/\p{Cc}|^\s|\s$/u.test(url) && !/^https?:\/\/[/\\]/i.test(url) && URL.canParse(url);
