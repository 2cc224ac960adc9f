/**
 * Runs an embedded PostgreSQL, for tests that kill it: `embedded-process.ts <DATA_DIR>`. Prints a line of JSON when it begins
 * to start, one when it is ready, and one when SIGTERM has stopped it. Errors go to stderr.
 */
import { createLogger } from '../../src/config/logger.js';
import { startEmbeddedPostgres } from '../../src/postgres/embedded.js';

const print = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const [, , dataDir = ''] = process.argv;
print({ starting: process.pid });
try {
  const postgres = await startEmbeddedPostgres({ dataDir, logger: createLogger({ logLevel: 'warn' }) });
  process.on('SIGINT', () => print({ interrupted: true })); // like a gateway that finishes its work first
  process.on('SIGTERM', () => void postgres.stop().then(() => print({ stopped: true })));
  print({ connectionString: postgres.connectionString, port: postgres.port });
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
