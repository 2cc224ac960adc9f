import type { EventStore } from '../../../src/event-store/port.js';
import { until } from '../../e2e/until.js';
import { GatewayHarness } from '../publish-due-posts/gateway-harness.js';

const CHANNELS = 24;

/** Number of reads of each stream. */
const reads = new Map<string, number>();
const wrapEventStore = (store: EventStore): EventStore => {
  const read = store.readStream.bind(store);
  return Object.assign(store, {
    readStream: (...[stream, ...options]: Parameters<EventStore['readStream']>) => {
      reads.set(stream, (reads.get(stream) ?? 0) + 1);
      return read(stream, ...options);
    },
  });
};

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await GatewayHarness.start({}, undefined, { wrapEventStore });
});
afterAll(() => harness.stop());

it('a post with many channels, whose first event is large, is hardly read while it is taken back from each', async () => {
  const { gateway } = harness;
  const owner_id = await gateway.createOwner();
  const channels = await Promise.all(
    Array.from({ length: CHANNELS }, () => harness.createChannel('telegram', { owner_id })),
  );
  const all = channels.map(({ channelId }) => ({ id: channelId }));
  const endpoint = await gateway.createEndpoint(owner_id, [await gateway.createProject(owner_id, all)]);
  const { id } = (await endpoint.post('', { text: 'Wrong everywhere' })).body;
  const untilAll = (state: string) =>
    until(`all are ${state}`, async () => {
      const { publications } = await gateway.manage('GET', `/posts/${id}`);
      return publications.every((each: { state: string }) => each.state === state);
    });
  await untilAll('published');

  reads.clear();
  expect((await endpoint.post(`posts/${id}/withdraw`, {})).body.withdrawing).toBe(CHANNELS);
  await untilAll('withdrawn');
  expect(reads.get(`post-${id}`)).toBeLessThan(CHANNELS / 2);
});
