import { type RequestsLogged, RETAINED_EVENTS } from '../../../../src/domain/request-log/request-log.events.js';
import { type TestEndpoint, TestGateway } from '../gateway.js';

/** Requests without the right token, and how many run at a time. */
const REQUESTS = 2_000;
const CONCURRENT = 50;
/** Shortest interval between two events of one endpoint, ms. */
const WRITE_INTERVAL_MS = 200;

let gateway: TestGateway;
let endpoint: TestEndpoint;
beforeAll(async () => {
  gateway = await TestGateway.start();
  const owner = await gateway.createOwner();
  const channel = await gateway.createChannel(owner);
  endpoint = await gateway.createEndpoint(owner, [await gateway.createProject(owner, [channel])]);
});
afterAll(() => gateway.stop());

it('thousands of unauthorized requests to a known slug write few events, whatever their number', async () => {
  const { store, codec } = gateway.infrastructure;
  const before = await store.readHead();
  const startedAt = performance.now();
  let left = REQUESTS;
  const send = async (): Promise<void> => {
    while (left-- > 0) {
      const { status } = await gateway.call('POST', `/v1/webhooks/${endpoint.slug}`, {
        headers: { authorization: `Bearer wrong-${left}`, 'content-type': 'application/json' },
        body: '{"text":"flood"}',
      });
      expect(status).toBe(401);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, send));
  // A reader of the log finds every earlier request, because entries still in memory are written first.
  const { items } = await gateway.manage('GET', `/endpoints/${endpoint.id}/requests?limit=200`);
  const events = (await store.readAll({ after: before, limit: REQUESTS })).filter(
    ({ stream, type }) => type === 'RequestsLogged' && stream === `requestLog-${endpoint.id}`,
  );
  const seconds = (performance.now() - startedAt) / 1_000;

  expect(events.length).toBeGreaterThan(0);
  // At most five a second, besides the first one and the one that the read causes.
  expect(events.length).toBeLessThanOrEqual(2 + Math.ceil((seconds * 1_000) / WRITE_INTERVAL_MS));
  expect(events.length).toBeLessThanOrEqual(RETAINED_EVENTS);
  const logged = events.map((event) => codec.decode<RequestsLogged>(event).data.requests!.length);
  expect(Math.max(...logged)).toBeLessThanOrEqual(100);
  expect(items).toHaveLength(100);
  expect(new Set(items.map(({ http_status }: { http_status: number }) => http_status))).toEqual(new Set([401]));
});
