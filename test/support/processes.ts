import { type Infrastructure, startInfrastructure } from '../../src/app/infrastructure.js';
import { createLogger } from '../../src/config/logger.js';
import { loadSettings } from '../../src/config/settings.js';
import { startTestPostgres } from './postgres.js';

/** What two processes on one PostgreSQL work with, each signed on as a worker. */
export interface TwoProcesses {
  readonly on: readonly [Infrastructure, Infrastructure];
  stop(): Promise<void>;
}

/** Starts it, in this process. @param LEASE_SECONDS how long a silent worker keeps what it holds */
export const startTwoProcesses = async (LEASE_SECONDS: string): Promise<TwoProcesses> => {
  const postgres = await startTestPostgres();
  const settings = loadSettings({
    DATABASE_URL: postgres.connectionString,
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    OPERATOR_KEY: 'service_operator_two_processes',
    LEASE_SECONDS,
  });
  const start = async (): Promise<Infrastructure> => {
    const on = await startInfrastructure(settings, createLogger({ logLevel: 'fatal' }));
    await on.leases.start();
    return on;
  };
  const on = await Promise.all([start(), start()] as const);
  return {
    on,
    stop: async () => {
      await Promise.all(on.map((process) => process.stop()));
      await postgres.stop();
    },
  };
};
