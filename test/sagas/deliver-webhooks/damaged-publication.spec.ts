import type { TestGateway } from '../../api/public/gateway.js';
import { until } from '../../e2e/until.js';
import { damagePublication } from '../../support/damaged-publication.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { startWebhookGateway, WebhookSetup } from './webhook-harness.js';

let gateway: TestGateway;
const receivers: WebhookReceiver[] = [];
beforeAll(async () => {
  gateway = await startWebhookGateway({ MINUTE_MS: '60000' }); // no pause ends during the test
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all(receivers.map((receiver) => receiver.close()));
});

/** Creates an output that is notified when a project's posts are completed. */
const receiveCompleted = async (setup: WebhookSetup): Promise<WebhookReceiver> => {
  const receiver = await WebhookReceiver.start();
  receivers.push(receiver);
  await setup.createOutput(receiver, { kinds: ['publication.succeeded', 'post.completed'] });
  return receiver;
};

it('a publication with a damaged history is in doubt for its post, and stops no delivery of any owner (ADR-111)', async () => {
  const [setup, other] = [await WebhookSetup.create(gateway), await WebhookSetup.create(gateway)];
  const second = await gateway.createChannel(setup.owner, 'Second');
  await gateway.manage('PATCH', `/projects/${setup.project}`, { channel_ids: [setup.channel.id, second.id] });
  const [own, others] = [await receiveCompleted(setup), await receiveCompleted(other)];
  for (const { id } of [setup.channel, second])
    await gateway.manage('POST', `/channels/${id}/pause`, { minutes: 1_440 });
  const postId = await setup.sendPost('on one channel');
  const { publications } = await until('both publications are listed', async () => {
    const post = await gateway.manage('GET', `/posts/${postId}`);
    return post.publications.length === 2 && post;
  });
  const damaged = publications.find(({ target_id }: { target_id: string }) => target_id === second.id);
  await damagePublication(gateway.infrastructure, damaged.id, Date.now());
  await gateway.manage('POST', `/channels/${setup.channel.id}/resume`, {});
  await until('its success arrives', () => own.received.length > 0);

  await other.sendPost('of another owner');
  await until('the other owner receives both', () => others.received.length === 2);
  expect(others.received.map(({ kind }) => kind)).toEqual(['publication.succeeded', 'post.completed']);
  expect(own.received.map(({ kind }) => kind)).toEqual(['publication.succeeded']);
});
