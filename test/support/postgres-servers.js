/**
 * Global setup and teardown of Jest: a PostgreSQL for each worker, which all test files of the worker share. Starting
 * one for each file took 0.6 s of processor time (ADR-224). Workers find theirs by TEST_POSTGRES_URLS and
 * TEST_POSTGRES_PIDS.
 */
let servers = [];

/** Starts the servers, once for all projects of a run. */
export const startServers = async ({ maxWorkers }) => {
  if (servers.length > 0) return;
  await import('./typescript-loader.js');
  const { startServer } = await import('./postgres.ts');
  const first = await startServer(); // creates the cluster template if it is missing
  servers = [first, ...(await Promise.all(Array.from({ length: maxWorkers - 1 }, startServer)))];
  process.env.TEST_POSTGRES_URLS = servers.map(({ connectionString }) => connectionString).join(' ');
  process.env.TEST_POSTGRES_PIDS = servers.map(({ pid }) => pid).join(' ');
};

export const stopServers = async () => {
  const ending = servers;
  servers = [];
  await Promise.all(ending.map(({ stop }) => stop()));
};
