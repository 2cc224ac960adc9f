import { ScheduleDelivery } from '../../../src/commands/delivery.js';
import type { TestGateway } from '../../api/public/gateway.js';
import { until } from '../../e2e/until.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { startWebhookGateway, WebhookSetup } from './webhook-harness.js';

const CHANNELS = 6;
const OUTPUTS = 10;

// eslint-disable-next-line @typescript-eslint/unbound-method -- this file replaces it
const { execute } = ScheduleDelivery.prototype;

/** Holds every delivery to an owner before it is scheduled. @returns a function that lets them continue */
const holdDeliveriesTo = (owner: string): (() => void) => {
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  ScheduleDelivery.prototype.execute = async function (context, data) {
    if (data.ownerId === owner) await gate;
    return execute.call(this, context, data);
  };
  return open;
};

let gateway: TestGateway;
let busyServer: WebhookReceiver;
let otherServer: WebhookReceiver;
beforeAll(async () => {
  gateway = await startWebhookGateway();
  busyServer = await WebhookReceiver.start();
  otherServer = await WebhookReceiver.start();
});
afterAll(async () => {
  ScheduleDelivery.prototype.execute = execute;
  await gateway.stop();
  await busyServer.close();
  await otherServer.close();
});

it('deliveries of another owner do not wait while those of one owner are scheduled (D-82)', async () => {
  const [busy, other] = [await WebhookSetup.create(gateway), await WebhookSetup.create(gateway)];
  const names = Array.from({ length: CHANNELS }, (_, i) => `Channel ${i}`);
  const channels = await Promise.all(names.map((name) => gateway.createChannel(busy.owner, name)));
  const project = await gateway.createProject(busy.owner, channels, 'Busy');
  const endpoint = await gateway.createEndpoint(busy.owner, [project]);
  const kinds = ['publication.succeeded'];
  const outputs: string[] = [];
  for (let i = 0; i < OUTPUTS; i++) {
    const url = `${busyServer.url}&output=${i}`;
    outputs.push((await gateway.manage('POST', '/webhook-outputs', { project_id: project, url, kinds })).id);
  }
  await other.createOutput(otherServer, { kinds });

  const letContinue = holdDeliveriesTo(busy.owner);
  await endpoint.post('', { text: 'to all channels' });
  await until('its publications have succeeded', async () => {
    const { items } = await gateway.manage('GET', `/posts?owner_id=${busy.owner}`);
    return items[0]?.publications.every(({ state }: { state: string }) => state === 'published');
  });
  for (let i = 1; i <= 3; i++) {
    await other.sendPost(`other ${i}`);
    await until('the other owner has its delivery', () => otherServer.received.length === i);
  }
  expect(busyServer.received).toEqual([]);

  letContinue();
  await until('all are delivered', () => busyServer.firstIds.length === CHANNELS * OUTPUTS);
  const orders = await Promise.all(
    outputs.map(async (id) => {
      const { items } = await gateway.manage('GET', `/webhook-outputs/${id}/deliveries?limit=100`);
      return items.map(({ body }: { body: { target: { id: string } } }) => body.target.id);
    }),
  );
  expect(orders[0]).toHaveLength(CHANNELS);
  for (const order of orders) expect(order).toEqual(orders[0]);
});
