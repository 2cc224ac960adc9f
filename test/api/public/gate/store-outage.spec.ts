import { TestGateway } from '../gateway.js';
import { KurrentServer } from '../../../support/kurrent-server/kurrent-server.js';
import { call } from './calls.js';

describe('while the event store is away', () => {
  it('a post is answered 503 and has used nothing up: the next is accepted when the store is back', async () => {
    const server = await KurrentServer.start();
    const gateway = await TestGateway.start({ EVENT_STORE_URL: server.connectionString, LIMITS_PROFILE: 'A' });
    try {
      const owner = await gateway.owner();
      const project = await gateway.project(owner, [await gateway.channel(owner)]);
      const endpoint = await gateway.endpoint(owner, [project], { min_interval: 60 });
      await server.kill();
      const away = await call(gateway.url, endpoint);
      expect([away.status, JSON.parse(away.text).code]).toEqual([503, 'unavailable']);
      await server.restart();
      expect((await call(gateway.url, endpoint)).status).toBe(200);
      expect((await call(gateway.url, endpoint)).status).toBe(429);
    } finally {
      await gateway.stop();
      await server.stop();
    }
  });
});
