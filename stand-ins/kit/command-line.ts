import { parseArgs } from 'node:util';
import type { StandInLogger } from './network.js';
import type { RunningStandIn, StandInOptions } from './server.js';

/**
 * Runs a stand-in as a separate process: `--port` (0, the default, picks a free one), `--host`, `--ledger` (a file).
 * Prints one line of JSON, `{"url", "pid"}`, once it is listening. Exits on SIGTERM and SIGINT, after completing all
 * writes.
 */
export const runStandIn = async (start: (options: StandInOptions) => Promise<RunningStandIn>): Promise<void> => {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      host: { type: 'string', default: '127.0.0.1' },
      ledger: { type: 'string' },
    },
  });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error('--port must be a number from 0 to 65535');
  if (!values.ledger) throw new Error('--ledger is missing: set it to the file that stores the accepted messages');

  const standIn = await start({ port, host: values.host, ledgerFile: values.ledger, logger: stderrLogger });
  process.stdout.write(`${JSON.stringify({ url: standIn.url, pid: process.pid })}\n`);
  const shutDown = (): void => {
    void standIn.stop().then(() => process.exit(0));
  };
  process.once('SIGTERM', shutDown);
  process.once('SIGINT', shutDown);
};

const writeLine =
  (level: string) =>
  (details: object, message: string): void => {
    process.stderr.write(`${JSON.stringify({ level, message, ...details })}\n`);
  };
const stderrLogger: StandInLogger = { info: writeLine('info'), warn: writeLine('warn'), error: writeLine('error') };
