import { Controller, Get, Req, Res } from '@nestjs/common';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import {
  answerClientError,
  checkHeaders,
  rejectUndecodablePath,
  replaceServerResponses,
} from '../api/transport/client-errors.js';
import { addDefaultHeaders } from '../api/transport/headers.js';
import { buildProblemView, HttpProblem } from '../api/transport/problem.view.js';
import { newId } from '../kernel/ids.js';
import { HEALTH_MESSAGES } from './messages.js';
import type { MetricsAccess, MetricsDoor, MetricsPage } from './metrics.js';
import type { Readiness } from './readiness.js';

/** Health and metrics routes, served on PORT and METRICS_PORT (management-api.md: The rest). */
export class HealthRoutes {
  constructor(
    private readonly readiness: Readiness,
    private readonly page: MetricsPage,
    private readonly access: MetricsAccess,
  ) {}

  /** Reports that the process is alive, whatever the state of its dependencies. */
  readLiveness(): object {
    return { ok: true };
  }

  /** Returns 200 if the event store, the database and `discovery` work; otherwise 503 with the reasons. */
  async readReadiness(reply: FastifyReply): Promise<object> {
    const report = await this.readiness.read();
    if (!report.ok) void reply.code(503).header('retry-after', '5');
    return report;
  }

  /** Returns the metrics for Prometheus. @throws HttpProblem 401 */
  async readMetrics(door: MetricsDoor, { headers }: FastifyRequest, reply: FastifyReply): Promise<string> {
    this.access.check(door, headers.authorization);
    const page = await this.page.read();
    void reply.header('content-type', this.page.contentType);
    return page;
  }
}

/** Serves liveness, readiness and metrics on PORT, in every role (management-api.md: The rest). */
@Controller()
export class HealthController {
  constructor(private readonly routes: HealthRoutes) {}

  @Get('healthz')
  readLiveness(): object {
    return this.routes.readLiveness();
  }

  @Get('readyz')
  readReadiness(@Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    return this.routes.readReadiness(reply);
  }

  @Get('metrics')
  readMetrics(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    return this.routes.readMetrics('PORT', request, reply);
  }
}

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
