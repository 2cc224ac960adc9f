/** Runs a worker's projections without its sagas: brings a database's read models up to date, but publishes nothing. */
import { startInfrastructure } from '../dist/app/infrastructure.js';
import { projectionsOf } from '../dist/app/modules/read-models.js';
import { createLogger } from '../dist/config/logger.js';
import { loadSettings } from '../dist/config/settings.js';
import { PLATFORMS } from '../dist/platforms/catalogue.js';
import { createPool } from '../dist/postgres/pool.js';
import { ProjectionRunner } from '../dist/projections/engine/runner.js';
import { environmentSettings } from './environment.js';

/**
 * Starts the projections. Returns their names, a pool and the store, and a function that stops them. @param more
 * additional settings
 */
export const runProjections = async (connectionString, more = {}) => {
  const settings = loadSettings(
    {
      ...environmentSettings,
      DATABASE_URL: connectionString,
      LOG_LEVEL: 'error',
      ROLES: 'worker',
      ...more,
    },
    PLATFORMS.all,
  );
  const log = createLogger(settings);
  const on = await startInfrastructure(settings, log);
  await on.leases.start();
  const stopping = new AbortController();
  const pools = [];
  const projections = projectionsOf(settings);
  const running = projections.map((projection) => {
    const pool = createPool(connectionString, { max: 1, applicationName: 'bench projections', logger: log });
    pools.push(pool);
    return new ProjectionRunner(projection, { ...on, pool, log }).run(stopping.signal);
  });
  const stop = async () => {
    stopping.abort();
    await Promise.all(running);
    await Promise.all(pools.map((pool) => pool.end()));
    await on.stop();
  };
  return { names: projections.map(({ name }) => name), pool: on.pool, store: on.store, stop };
};
