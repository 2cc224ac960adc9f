import { type AddressInfo, Socket } from 'node:net';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { ChangeStreams } from '../api/management/stream/change-streams.js';
import { recordResponses, RequestRecorder } from '../api/public/gate/request-recorder.js';
import {
  closeQueuedAnswers,
  compressAnswers,
  endStalledAnswers,
  MAX_CONNECTIONS,
  serializeListsInSlices,
} from '../api/transport/answers.js';
import { boundAnswers, RequestMemory, UnauthenticatedBodies } from '../api/transport/body-reader.js';
import {
  answerClientError,
  checkHeaders,
  closeAfterResponse,
  rejectUndecodablePath,
  replaceServerResponses,
  trackPendingReplies,
} from '../api/transport/client-errors.js';
import { addDefaultHeaders, allowPages, recordClientAddresses } from '../api/transport/headers.js';
import { HTTP_MESSAGES } from '../api/transport/messages.js';
import { buildProblemView, HttpProblem } from '../api/transport/problem.view.js';
import { disableBodyParsing, RequestBatch } from '../api/transport/raw-body.js';
import { countDroppedLogLines, NestLogger } from '../config/logger.js';
import type { Role } from '../config/settings.js';
import { Metrics } from '../health/metrics.js';
import { newId } from '../kernel/ids.js';
import { answerInReadersLanguage } from '../language/reader-language.js';
import { AppModule } from './app.module.js';
import { START_MESSAGES } from './messages.js';
import type { ProcessOptions, Resources } from './process-options.js';

const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;
/** How often Node checks the two timeouts, in ms; Node's default is 30 s. */
const CHECK_INTERVAL_MS = 2_000;
const MAX_HEAD_BYTES = 16_384;
/** How long a stopping process waits for requests in progress, in ms. */
const CLOSING_MS = 3_000;

/** Creates the web server of a process. It does not listen yet. */
export const createHttpServer = async (
  options: ProcessOptions,
  resources: Resources,
): Promise<NestFastifyApplication> => {
  const { settings, log, overrides } = options;
  const requests = new RequestBatch();
  const adapter = new FastifyAdapter({
    genReqId: () => newId('req'), // clients must not set it (D-11)
    trustProxy: settings.trustedProxies.length > 0 ? [...settings.trustedProxies] : false,
    requestTimeout: REQUEST_MS,
    bodyLimit: Number.MAX_SAFE_INTEGER, // the body reader enforces the limit
    forceCloseConnections: 'idle',
    return503OnClosing: false, // requests on open connections get the usual responses (D-6)
    http: {
      headersTimeout: HEADERS_MS,
      maxHeaderSize: MAX_HEAD_BYTES,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      requireHostHeader: false, // checked below, so that the client gets an error message
    },
    routerOptions: { maxParamLength: MAX_HEAD_BYTES }, // an overlong slug is handled like any unknown slug
    clientErrorHandler: (error, socket) => {
      requests.flush();
      answerClientError(error, socket);
    },
    frameworkErrors: rejectUndecodablePath,
    logger: false,
  });
  const app = await NestFactory.create<NestFastifyApplication>(await AppModule.forRoot(options, resources), adapter, {
    abortOnError: false,
    bodyParser: false,
    logger: new NestLogger(log),
  });
  const fastify: FastifyInstance = adapter.getInstance();
  addDefaultHeaders(fastify);
  if (settings.corsOrigins.length > 0) app.enableCors({ delegator: allowPages(settings.corsOrigins) });
  recordClientAddresses(fastify);
  const memory = overrides?.requestMemory ?? new RequestMemory();
  disableBodyParsing(fastify, memory);
  answerInReadersLanguage(fastify);
  serializeListsInSlices(fastify);
  boundAnswers(fastify, memory.answers);
  compressAnswers(fastify);
  trackPendingReplies(fastify);
  checkHeaders(fastify);
  replaceServerResponses(fastify);
  // A client that has half-closed its connection still receives the response.
  Object.assign(fastify.server, { httpAllowHalfOpen: true });
  closeFinishedConnections(fastify);
  const metrics = app.get(Metrics, { strict: false });
  if (servesRequests(settings.roles)) {
    recordResponses(fastify, app.get(RequestRecorder, { strict: false }));
    watchUnauthenticatedBodies(metrics, app.get(UnauthenticatedBodies, { strict: false }));
    watchRequestMemory(metrics, memory);
  }
  if (settings.roles.has('api')) {
    const streams = app.get(ChangeStreams, { strict: false });
    metrics.watchGauge('crosspost_change_streams', 'Open change streams', () => streams.size);
  } else hidePublicApi(fastify);
  metrics.watchCounter(
    'crosspost_log_lines_dropped_total',
    'Log lines dropped because nothing read stderr',
    countDroppedLogLines,
  );
  metrics.watchRequests(fastify);
  requests.attachTo(fastify.server);
  endStalledAnswers(fastify.server);
  closeQueuedAnswers(fastify.server);
  fastify.server.maxConnections = MAX_CONNECTIONS;
  return app;
};

