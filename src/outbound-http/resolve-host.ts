import { lookup, Resolver } from 'node:dns/promises';
import { isNativeError } from 'node:util/types';

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
