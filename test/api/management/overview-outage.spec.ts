import type { AttentionItemView } from '../../../src/api/management/overview/overview.view.js';
import { type EventStore, Unavailable } from '../../../src/event-store/port.js';
import { until } from '../../e2e/until.js';
import { TestGateway } from '../public/gateway.js';

let isDown = false;
/** Makes every read fail while the event store is down. */
const wrapEventStore = (store: EventStore): EventStore => {
  for (const name of ['readHead', 'readStream', 'readAll'] as const) {
    const read = store[name].bind(store) as (...args: unknown[]) => Promise<never>;
    Object.assign(store, {
      [name]: (...args: unknown[]) => (isDown ? Promise.reject(new Unavailable('it is down')) : read(...args)),
    });
  }
  return store;
};

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({}, undefined, { wrapEventStore });
});
afterAll(async () => {
  isDown = false;
  await gateway.stop();
});

it('while the event store is down, an overview shows what the read models have, and that it is down', async () => {
  const owner = await gateway.createOwner();
  const channel = await gateway.createChannel(owner);
  const endpoint = await gateway.createEndpoint(owner, [await gateway.createProject(owner, [channel])]);
  await gateway.manage('POST', `/channels/${channel.id}/pause`, { minutes: 60 });
  for (const text of ['one', 'two']) await endpoint.post('', { text });
  const read = () => gateway.manage('GET', '/overview');
  // Their number and what waits come from different read models.
  await until('both wait', async () => {
    const { networks, waiting } = await read();
    return networks[0].waiting === 2 && waiting.length === 2;
  });
  isDown = true;
  const shown = await until('the operator sees it', async () => {
    const overview = await read();
    return overview.attention.length > 0 && overview;
  });
  expect(shown.attention.map(({ code }: AttentionItemView) => code)).toEqual(['store_unavailable']);
  expect(shown.attention[0]).toMatchObject({ ids: [], action: null, text: expect.stringContaining('it is down') });
  expect(shown.checks.find(({ name }: { name: string }) => name === 'event_store')).toMatchObject({ ok: false });
  expect(shown.networks[0]).toMatchObject({ platform: 'telegram', waiting: 2, state: 'going' });
  expect(shown.longest).toMatchObject([{ owner_id: owner, posts: 2 }]);
  isDown = false;
  const later = await until('it goes on', async () => {
    const overview = await read();
    return overview.attention.length === 0 && overview;
  });
  expect(later.waiting).toHaveLength(2);
});