/**
 * Stops accepting connections, finishes the requests in progress, and closes connections that are still open after 3 s.
 */
export const closeHttpServer = async (app: NestFastifyApplication): Promise<void> => {
  const timer = setTimeout(() => app.getHttpServer().closeAllConnections(), CLOSING_MS);
  await app.close();
  clearTimeout(timer);
};

/** True for a process that serves the clients of endpoints, through `/v1` or the assistant tools. */
const servesRequests = (roles: ReadonlySet<Role>): boolean => roles.has('api') || roles.has('tools');

/**
 * Hides `/v1` from clients in a process that has only the role `tools`: its tools call those routes within the process,
 * without a socket.
 */
const hidePublicApi = (fastify: FastifyInstance): void => {
  fastify.addHook('onRequest', (request, reply, done) => {
    const isFromClient = request.raw.socket instanceof Socket;
    if (!isFromClient || !request.routeOptions.url?.startsWith('/v1/')) return done();
    const problem = HttpProblem.withMessage(404, 'not_found', HTTP_MESSAGES.noRoute);
    void reply.code(problem.status).send(buildProblemView(problem, request.id));
  });
};

const watchUnauthenticatedBodies = (metrics: Metrics, bodies: UnauthenticatedBodies): void => {
  const unauthenticated = 'requests that are not authenticated yet';
  metrics.watchGauge(
    'crosspost_unauthenticated_body_bytes',
    `Bytes in memory from bodies of ${unauthenticated}`,
    () => bodies.heldBytes,
  );
  metrics.watchGauge(
    'crosspost_unauthenticated_bodies',
    `Bodies being read from ${unauthenticated}`,
    () => bodies.reading,
  );
};

const watchRequestMemory = (metrics: Metrics, { bodies, work, toolCalls, answers }: RequestMemory): void => {
  const large = 'large bodies of authenticated requests';
  metrics.watchGauge('crosspost_large_body_bytes', `Bytes reserved for ${large}`, () => bodies.usedBytes);
  metrics.watchGauge(
    'crosspost_large_body_work_bytes',
    `Bytes of memory reserved for the processing of ${large}`,
    () => work.usedBytes,
  );
  metrics.watchGauge(
    'crosspost_large_bodies_waiting',
    `Requests that wait for memory for ${large}`,
    () => bodies.waiting + work.waiting,
  );
  metrics.watchGauge(
    'crosspost_tool_call_bytes',
    'Bytes held by the large arguments of tool calls',
    () => toolCalls.usedBytes,
  );
  metrics.watchGauge(
    'crosspost_large_answer_bytes',
    'Bytes of large answers that their clients have not read',
    () => answers.usedBytes,
  );
};

/**
 * Closes a connection after the response in two cases: the server is shutting down, so the connection would stay open
 * and idle; or the request body was not read to the end (raw-body.ts), so the connection can never carry another
 * request.
 */
const closeFinishedConnections = (fastify: FastifyInstance): void => {
  let closing = false;
  fastify.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    if (closing) void reply.header('connection', 'close');
    if (request.raw.isPaused()) closeAfterResponse(request, reply);
    done();
  });
};

interface WantedAddress {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly portSetting: 'PORT' | 'METRICS_PORT';
}

/**
 * Makes a server listen on an address, and returns the port.
 * @throws Error with a human-readable message if the address cannot be used
 */
export const listen = async (server: FastifyInstance, wanted: WantedAddress): Promise<number> => {
  try {
    await server.listen({ port: wanted.port, host: wanted.host });
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const problem = SENTENCES[code]?.(wanted);
    throw problem === undefined ? error : new Error(START_MESSAGES.withCode({ problem, code }), { cause: error });
  }
  return (server.server.address() as AddressInfo).port;
};

type Sentence = (wanted: WantedAddress) => string;

const notThisMachine: Sentence = ({ host }) => START_MESSAGES.notThisMachine({ host });

const SENTENCES: Readonly<Record<string, Sentence>> = {
  EADDRINUSE: ({ host, port, portSetting: setting }) => START_MESSAGES.portTaken({ setting, port, host }),
  EACCES: ({ port, portSetting: setting }) => START_MESSAGES.portNotAllowed({ setting, port }),
  EADDRNOTAVAIL: notThisMachine,
  ENOTFOUND: notThisMachine,
  EAI_AGAIN: notThisMachine,
};
