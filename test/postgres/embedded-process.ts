/**
 * A process that holds an embedded PostgreSQL, for tests that kill it: `embedded-process.ts <DATA_DIR>`. Prints a line
 * of JSON when it begins to start, one when it is ready, and one when SIGTERM has stopped it; refusals go to stderr.
 */
import { createLogger } from '../../src/config/logger.js';
import { startEmbeddedPostgres } from '../../src/postgres/embedded.js';

const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const [, , dataDir = ''] = process.argv;
say({ starting: process.pid });
try {
  const postgres = await startEmbeddedPostgres({ dataDir, logger: createLogger({ logLevel: 'warn' }) });
  process.on('SIGINT', () => say({ interrupted: true })); // as a gateway that first finishes its work
  process.on('SIGTERM', () => void postgres.stop().then(() => say({ stopped: true })));
  say({ connectionString: postgres.connectionString, port: postgres.port });
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
