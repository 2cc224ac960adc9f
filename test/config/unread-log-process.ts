/**
 * Logs lines until it is asked to stop, for tests that do not read its stderr. `node unread-log-process.ts <lines>`:
 * logs that many lines of 200 characters, reports on stdout how many were dropped, and exits when stdin ends.
 */
import { countDroppedLogLines, createLogger, exitAfterLog } from '../../src/config/logger.js';

const logger = createLogger({ logLevel: 'info' });
const padding = 'x'.repeat(200);
for (let n = 0; n < Number(process.argv[2]); n++) logger.info({ n, padding }, 'line');
process.stdout.write(`${JSON.stringify({ dropped: countDroppedLogLines() })}\n`);
process.stdin.resume().on('end', () => {
  logger.info('last');
  exitAfterLog(3);
});
