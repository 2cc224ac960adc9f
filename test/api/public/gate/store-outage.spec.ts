import { until } from '../../../e2e/until.js';
import { KurrentServer } from '../../../support/kurrent-server/kurrent-server.js';
import { TestGateway } from '../gateway.js';
import { sendRequest } from './calls.js';

describe('while the event store is unavailable', () => {
  it('a post is answered 503 and takes no rate-limit tokens: the next one is accepted when the store is available again', async () => {
    const server = await KurrentServer.start();
    const gateway = await TestGateway.start({ EVENT_STORE_URL: server.connectionString, LIMITS_PROFILE: 'A' });
    try {
      const owner = await gateway.createOwner();
      const project = await gateway.createProject(owner, [await gateway.createChannel(owner)]);
      const endpoint = await gateway.createEndpoint(owner, [project], { min_interval: 60 });
      await server.kill();
      const unavailable = await sendRequest(gateway.url, endpoint);
      expect([unavailable.status, JSON.parse(unavailable.text).code]).toEqual([503, 'unavailable']);
      await server.restart();
      // Until the process has connected again, which may take longer than a post waits.
      await until('the gateway is ready', async () => (await fetch(`${gateway.url}/readyz`)).ok);
      expect((await sendRequest(gateway.url, endpoint)).status).toBe(200);
      expect((await sendRequest(gateway.url, endpoint)).status).toBe(429);
    } finally {
      await gateway.stop();
      await server.stop();
    }
  });

  it('a post is answered 503 if the user may not append, and /readyz says what to correct', async () => {
    const server = await KurrentServer.start();
    const gateway = await TestGateway.start({ EVENT_STORE_URL: server.connectionString });
    try {
      const owner = await gateway.createOwner();
      const project = await gateway.createProject(owner, [await gateway.createChannel(owner)]);
      const endpoint = await gateway.createEndpoint(owner, [project]);
      await server.sendCommand({ command: 'deny', calls: ['append'] });
      const refused = await sendRequest(gateway.url, endpoint);
      expect([refused.status, JSON.parse(refused.text).code]).toEqual([503, 'storage_unavailable']);
      const ready = await fetch(`${gateway.url}/readyz`);
      expect(ready.status).toBe(503);
      expect(await ready.json()).toMatchObject({
        checks: {
          event_store: expect.stringMatching(/has refused appends since .* refuses the user of EVENT_STORE_URL/),
        },
      });
      await server.sendCommand({ command: 'deny', calls: [] });
      expect((await sendRequest(gateway.url, endpoint)).status).toBe(200);
      await until('the gateway is ready', async () => (await fetch(`${gateway.url}/readyz`)).ok); // a report is shared for a moment
    } finally {
      await gateway.stop();
      await server.stop();
    }
  });
});
