import type { LookupAddress } from 'node:dns';
import { isIP, isIPv6, type LookupFunction } from 'node:net';
import { isNativeError } from 'node:util/types';
import { buildConnector } from 'undici';
import { PUBLIC_ONLY, type AddressPolicy } from './address-policy.js';
import { fetchErrorOf, MediaFetchError } from './fetch-error.js';
import type { ResolveHost } from './resolve-host.js';

/** What the guard on connections needs to know. */
export interface GuardedConnectOptions {
  readonly policy: AddressPolicy;
  readonly resolve: ResolveHost;
  /** Certificates to trust in place of the well-known ones, PEM. */
  readonly ca?: string | string[];
  /** Milliseconds for the look-up, the connection and the TLS handshake together. */
  readonly timeoutMs: number;
  /** Makes the connection itself; for tests. */
  readonly build?: typeof buildConnector;
}

/** Why an address is not connected to; undefined where it may be. */
type Judge = (address: string) => MediaFetchError | undefined;

/**
 * Opens connections to addresses that the policy allows and to no others (security.md: Fetching media safely). The
 * address is judged three times: a literal before anything is sent (the library does not look those up), every
 * address of a name as it is looked up, and the peer's own once connected. Plain http and ports other than 443 reach
 * allowed private addresses only, whatever name they hide behind.
 */
export const guardedConnector = (options: GuardedConnectOptions): buildConnector.connector => {
  const unlessAllowed: Judge = (address) => (options.policy.allows(address) ? undefined : privateAddress());
  const unlessAllowedAndPrivate: Judge = (address) =>
    unlessAllowed(address) ?? (PUBLIC_ONLY.allows(address) ? notHttps() : undefined);
  const forHttps = connectorFor(unlessAllowed, options);
  const forOthers = connectorFor(unlessAllowedAndPrivate, options);
  return (target, callback) => {
    const isHttps = target.protocol === 'https:' && (target.port === '' || target.port === '443');
    (isHttps ? forHttps : forOthers)(target, callback);
  };
};

const connectorFor = (
  refusalOf: Judge,
  { resolve, ca, timeoutMs, build = buildConnector }: GuardedConnectOptions,
): buildConnector.connector => {
  const connect = build({ lookup: guardedLookup(refusalOf, resolve), timeout: timeoutMs, ...(ca && { ca }) });
  return (target, callback) => {
    const refusal = isIP(target.hostname) ? refusalOf(target.hostname) : undefined;
    if (refusal) return callback(refusal, null);
    connect(target, (...[error, socket]) => {
      if (error) return callback(error, null);
      const peer = socket.remoteAddress;
      const late = peer === undefined ? hungUp() : refusalOf(peer);
      if (!late) return callback(null, socket);
      socket.destroy();
      callback(late, null);
    });
  };
};

/**
 * A look-up that gives only addresses which may be reached, and fails where a name has no such address. What it gives is
 * what is connected to: nothing is looked up twice (DNS rebinding).
 */
const guardedLookup =
  (refusalOf: Judge, resolve: ResolveHost): LookupFunction =>
  (hostname, { all }, callback) => {
    allowedAddresses(hostname, refusalOf, resolve).then(
      ([first, ...more]) => (all ? callback(null, [first, ...more]) : callback(null, first.address, first.family)),
      (error: unknown) => callback(isUnknownHost(error) ? unknownHost(hostname) : fetchErrorOf(error), []),
    );
  };

const allowedAddresses = async (
  hostname: string,
  refusalOf: Judge,
  resolve: ResolveHost,
): Promise<[LookupAddress, ...LookupAddress[]]> => {
  const addresses = await resolve(hostname);
  const [first, ...more] = addresses
    .filter((address) => !refusalOf(address))
    .map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  if (first) return [first, ...more];
  throw (addresses[0] !== undefined && refusalOf(addresses[0])) || unknownHost(hostname);
};

const privateAddress = (): MediaFetchError =>
  new MediaFetchError('private_address', 'points at a private address: use one that the Internet can reach', {
    permanent: true,
  });

const notHttps = (): MediaFetchError =>
  new MediaFetchError('url_refused', 'must be an https:// URL on port 443', { permanent: true });

const hungUp = (): MediaFetchError =>
  new MediaFetchError('unreachable', 'is on a host that hangs up at once', { permanent: false });

const isUnknownHost = (error: unknown): boolean =>
  isNativeError(error) && 'code' in error && (error.code === 'ENOTFOUND' || error.code === 'ENODATA');

/** Not permanent: name servers say the same while they are misled or a zone is being moved (D-24). */
const unknownHost = (hostname: string): MediaFetchError =>
  new MediaFetchError('unreachable', `is on a host that nobody knows (${hostname}): check the link`, {
    permanent: false,
  });
