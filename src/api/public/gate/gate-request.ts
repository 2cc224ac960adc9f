import type { FastifyRequest } from 'fastify';
import type { EndpointSnapshot } from '../../../projections/discovery/endpoint-snapshots.queries.js';
import { type ReceivedBody, receiveBody } from '../../transport/raw-body.js';
import { StreamingSignature, type SigningSecrets } from './streaming-signature.js';
import { UniformUnauthorizedDelay } from './uniform-unauthorized-delay.js';

/** The routes that a request is for: an endpoint's own, or the sandbox, which also accepts test tokens (D-12). */
export type EntryPoint = 'endpoint' | 'sandbox';

/** A request that the gate is checking. */
export class GateRequest {
  /** The body. It is read from the start, whether or not a check needs it. */
  readonly body: Promise<ReceivedBody>;
  /**
   * The signature of a body that is too large to be kept; null for any other body. It is computed for every endpoint, so that
   * the time does not reveal which endpoints require it.
   */
  streamingSignature: StreamingSignature | null = null;
  /** The delay after which a 401 is sent (D-7). */
  readonly unauthorizedDelay = new UniformUnauthorizedDelay();
  /**
   * Settles when everything that arrived with the head was read, including a body that arrived as a whole. The deadline of a
   * 401 is then set, before any check that takes longer for one cause than for another.
   */
  readonly arrival = Promise.resolve();

  /**
   * @param cachedSnapshot returns the endpoint as this process last read it; null: it has not
   * @param fetchSnapshot reads the endpoint as it is now; null: there is none
   * @param loadSecrets reads the secrets that an endpoint's requests may be signed with; as many if there is no endpoint
   */
  constructor(
    readonly request: FastifyRequest,
    readonly entryPoint: EntryPoint,
    readonly cachedSnapshot: () => EndpointSnapshot | null,
    readonly fetchSnapshot: () => Promise<EndpointSnapshot | null>,
    loadSecrets: (endpoint: EndpointSnapshot | null) => Promise<SigningSecrets>,
  ) {
    this.body = receiveBody(request, this.unauthorizedDelay, (chunk) => {
      (this.streamingSignature ??= new StreamingSignature(fetchSnapshot().then(loadSecrets))).update(chunk);
    });
  }
}
