import type { FastifyRequest } from 'fastify';
import type { EndpointAccess } from '../../projections/discovery/endpoint-access.queries.js';
import { HttpProblem } from '../http-problem.js';
import { readBody } from '../raw-body.js';
import { whenUnauthorizedIsDue } from './unauthorized-time.js';

/** Where a request goes to: an endpoint's own routes, or the sandbox, which takes test tokens too (D-12). */
export type Door = 'endpoint' | 'sandbox';

/** The body of a request as it came, or why it could not be read as a whole. */
export type ReadBody =
  { readonly ok: true; readonly bytes: Buffer } | { readonly ok: false; readonly problem: HttpProblem };

/** A request on its way through the gate. */
export interface Visit {
  readonly request: FastifyRequest;
  readonly door: Door;
  /** Being read from the start, whoever waits for it. */
  readonly body: Promise<ReadBody>;
  /** The moment at which a 401 leaves (D-7). */
  readonly unauthorizedIsDue: Promise<void>;
  /** The endpoint as this process saw it last; null where it has not. */
  readonly known: () => EndpointAccess | null;
  /** The endpoint as it is now; null where there is none. */
  readonly fresh: () => Promise<EndpointAccess | null>;
}

export const visitOf = (
  request: FastifyRequest,
  door: Door,
  { known, fresh }: Pick<Visit, 'known' | 'fresh'>,
): Visit => {
  const body = readBody(request).then(
    (bytes): ReadBody => ({ ok: true, bytes }),
    (problem: unknown): ReadBody => {
      if (problem instanceof HttpProblem) return { ok: false, problem };
      throw problem;
    },
  );
  return { request, door, body, unauthorizedIsDue: whenUnauthorizedIsDue(body), known, fresh };
};
