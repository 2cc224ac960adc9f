/** The read models of a database brought up to date, and nothing published: a worker without its sagas. */
import { startInfrastructure } from '../dist/app/infrastructure.js';
import { projectionsOf } from '../dist/app/worker.js';
import { createLogger } from '../dist/config/logger.js';
import { loadSettings } from '../dist/config/settings.js';
import { createPool } from '../dist/postgres/pool.js';
import { ProjectionRunner } from '../dist/projections/engine/runner.js';
import { stageSettings } from './stage.js';

/** Starts it; answers how to stop. */
export const project = async (connectionString) => {
  const settings = loadSettings({
    ...stageSettings,
    DATABASE_URL: connectionString,
    LOG_LEVEL: 'error',
    ROLES: 'worker',
  });
  const log = createLogger(settings);
  const on = await startInfrastructure(settings, log);
  await on.leases.start();
  const stopping = new AbortController();
  const pools = [];
  const running = projectionsOf(settings).map((projection) => {
    const pool = createPool(connectionString, { max: 1, applicationName: 'bench projections', logger: log });
    pools.push(pool);
    return new ProjectionRunner(projection, { ...on, pool, log }).run(stopping.signal);
  });
  return async () => {
    stopping.abort();
    await Promise.all(running);
    await Promise.all(pools.map((pool) => pool.end()));
    await on.stop();
  };
};
