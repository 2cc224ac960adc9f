import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { isIP, isIPv6, type LookupFunction } from 'node:net';
import { createSecureContext } from 'node:tls';
import { isNativeError } from 'node:util/types';
import { buildConnector } from 'undici';
import { FetchError, fetchErrorOf } from './answer-receiver.js';
import { FETCH_MESSAGES, URL_MESSAGES } from './messages.js';
import { type AddressPolicy, PUBLIC_ONLY } from './url-rules.js';

export interface GuardedConnectOptions {
  readonly policy: AddressPolicy;
  readonly resolve: ResolveHost;
  /** Trusted certificates in PEM form, in place of the default ones. */
  readonly ca?: string | string[];
  /** Time limit for the DNS lookup, the connection and the TLS handshake together, in ms. */
  readonly timeoutMs: number;
  /** Creates the underlying connector; for tests. */
  readonly build?: typeof buildConnector;
}

/** Returns the reason for not connecting to an address; undefined if it is allowed. */
type AddressCheck = (address: string) => FetchError | undefined;

/**
 * Opens connections only to addresses that the policy allows (security.md: Fetching media safely). Addresses are
 * checked before and after connecting: an IP literal before the request is sent (the library does no lookup for it),
 * all addresses that a host name resolves to at lookup, and the peer's address once connected. Plain HTTP and ports
 * other than 443 may connect only to allowed private addresses.
 */
export const guardedConnector = (options: GuardedConnectOptions): buildConnector.connector => {
  const unlessAllowed: AddressCheck = (address) =>
    options.policy.allows(address) ? undefined : refuse('private_address', URL_MESSAGES.privateAddress);
  const unlessAllowedAndPrivate: AddressCheck = (address) =>
    unlessAllowed(address) ??
    (PUBLIC_ONLY.allows(address) ? refuse('url_refused', FETCH_MESSAGES.notHttpsOnPort443) : undefined);
  const forHttps = connectorFor(unlessAllowed, options);
  const forOthers = connectorFor(unlessAllowedAndPrivate, options);
  const forOwn = connectorFor(() => undefined, options);
  return (target, callback) => {
    const { ownFiles } = options.policy;
    const own = ownFiles === null ? null : new URL(ownFiles);
    // The path has been checked before (`findFetchUrlProblem`).
    if (own && target.protocol === own.protocol && target.hostname === own.hostname && target.port === own.port)
      return forOwn(target, callback);
    const isHttps = target.protocol === 'https:' && (target.port === '' || target.port === '443');
    (isHttps ? forHttps : forOthers)(target, callback);
  };
};

const connectorFor = (
  refusalOf: AddressCheck,
  { resolve, ca, timeoutMs, build = buildConnector }: GuardedConnectOptions,
): buildConnector.connector => {
  // Shared, because creating a context per connection would take half of a short connection's CPU time.
  const prepare = (): buildConnector.connector => {
    const secureContext = createSecureContext(ca ? { ca } : {});
    return build({ lookup: guardedLookup(refusalOf, resolve), timeout: timeoutMs, secureContext });
  };
  let connect: buildConnector.connector | undefined;
  return (target, callback) => {
    const refusal = isIP(target.hostname) ? refusalOf(target.hostname) : undefined;
    if (refusal) return callback(refusal, null);
    connect ??= prepare(); // on first use, because it parses the certificates of all authorities
    connect(target, (...[error, socket]) => {
      if (error) return callback(error, null);
      const peer = socket.remoteAddress;
      const late = peer === undefined ? closedAtOnce() : refusalOf(peer);
      if (!late) return callback(null, socket);
      socket.destroy();
      callback(late, null);
    });
  };
};

/**
 * Looks up a name and returns only allowed addresses; fails if there are none. The connection uses these addresses: no
 * name is looked up twice, which prevents DNS rebinding.
 */
const guardedLookup =
  (refusalOf: AddressCheck, resolve: ResolveHost): LookupFunction =>
  (hostname, { all }, callback) => {
    allowedAddresses(hostname, refusalOf, resolve).then(
      ([first, ...more]) => (all ? callback(null, [first, ...more]) : callback(null, first.address, first.family)),
      (error: unknown) => callback(isUnknownHost(error) ? unknownHost(hostname) : fetchErrorOf(error), []),
    );
  };

const allowedAddresses = async (
  hostname: string,
  refusalOf: AddressCheck,
  resolve: ResolveHost,
): Promise<[LookupAddress, ...LookupAddress[]]> => {
  const addresses = await resolve(hostname);
  const [first, ...more] = addresses
    .filter((address) => !refusalOf(address))
    .map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  if (first) return [first, ...more];
  throw (addresses[0] !== undefined && refusalOf(addresses[0])) || unknownHost(hostname);
};

const refuse = (code: 'private_address' | 'url_refused', message: string): FetchError =>
  new FetchError(code, message, { isPermanent: true });

const closedAtOnce = (): FetchError =>
  new FetchError('unreachable', FETCH_MESSAGES.connectionClosed, { isPermanent: false });

const isUnknownHost = (error: unknown): boolean =>
  isNativeError(error) && 'code' in error && (error.code === 'ENOTFOUND' || error.code === 'ENODATA');

/**
 * Returns the error for an unknown host. It is not permanent, because name servers also give this answer during a
 * misconfiguration or while a zone moves (D-24).
 */
const unknownHost = (host: string): FetchError =>
  new FetchError('unreachable', FETCH_MESSAGES.unknownHost({ host }), { isPermanent: false, isHostUnknown: true });

/** Resolves a host name to addresses, best first; throws if the name has no address or the DNS lookup fails. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

const resolver = new Resolver({ timeout: 1_500, tries: 2 });

/** DNS errors after which the system may still know the name, from its hosts file or search domains. */
const UNKNOWN_TO_DNS = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED']);

/**
 * Queries the name servers directly, because `dns.lookup` would occupy one of the process's four background threads
 * until a name server responds, and these threads also handle files and compression. Uses `dns.lookup` only for names
 * that DNS does not know.
 */
export const resolveHost: ResolveHost = async (hostname) => {
  if (/(^|\.)localhost$/i.test(hostname)) return ['127.0.0.1', '::1']; // RFC 6761
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length > 0) return addresses;
  for (const answer of answers)
    if (answer.status === 'rejected' && !isUnknown(answer.reason)) throw answer.reason as Error;
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
};

const isUnknown = (failure: unknown): boolean =>
  isNativeError(failure) && 'code' in failure && UNKNOWN_TO_DNS.has(String(failure.code));
