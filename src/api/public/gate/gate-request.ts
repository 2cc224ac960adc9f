import type { FastifyRequest } from 'fastify';
import type { EndpointAccess } from '../../../projections/discovery/endpoint-access.queries.js';
import { type ReceivedBody, receiveBody } from '../../transport/raw-body.js';
import { PassingBody, type Secrets } from './streaming-signature.js';
import { UnauthorizedTime } from './uniform-unauthorized-delay.js';

/** Where a request goes to: an endpoint's own routes, or the sandbox, which takes test tokens too (D-12). */
export type Door = 'endpoint' | 'sandbox';

/** A request on its way through the gate. */
export class Visit {
  /** The body, being read from the start, whoever waits for it. */
  readonly body: Promise<ReceivedBody>;
  /** The same, where it is too long to be kept; of every endpoint, so that it cannot be noticed where it is needed. */
  passing: PassingBody | null = null;
  /** The moment at which a 401 leaves (D-7). */
  readonly unauthorized = new UnauthorizedTime();
  /**
   * Waits until what came along with the head is read, a body that is there as a whole among it: the moment of a 401 is set
   * then, before anything is checked that takes longer for one cause than for another.
   */
  readonly arrival = Promise.resolve();

  /**
   * @param known the endpoint as this process saw it last; null where it has not
   * @param fresh the endpoint as it is now; null where there is none
   * @param secrets what an endpoint's requests may be signed with; as many where there is none
   */
  constructor(
    readonly request: FastifyRequest,
    readonly door: Door,
    readonly known: () => EndpointAccess | null,
    readonly fresh: () => Promise<EndpointAccess | null>,
    secrets: (endpoint: EndpointAccess | null) => Promise<Secrets>,
  ) {
    this.body = receiveBody(request, this.unauthorized, (chunk) => {
      (this.passing ??= new PassingBody(fresh().then(secrets))).take(chunk);
    });
  }
}
