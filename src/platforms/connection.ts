import type { Agent } from 'undici';
import { createConnections } from './exchange.js';
import type { PublisherOptions } from './publisher.js';

/** Connections to one network, and the location and time limits of its API. */
export interface NetworkConnection extends Required<PublisherOptions> {
  readonly connections: Agent;
}

/** Creates the connections to a network's API. Removes trailing slashes from its URL. */
export const connectTo = ({
  apiUrl,
  timeoutMs = 30_000,
  uploadTimeoutMs = 15 * 60_000,
  extraCertificates = [],
  countUnknown = () => undefined,
}: PublisherOptions): NetworkConnection => ({
  apiUrl: apiUrl.replace(/\/+$/, ''),
  connections: createConnections(extraCertificates),
  timeoutMs,
  uploadTimeoutMs,
  extraCertificates,
  countUnknown,
});
