/** Logs one message of each kind, for tests that read its stderr. */
import { createLogger, NestLogger } from '../../src/config/logger.js';

const logger = createLogger({ logLevel: 'info' });
logger.debug('not shown');
logger.info({ position: 5n, request: { authorization: 'Bearer hunter2' } }, 'hello');
logger.error({ err: Object.assign(new Error('broken'), { code: 'E_BROKEN', password: 'hunter2' }) }, 'failed');

const nest = new NestLogger(logger);
nest.debug('not shown', 'Context');
nest.log('Starting', 'NestFactory');
nest.error('oh', 'Error: oh\n  at x', 'Handler');
nest.warn({ a: 1 });
nest.fatal(new Error('end'));
