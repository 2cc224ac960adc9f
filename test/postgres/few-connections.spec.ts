import { TestEnvironment } from '../support/test-environment.js';

it('a worker starts, stops and starts again with the smallest number of connections, one of them for queries', async () => {
  const environment = await TestEnvironment.start({
    startNetworks: async () => ({}),
    operatorKey: 'service_operator_few_connections',
    env: { DATABASE_POOL: '6', ROLES: 'worker' },
  });
  try {
    for (let start = 1; start <= 2; start++) {
      const started = await environment.startProcess();
      expect((await fetch(`${started.address}/healthz`)).status).toBe(200);
      await started.stop();
    }
  } finally {
    await environment.stop();
  }
});
