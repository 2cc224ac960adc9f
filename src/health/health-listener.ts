import Fastify, { type FastifyInstance } from 'fastify';
import {
  answerClientError,
  checkHeaders,
  rejectUndecodablePath,
  replaceServerResponses,
} from '../api/transport/client-errors.js';
import { addDefaultHeaders } from '../api/transport/default-headers.js';
import { buildProblemView, HttpProblem } from '../api/transport/problem.view.js';
import { newId } from '../kernel/ids.js';
import type { HealthRoutes } from './health.controller.js';
import { HEALTH_MESSAGES } from './messages.js';

const REQUEST_MS = 10_000;
const MAX_HEAD_BYTES = 16_384;
const MAX_BODY_BYTES = 1_024;

/**
 * Creates the server for METRICS_PORT. It serves only /healthz, /readyz and /metrics, so that it can be exposed to a
 * network that must not reach the API. Does not start listening.
 */
export const createHealthListener = (routes: HealthRoutes): FastifyInstance => {
  const fastify = Fastify({
    genReqId: () => newId('req'),
    requestTimeout: REQUEST_MS,
    bodyLimit: MAX_BODY_BYTES,
    forceCloseConnections: true,
    http: { headersTimeout: REQUEST_MS, maxHeaderSize: MAX_HEAD_BYTES, requireHostHeader: false },
    clientErrorHandler: answerClientError,
    frameworkErrors: rejectUndecodablePath,
    logger: false,
  });
  addDefaultHeaders(fastify);
  checkHeaders(fastify);
  replaceServerResponses(fastify);
  fastify.get('/healthz', () => routes.readLiveness());
  fastify.get('/readyz', (_request, reply) => routes.readReadiness(reply));
  fastify.get('/metrics', (request, reply) => routes.readMetrics('METRICS_PORT', request, reply));
  fastify.setNotFoundHandler(() => {
    throw HttpProblem.withMessage(404, 'not_found', HEALTH_MESSAGES.noRoute);
  });
  fastify.setErrorHandler((error, request, reply) => {
    const problem = error instanceof HttpProblem ? error : unexpectedProblem(error as { statusCode?: number });
    void reply
      .code(problem.status)
      .headers({ ...problem.headers })
      .send(buildProblemView(problem, request.id));
  });
  return fastify;
};

const unexpectedProblem = ({ statusCode: status = 500 }: { readonly statusCode?: number }): HttpProblem =>
  status < 500
    ? HttpProblem.withMessage(status, 'bad_request', HEALTH_MESSAGES.noRoute)
    : HttpProblem.withMessage(500, 'internal', HEALTH_MESSAGES.internal);
