import { type Infrastructure, startInfrastructure } from '../../src/app/infrastructure.js';
import { createLogger } from '../../src/config/logger.js';
import { startTestPostgres } from './postgres.js';
import { loadTestSettings } from './settings.js';
import { SECRETS_KEY } from './test-environment.js';

/** Infrastructure of two processes on one PostgreSQL, each registered as a worker. */
export interface TwoProcesses {
  readonly on: readonly [Infrastructure, Infrastructure];
  stop(): Promise<void>;
}

/** Starts both processes inside this one. @param LEASE_SECONDS time after which a silent worker loses its leases */
export const startTwoProcesses = async (LEASE_SECONDS: string): Promise<TwoProcesses> => {
  const postgres = await startTestPostgres({ migrated: true });
  const settings = loadTestSettings({
    DATABASE_URL: postgres.connectionString,
    SECRETS_KEY,
    OPERATOR_KEY: 'service_operator_two_processes',
    LEASE_SECONDS,
  });
  const start = async () => {
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
