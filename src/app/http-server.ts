import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { NestLogger } from '../config/nest-logger.js';
import type { Settings } from '../config/settings.js';
import { leaveBodiesUnread } from '../http/raw-body.js';
import { newId } from '../kernel/ids.js';
import { AppModule } from './app.module.js';
import type { Infrastructure } from './infrastructure.js';
import type { Networks } from './stand-ins.js';

const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;

/** The web server of a process, not yet listening. */
export const createHttpServer = async (
  settings: Settings,
  on: Infrastructure,
  networks: Networks,
  log: Logger,
): Promise<NestFastifyApplication> => {
  const adapter = new FastifyAdapter({
    genReqId: () => newId('req'), // a client may not set it (D-11)
    trustProxy: settings.trustedProxies.length > 0 ? [...settings.trustedProxies] : false,
    requestTimeout: REQUEST_MS,
    bodyLimit: Number.MAX_SAFE_INTEGER, // counted where the body is read, when it is its turn
    forceCloseConnections: 'idle',
    http: { headersTimeout: HEADERS_MS, maxHeaderSize: 16_384 },
    logger: false,
  });
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.with(settings, on, networks, log), adapter, {
    bodyParser: false,
    logger: new NestLogger(log),
  });
  leaveBodiesUnread(adapter.getInstance());
  on.metrics.watchRequests(adapter.getInstance());
  return app;
};
