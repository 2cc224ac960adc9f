import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { NestLogger } from '../config/nest-logger.js';
import type { Settings } from '../config/settings.js';
import { rememberClientAddresses } from '../api/transport/client-address.js';
import {
  answerClientError,
  answerConnect,
  answerExpectation,
  answerUnreadableAddress,
  closeAfter,
  rememberArrivals,
  requireHost,
} from '../api/transport/client-errors.js';
import { recordAnswers } from '../api/public/gate/request-notes.js';
import { RequestRecorder } from '../api/public/gate/request-recorder.js';
import { leaveBodiesUnread } from '../api/transport/raw-body.js';
import { RequestCohort } from '../api/transport/request-batch.js';
import { systemClock } from '../kernel/clock.js';
import { newId } from '../kernel/ids.js';
import { AppModule } from './app.module.js';
import type { Infrastructure } from './infrastructure.js';
import type { Networks } from './stand-ins.js';

const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;
/** How often the two are looked at; Node's own half a minute would double them. */
const LOOK_MS = 2_000;
const MAX_HEAD_BYTES = 16_384;
/** How long a stopping process waits for requests that have begun. */
const CLOSING_MS = 3_000;

/** The web server of a process, not yet listening. */
export const createHttpServer = async (
  settings: Settings,
  on: Infrastructure,
  networks: Networks,
  log: Logger,
): Promise<NestFastifyApplication> => {
  const requests = new RequestCohort();
  const adapter = new FastifyAdapter({
    genReqId: () => newId('req'), // a client may not set it (D-11)
    trustProxy: settings.trustedProxies.length > 0 ? [...settings.trustedProxies] : false,
    requestTimeout: REQUEST_MS,
    bodyLimit: Number.MAX_SAFE_INTEGER, // counted where the body is read, when it is its turn
    forceCloseConnections: 'idle',
    return503OnClosing: false, // what still comes over an open connection is answered in our own form (D-6)
    http: {
      ...{ headersTimeout: HEADERS_MS, maxHeaderSize: MAX_HEAD_BYTES, connectionsCheckingInterval: LOOK_MS },
      requireHostHeader: false, // asked for below, with a word
    },
    routerOptions: { maxParamLength: MAX_HEAD_BYTES }, // a slug of any length is a slug that nobody has
    clientErrorHandler: (error, socket) => {
      requests.handOver();
      answerClientError(error, socket);
    },
    frameworkErrors: answerUnreadableAddress,
    logger: false,
  });
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.with(settings, on, networks, log), adapter, {
    bodyParser: false,
    logger: new NestLogger(log),
  });
  rememberClientAddresses(adapter.getInstance());
  leaveBodiesUnread(adapter.getInstance());
  rememberArrivals(adapter.getInstance());
  requireHost(adapter.getInstance());
  answerInNodesPlace(adapter.getInstance());
  endConnections(adapter.getInstance());
  if (settings.roles.has('api')) recordAnswers(adapter.getInstance(), app.get(RequestRecorder), systemClock);
  on.metrics.watchRequests(adapter.getInstance());
  requests.standBefore(adapter.getInstance().server);
  return app;
};

/**
 * Takes no new connections, answers the requests that have begun, and breaks off what is not over after 3 s: a client
 * that dawdles must not keep the process.
 */
export const closeHttpServer = async (app: NestFastifyApplication): Promise<void> => {
  const impatience = setTimeout(() => app.getHttpServer().closeAllConnections(), CLOSING_MS);
  await app.close();
  clearTimeout(impatience);
};

/** A client that has said all and closed its half of the connection gets its answer; Node's server would hang up. */
const answerHalfClosed = ({ server }: FastifyInstance): void => {
  Object.assign(server, { httpAllowHalfOpen: true });
};

/** What never becomes a request of ours is answered in our form all the same (D-6, D-11). */
const answerInNodesPlace = (fastify: FastifyInstance): void => {
  answerHalfClosed(fastify);
  fastify.server.on('checkExpectation', answerExpectation).on('connect', answerConnect);
};

/**
 * A connection that was busy when the server began to close would stay open, idle, after its answer; one whose body is not
 * read to its end (raw-body.ts) would never bring another request.
 */
const endConnections = (fastify: FastifyInstance): void => {
  let closing = false;
  fastify.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    if (closing) void reply.header('connection', 'close');
    if (request.raw.isPaused()) closeAfter(request, reply);
    done();
  });
};
