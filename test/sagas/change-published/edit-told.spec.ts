import type { NoticeRaised } from '../../../src/domain/notice/notice.events.js';
import { until } from '../../e2e/until.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { GatewayHarness } from '../publish-due-posts/gateway-harness.js';

let harness: GatewayHarness;
let receiver: WebhookReceiver;
beforeAll(async () => {
  harness = await GatewayHarness.start({ ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' });
  receiver = await WebhookReceiver.start();
});
afterAll(async () => {
  await receiver?.close();
  await harness.stop();
});

it('tells of an edit and of a refused one: webhooks, a notice, attention, metrics', async () => {
  const owner = await harness.gateway.createOwner();
  const channel = await harness.createChannel('telegram', { owner_id: owner });
  const postId = await channel.publish({ text: 'A tpyo' });
  const { id } = await channel.waitForState(postId, 'published');
  const { project_id } = (await harness.gateway.manage('GET', `/publications/${id}`)) as { project_id: string };
  const kinds = ['publication.edited', 'publication.edit_failed'];
  await harness.gateway.manage('POST', '/webhook-outputs', { project_id, url: receiver.url, kinds });
  const edit = (body: object) => channel.endpoint.send('PUT', `posts/${postId}/content`, body);
  const waitFor = (kind: string) =>
    until(kind, () =>
      receiver.received.map(({ body }) => body as object).find((body) => 'kind' in body && body.kind === kind),
    );
  const readAttention = async () => (await harness.gateway.manage('GET', `/overview?owner_id=${owner}`)).attention;

  await edit({ text: 'A typo', entities: [{ type: 'bold', offset: 2, length: 4 }] });
  expect(await waitFor('publication.edited')).toMatchObject({
    post_id: postId,
    publication_id: id,
    revision: 2,
    text: 'A typo',
    entities: [{ type: 'bold', offset: 2, length: 4 }],
    text_html: 'A <b>typo</b>',
    media: [],
    buttons: [],
  });
  expect(await readAttention()).toEqual([]);

  const description = 'Bad Request: message to edit not found';
  await channel.network.addFault({
    mode: 'answer',
    method: 'editMessageText',
    channel: channel.chat,
    status: 400,
    body: { ok: false, error_code: 400, description },
  });
  await edit({ text: 'Gone' });
  expect(await waitFor('publication.edit_failed')).toMatchObject({
    post_id: postId,
    publication_id: id,
    error: { code: 'message_gone' },
  });
  const notice = await until('the notice', async () =>
    (await harness.gateway.readAllEvents())
      .filter(({ type }) => type === 'NoticeRaised')
      .map(({ data }) => data as NoticeRaised['data'])
      .find(({ subject }) => subject.publicationId === id),
  );
  expect(notice).toMatchObject({
    ownerId: owner,
    kind: 'edit_failed',
    text: expect.stringContaining('was edited, but'),
  });
  const attention = await until('it needs attention', async () => {
    const items = await readAttention();
    return items.length > 0 && items;
  });
  expect(attention).toMatchObject([{ code: 'edit_failed', count: 1, ids: [id] }]);
  await until('both are counted', async () => {
    const metrics = await (await fetch(`${harness.gateway.url}/metrics`)).text();
    const of = (outcome: string) => `crosspost_edits_total{platform="telegram",outcome="${outcome}"} 1`;
    return metrics.includes(of('edited')) && metrics.includes(of('edit_failed'));
  });

  await harness.gateway.manage('POST', `/publications/${id}/dismiss`);
  expect(await readAttention()).toEqual([]);
  expect(await harness.gateway.manage('GET', `/publications/${id}`)).toMatchObject({ state: 'published', edit: null });
});
